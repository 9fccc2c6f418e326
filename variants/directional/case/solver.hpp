// SPDX-License-Identifier: Apache-2.0
// The cubes of a directional case on the device, and one pass over them with any variant.
#pragma once

#include "base/case/field_range.hpp"
#include "base/case/rank_regions.hpp"
#include "base/grid/field.hpp"
#include "variants/directional/kernels/variant.hpp"

#include <array>
#include <cstdint>
#include <memory>

namespace tessera::directional {

/// What is computed, and where it lies.
struct Setup {
  Operator op;
  Extents n;
  std::array<double, 3> h = {1, 1, 1};  ///< hx, hy, hz in metres
  RowAlignment rows = RowAlignment::line;
};

template <class Real>
class Solver {
 public:
  /// Allocates the input and the output cube: of several ranks each has the cells of its domain().
  /// Collective among the ranks, as all is that sets, computes or reduces. Throws Error for
  /// spacings that make no sense.
  explicit Solver(const Setup& setup, const comm::Parallel& parallel = {});

  /// How a setup's cells go to ranks.
  [[nodiscard]] static comm::RankGrid rank_grid(const Setup& setup, const comm::Parallel& parallel);
  /// Bytes of one cube on this rank.
  [[nodiscard]] static std::int64_t cube_bytes(const Setup& setup,
                                               const comm::Parallel& parallel = {});

  /// Sets the input, halo included, to values in [-1, 1) from `seed`, the same on every backend,
  /// and the output to NaN; halo cells that other ranks have, too, until pass() fetches them.
  void set_random(std::uint64_t seed);

  /// Enqueues one pass over the whole grid; of several ranks with an exchange of the input's halo,
  /// as if it had just been computed.
  void pass(const ExecSpace& exec, const Selected& how) const;

  /// Range of the output. Fences.
  [[nodiscard]] ValueRange range() const;

  [[nodiscard]] const Setup& setup() const { return setup_; }
  /// This rank's cells; the cubes have these.
  [[nodiscard]] const Domain& domain() const { return domain_; }
  /// Null on one rank.
  [[nodiscard]] comm::Halo* halo() const { return halo_.get(); }
  [[nodiscard]] const Field<Real>& in() const { return in_; }
  [[nodiscard]] Field<Real>& out() { return out_; }
  [[nodiscard]] const Field<Real>& out() const { return out_; }
  [[nodiscard]] Cubes<Real> cubes() const;

 private:
  Setup setup_;
  comm::Parallel parallel_;
  Domain domain_;
  RankRegions regions_;
  Field<Real> in_, out_;
  std::unique_ptr<comm::HaloExchange<Real>> halo_;  // of the input; null on one rank
};

/// The whole grid, or a rank's part of it, as the one region of a launch.
[[nodiscard]] Region whole_region(const Extents& n);

}  // namespace tessera::directional
