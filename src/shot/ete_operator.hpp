// SPDX-License-Identifier: Apache-2.0
// A shot's inner region advanced by an ete stencil: velocities in bins, a column of coefficients
// for each.
#pragma once

#include "cases/ete/fit.hpp"
#include "cases/ete/solver.hpp"
#include "io/deck.hpp"

#include <array>
#include <functional>
#include <string>

namespace tessera::ete {

/// What [shot] and [fit] of a deck say, where shot.operator = "ete".
struct OperatorDeck {
  int points = 73;       ///< shot.ete_stencil
  int velocities = 902;  ///< shot.velocities: bins between the model's slowest and fastest
  Selected how;          ///< shot.ete_variant: it updates the inner region
  FitOptions options;
};

/// Reads shot.ete_stencil, shot.ete_variant, shot.velocities and [fit]. `inner` is the region that
/// the operator advances. Throws Error for bad values and a variant that cannot run there.
[[nodiscard]] OperatorDeck read_operator(const io::Deck& deck, const Region& inner,
                                         int value_bytes);

/// The medium that a shot's operator is made for.
struct Medium {
  Extents n;
  double dt = 0;                                  ///< s
  std::array<double, 3> h{};                      ///< hx, hy, hz in m; hx and hy must be equal
  double v_min = 0, v_max = 0;                    ///< m/s
  std::function<double(int, int, int)> velocity;  ///< at cell z, y, x
};

template <class Real>
class ShotOperator {
 public:
  /// Fits the coefficients and bins the velocities. Throws Error for a medium that the operator is
  /// not made for, and where a bin would be unstable.
  ShotOperator(const OperatorDeck& deck, const Medium& medium);

  /// Bytes of the index.
  [[nodiscard]] static std::int64_t memory_bytes(const Extents& n) { return field_bytes(n, 0, 2); }

  /// Enqueues u+ = 2 sum_j c_j u_j - u- for the cells of `region`; `next` holds u- on entry. Both
  /// fields have a halo of kR cells.
  void update(const ExecSpace& exec, const Field<Real>& u, const Field<Real>& next,
              const Region& region) const;

  /// One line: misfit, stability, largest error of a bin.
  [[nodiscard]] const std::string& remark() const { return remark_; }

 private:
  OperatorDeck deck_;
  DeviceTables<Real> tables_;
  Field<std::uint16_t> index_;
  std::string remark_;
};

/// Mean of f over [t - dt, t + dt]: what drives a scheme that is exact in time. A step of length dt
/// integrates the source with the weight (dt - |s|) in the far field, whose transform differs from
/// dt^2 f by sinc(omega dt), that of this mean.
[[nodiscard]] double mean_around(const std::function<double(double)>& f, double t, double dt);

extern template class ShotOperator<float>;
extern template class ShotOperator<double>;

}  // namespace tessera::ete
