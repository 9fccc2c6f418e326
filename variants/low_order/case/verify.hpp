// SPDX-License-Identifier: Apache-2.0
// Verification of low_order variants: every cell within bound_of_sum() of the reference.
#pragma once

#include "base/case/case.hpp"
#include "variants/low_order/case/solver.hpp"

#include <vector>

namespace tessera::low_order {

/// Small ragged grids: no extent a multiple of a block's, a tiny one, and one longer along z than
/// the longest chunk.
[[nodiscard]] const std::vector<Extents>& ragged_grids();

/// Two steps on one grid from random arrays. The reference restarts from the variant's field, so
/// that the bound is that of one step. Also demands that the boundary values stay what they were.
template <class Real>
[[nodiscard]] Verdict verify_on(const Setup& setup, const Selected& how, std::uint64_t seed);

/// Some steps of a ragged grid on the ranks of `parallel`, each of which compares its part with the
/// same steps of the whole grid by itself: equal to the bit.
template <class Real>
[[nodiscard]] Verdict verify_on_ranks(const comm::Parallel& parallel, const Setup& setup,
                                      const Selected& how, std::uint64_t seed);

}  // namespace tessera::low_order
