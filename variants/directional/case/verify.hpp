// SPDX-License-Identifier: Apache-2.0
// Verification of directional variants: every cell within bound_of_sum() of the reference.
#pragma once

#include "base/case/case.hpp"
#include "variants/directional/case/solver.hpp"

namespace tessera::directional {

/// Small ragged grids: one of several tiles, one taller than a window, one smaller than a vector
/// and than the radius, one longer along x than the widest tile.
[[nodiscard]] const std::vector<Extents>& ragged_grids();

/// One pass on a ragged grid from random data, halo included. Also demands that the output's halo
/// stays untouched.
template <class Real>
[[nodiscard]] Verdict verify_on(const Extents& n, const Operator& op, RowAlignment rows,
                                const Selected& how, std::uint64_t seed);

/// One pass at the solver's size against `baseline` on the device, every cell within the same
/// bound. `spare` is a cube like the solver's. Overwrites the solver's cubes.
template <class Real>
[[nodiscard]] Verdict verify_against_baseline(Solver<Real>& solver, const Selected& how,
                                              const Variant& plainest, Field<Real>& spare);

/// A pass over a ragged grid on the ranks of `parallel`, each of which compares its part with a
/// pass over the whole grid by itself: equal to the bit, except for variants that reorder.
template <class Real>
[[nodiscard]] Verdict verify_on_ranks(const comm::Parallel& parallel, const Operator& op,
                                      RowAlignment rows, const Selected& how, std::uint64_t seed);

}  // namespace tessera::directional
