// SPDX-License-Identifier: Apache-2.0
// The fields of a jacobi case on the device, and some time steps of them with any variant.
#pragma once

#include "cases/field_range.hpp"
#include "grid/field.hpp"
#include "kernels/jacobi/variant.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace tessera::jacobi {

/// Dimensions and radius of a stencil.
struct StencilFacts {
  int dims = 3, r = 1, ry = 1, flops = 0;
};
/// Facts of a stencil, by its full name. Throws Error where there is none of that name.
[[nodiscard]] StencilFacts facts_of(const std::string& stencil);

/// Where the cells of such a field lie: in two dimensions one plane, without planes beside it.
[[nodiscard]] FieldLayout layout_of(const std::string& stencil, const Extents& n, int value_bytes);

template <class Real>
class Solver {
 public:
  /// Allocates u and u+ with R fixed cells around the `n` updated ones. Throws Error where nz is
  /// not 1 in two dimensions.
  Solver(std::string stencil, const Extents& n);

  /// Bytes that the two fields take.
  [[nodiscard]] static std::int64_t memory_bytes(const std::string& stencil, const Extents& n);

  /// Sets every cell, fixed ones too, to a value in [-1, 1) from `seed`, the same on every backend.
  void set_random(std::uint64_t seed);
  /// Sets the updated cells and the fixed ones to a value each.
  void set_constant(double inside, double fixed);

  /// Enqueues at most `left` steps and makes the result the current field; returns how many.
  /// Allocates what a resident league exchanges when a configuration first needs it.
  int advance(const ExecSpace& exec, const Selected& how, int left);

  [[nodiscard]] const std::string& stencil() const { return stencil_; }
  [[nodiscard]] const Extents& extents() const { return n_; }
  [[nodiscard]] const Field<Real>& u() const { return u_; }
  [[nodiscard]] Field<Real>& u() { return u_; }
  /// The kernels' view: u before, and the field that takes u after.
  [[nodiscard]] Fields<Real> fields() const;
  /// Cell (s, y, x) of a field, in the kernels' words, as an index of its view.
  [[nodiscard]] std::int64_t index(int s, int y, int x) const;

  /// Smallest and largest value of the updated cells; infinite where one is not finite. Fences.
  [[nodiscard]] ValueRange range() const;

 private:
  std::string stencil_;
  Extents n_;
  StencilFacts facts_;
  Field<Real> u_, next_;
  Resident<Real> resident_;
  Kokkos::View<Real*, ExecSpace::memory_space> exchange_;
};

extern template class Solver<float>;
extern template class Solver<double>;

}  // namespace tessera::jacobi
