// SPDX-License-Identifier: Apache-2.0
// Verification of ete variants: every cell within bound_of_sum() of the reference.
#pragma once

#include "base/case/case.hpp"
#include "variants/ete/case/solver.hpp"

namespace tessera::ete {

/// A small grid, no extent a multiple of a tile's, and a table for it.
struct RaggedGrid {
  Extents n;
  int columns;
};
[[nodiscard]] const std::vector<RaggedGrid>& ragged_grids();

/// Three steps on one ragged grid from random p, p-, columns and coefficients. The reference, a
/// plain loop over points in double, restarts from the variant's fields at each step. Also demands
/// that everything outside the grid stays zero.
template <class Real>
[[nodiscard]] Verdict verify_on(const RaggedGrid& grid, int points, const Selected& how,
                                std::uint64_t seed);

/// One step at the solver's size from random fields against `base_simd` on the device. `next` is a
/// spare field of the solver's size. Overwrites the solver's fields.
template <class Real>
[[nodiscard]] Verdict verify_against_base(Solver<Real>& solver, const Selected& how,
                                          const Variant& plainest, Field<Real>& next);

/// Some steps of a ragged grid on the ranks of `parallel`, each of which compares its part with the
/// same steps of the whole grid by itself: equal to the bit, except for variants that reorder.
template <class Real>
[[nodiscard]] Verdict verify_on_ranks(const comm::Parallel& parallel, int points,
                                      const Selected& how, std::uint64_t seed);

}  // namespace tessera::ete
