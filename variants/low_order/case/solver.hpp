// SPDX-License-Identifier: Apache-2.0
// The arrays of a low_order case on the device, and one step of them with any variant.
#pragma once

#include "base/case/field_range.hpp"
#include "base/case/rank_regions.hpp"
#include "base/grid/field.hpp"
#include "variants/low_order/kernels/variant.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace tessera::low_order {

/// The grid, or a rank's part of it, as the one region of a launch.
[[nodiscard]] inline Region whole_region(const Extents& n) {
  return {"grid", Update::inner, whole(n), {}};
}

/// A case of this family except for its initial data.
struct Setup {
  Extents n;
  Stencil stencil = Stencil::pt7_1;
  double alpha = 0, beta = 0;
};

/// Which neighbours' cells its stencil reads.
[[nodiscard]] inline comm::Reach reach_of(const Setup& setup) {
  return setup.stencil == Stencil::pt19 ? comm::Reach::edges : comm::Reach::faces;
}

template <class Real>
class Solver {
 public:
  /// Allocates u, u+ and, where the stencil has them, gamma and kappa: of several ranks each has
  /// the cells of its domain(). Collective among the ranks, as all is that sets, steps or reduces.
  explicit Solver(const Setup& setup, const comm::Parallel& parallel = {});

  /// How a setup's cells go to ranks.
  [[nodiscard]] static comm::RankGrid rank_grid(const Setup& setup, const comm::Parallel& parallel);
  /// Bytes that the arrays of a setup take on this rank.
  [[nodiscard]] static std::int64_t memory_bytes(const Setup& setup,
                                                 const comm::Parallel& parallel = {});

  /// u in [-1, 1) in the grid and its halo, the halo of u+ equal to it; gamma in [-1, 1), kappa in
  /// [0.5, 1.5): the same on every backend. u+ in the grid becomes NaN, so that a cell which a
  /// variant forgets is seen.
  void set_random(std::uint64_t seed);

  /// Enqueues one step, exchange included: u+ is then in next(), until advance() makes it u.
  void update(const ExecSpace& exec, const Selected& how) const;
  /// Makes u+ the current field.
  void advance() { std::swap(u_, next_); }

  /// Largest |u+ - reference| over the bound of a step from u, on the device; infinite
  /// where u+ is not a number. Halo cells of u+ must equal those of u.
  [[nodiscard]] double worst_of_step() const;

  /// Range of the current field. Fences.
  [[nodiscard]] ValueRange range() const;

  [[nodiscard]] const Setup& setup() const { return setup_; }
  /// This rank's cells; the arrays have these.
  [[nodiscard]] const Domain& domain() const { return domain_; }
  /// Null on one rank.
  [[nodiscard]] comm::Halo* halo() const { return halo_.get(); }
  [[nodiscard]] const Field<Real>& u() const { return u_; }
  [[nodiscard]] const Field<Real>& next() const { return next_; }
  [[nodiscard]] const Field<Real>& gamma() const { return gamma_; }
  [[nodiscard]] const Field<Real>& kappa() const { return kappa_; }
  /// The kernels' view of the arrays.
  [[nodiscard]] Fields<Real> fields() const;

 private:
  Setup setup_;
  comm::Parallel parallel_;
  Domain domain_;
  RankRegions regions_;
  Field<Real> u_, next_, gamma_, kappa_;
  std::unique_ptr<comm::HaloExchange<Real>> halo_;  // of u; null on one rank
};

extern template class Solver<float>;
extern template class Solver<double>;

}  // namespace tessera::low_order
