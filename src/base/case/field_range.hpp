// SPDX-License-Identifier: Apache-2.0
// Smallest and largest value of a field: what every family's case reports after a run.
#pragma once

#include "base/case/case.hpp"
#include "base/grid/field.hpp"

#include <limits>
#include <string>

namespace tessera {

/// `From`: a FieldRef, or what has its at().
template <class Real, class From>
struct RowRange {
  From u;
  Extents n;
  using Value = typename Kokkos::MinMax<Real>::value_type;

  KOKKOS_FUNCTION void operator()(const Team& team, Value& result) const {
    const auto row = u.at(team.league_rank() / n.ny, team.league_rank() % n.ny, 0);
    Value of_row;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, n.nx),
        [&](int x, Value& v) {
          // Infinity minus itself and NaN minus itself are not zero: both widen to infinity.
          const Real here = static_cast<Real>(row[x]);
          const bool finite = here - here == Real(0);
          const Real low = finite ? here : -std::numeric_limits<Real>::infinity();
          const Real high = finite ? here : std::numeric_limits<Real>::infinity();
          v.min_val = low < v.min_val ? low : v.min_val;
          v.max_val = high > v.max_val ? high : v.max_val;
        },
        Kokkos::MinMax<Real>(of_row));
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      result.min_val = of_row.min_val < result.min_val ? of_row.min_val : result.min_val;
      result.max_val = of_row.max_val > result.max_val ? of_row.max_val : result.max_val;
    });
  }
};

/// Range over all ranks of `n` cells of each from cell (0, 0, 0) of `cells` on, infinite where a
/// value is not finite; `label` names the kernel. Collective; fences.
template <class Real, class From>
[[nodiscard]] ValueRange range_in(const std::string& label, const From& cells, const Extents& n,
                                  const comm::Ranks& ranks) {
  typename Kokkos::MinMax<Real>::value_type result;
  const Kokkos::TeamPolicy<ExecSpace> rows(n.nz * n.ny, kOnDevice ? 128 : 1);
  Kokkos::parallel_reduce(label, rows, RowRange<Real, From>{cells, n},
                          Kokkos::MinMax<Real>(result));
  return {ranks.min(static_cast<double>(result.min_val)),
          ranks.max(static_cast<double>(result.max_val))};
}

template <class Real>
[[nodiscard]] ValueRange range_of(const std::string& label, const FieldRef<Real>& cells,
                                  const Extents& n, const comm::Ranks& ranks) {
  return range_in<Real>(label, cells, n, ranks);
}

/// Range of a field's interior. Likewise.
template <class Real>
[[nodiscard]] ValueRange range_of(const std::string& label, const Field<Real>& field,
                                  const comm::Ranks& ranks) {
  return range_of(label, field.ref(), field.extents(), ranks);
}

}  // namespace tessera
