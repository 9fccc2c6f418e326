// SPDX-License-Identifier: Apache-2.0
// The fields of an ete case on the device, and one time step of them with any variant.
#pragma once

#include "base/case/field_range.hpp"
#include "base/case/rank_regions.hpp"
#include "base/grid/field.hpp"
#include "variants/ete/case/coefficients.hpp"
#include "variants/ete/kernels/variant.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace tessera::ete {

/// How the columns are spread over the grid. `random`: each cell for itself, the paper's.
/// `layered`: constant in 64 slabs along z. `smooth`: rising with z, with gentle waves along x and
/// y.
enum class ColumnPattern { random, layered, smooth };

/// Why a configuration that runs on one rank does not run on several; empty where it does.
[[nodiscard]] std::string refused_on_ranks(const Selected& how);

template <class Real>
class Solver {
 public:
  /// Allocates p, p- and the index of a grid of `n` cells; every cell has column 0. With several
  /// ranks each has the cells of its domain(). Collective among the ranks, as all is that sets,
  /// steps or reduces fields.
  Solver(const Extents& n, const CoefficientTable& table, const comm::Parallel& parallel = {});

  /// How a grid's cells go to ranks.
  [[nodiscard]] static comm::RankGrid rank_grid(const Extents& n, const comm::Parallel& parallel);
  /// Bytes that the fields of `n` cells take.
  [[nodiscard]] static std::int64_t memory_bytes(const Extents& n, int columns);

  /// Columns by a rule, from `seed` where it is random: the same on every backend.
  void set_columns(ColumnPattern spread, std::uint64_t seed);
  /// column(z, y, x) of the domain's cells in the grid, evaluated on the host; throws Error where
  /// it is not in the table.
  void set_columns(const std::function<int(int, int, int)>& column);

  /// Sets p and p- to zero.
  void set_zero();
  /// Sets p and p- to values in [-1, 1) from `seed`: the same on every backend.
  void set_random(std::uint64_t seed);

  /// Enqueues one step, exchange included; p+ is then in next(), until advance() makes it p.
  void update(const ExecSpace& exec, const Selected& how) const;
  /// Enqueues p+ += amplitude at a cell of the grid, on the rank that has it, after update(),
  /// before advance().
  void inject(const ExecSpace& exec, int z, int y, int x, double amplitude) const;
  void advance() { std::swap(p_, next_); }

  /// This rank's cells, and how many they are along each axis.
  [[nodiscard]] const Domain& domain() const { return domain_; }
  [[nodiscard]] const Extents& extents() const { return p_.extents(); }
  /// Null on one rank.
  [[nodiscard]] comm::Halo* halo() const { return halo_.get(); }
  [[nodiscard]] int points() const { return points_; }
  [[nodiscard]] const Field<Real>& p() const { return p_; }
  [[nodiscard]] Field<Real>& p() { return p_; }
  [[nodiscard]] const Field<Real>& next() const { return next_; }
  [[nodiscard]] Field<Real>& next() { return next_; }
  /// The kernels' view of the fields.
  [[nodiscard]] Fields<Real> fields() const;
  /// The one region, of this rank.
  [[nodiscard]] Region region() const { return whole_grid(p_.extents()); }
  [[nodiscard]] static Region whole_grid(const Extents& n) {
    return {"whole", Update::inner, whole(n), {}};
  }

  /// Smallest and largest p; infinite where a value is not finite. Fences.
  [[nodiscard]] ValueRange range() const;

 private:
  int points_;
  DeviceTables<Real> tables_;
  int columns_;
  comm::Parallel parallel_;
  Domain domain_;
  RankRegions regions_;
  Field<Real> p_, next_;
  Field<std::uint16_t> index_;
  Field<std::uint32_t> wide_index_;
  std::uint64_t stamp_;
  std::unique_ptr<comm::HaloExchange<Real>> halo_;  // of p; null on one rank
};

extern template class Solver<float>;
extern template class Solver<double>;

}  // namespace tessera::ete
