// SPDX-License-Identifier: Apache-2.0
// The coefficient table of the ete family on the host: made by a fit, saved and loaded, and laid
// out for the device.
#pragma once

#include "base/device/space.hpp"
#include "variants/ete/formula.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace tessera::ete {

/// Calls body(Shape<points>{}); throws Error unless points is 37 or 73.
template <class Body>
decltype(auto) with_shape(int points, const Body& body) {
  if (points == 37) return body(Shape<37>{});
  return body(Shape<73>{});
}

/// Coefficients of `columns()` velocities in double, rows of z_distinct symmetry.
struct CoefficientTable {
  int points = 37;
  double z_spacing = 1;        ///< hz / hx: 1 where z does not differ from x and y
  std::vector<double> alpha;   ///< v dt / hx of each column
  std::vector<double> values;  ///< [column][row], rows as Shape<points> orders them

  [[nodiscard]] int columns() const { return static_cast<int>(alpha.size()); }
  [[nodiscard]] int rows() const { return points == 37 ? Shape<37>::kRows : Shape<73>::kRows; }
  [[nodiscard]] double& at(int column, int row) {
    return values[static_cast<std::size_t>(column) * rows() + row];
  }
  [[nodiscard]] double at(int column, int row) const {
    return values[static_cast<std::size_t>(column) * rows() + row];
  }
  /// True where every row out of the plane equals its counterpart in it, bit for bit.
  [[nodiscard]] bool isotropic() const;
};

/// A table with random coefficients of sum 1, for verification: rows differ in all columns, and z
/// differs from x and y unless `isotropic`.
[[nodiscard]] CoefficientTable random_table(int points, int columns, bool isotropic,
                                            std::uint64_t seed);

/// Writes the table as text (JSON); throws Error where it cannot.
void save_table(const CoefficientTable& table, const std::filesystem::path& path);
/// The table that save_table has written to the file `name`, from its text; throws Error, naming
/// file and entry, for anything else: also for alpha or z_spacing that are not positive, and for
/// alpha that falls.
[[nodiscard]] CoefficientTable parse_table(const std::string& text, const std::string& name);

/// The table in the memory of the execution space, in all its layouts.
template <class Real>
class DeviceTables {
 public:
  DeviceTables() = default;
  /// Rounds to Real so that the coefficients of a column never add up to more than 1: the sum is
  /// the amplification of a constant field, and 1 + 6e-8 would grow by 30 % in 800 steps.
  explicit DeviceTables(const CoefficientTable& table);

  [[nodiscard]] Tables<Real> ref() const;

 private:
  using View = Kokkos::View<Real*, ExecSpace::memory_space>;
  View by_velocity_, by_class_, isotropic_, full_;
  int columns_ = 0;
};

/// The rounded coefficients that a device uses: [column][row] as in CoefficientTable.
template <class Real>
[[nodiscard]] std::vector<Real> rounded(const CoefficientTable& table);

extern template class DeviceTables<float>;
extern template class DeviceTables<double>;

}  // namespace tessera::ete
