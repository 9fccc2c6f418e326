// SPDX-License-Identifier: Apache-2.0
// Verification of jacobi variants: the whole domain, borders and fixed cells included, against the
// plain reference after many steps.
#pragma once

#include "base/case/case.hpp"
#include "variants/jacobi/case/solver.hpp"

namespace tessera::jacobi {

/// Steps that verification runs: no multiple of any depth offered, and more than the deepest.
inline constexpr int kVerifySteps = 19;

/// Ragged grids of a stencil's dimensions: several tiles along every axis, and tiny ones.
[[nodiscard]] std::vector<Extents> ragged_grids(int dims);

/// kVerifySteps steps on one grid from random data. Every cell within the reference's bound, the
/// fixed cells unchanged.
template <class Real>
[[nodiscard]] Verdict verify_on(const std::string& stencil, const Extents& n, const Selected& how,
                                std::uint64_t seed);

/// One pass of a variant at the solver's size against as many sweeps of `step`: the same sums in
/// the same order, so that every bit must agree. Overwrites the solver's fields; `spare` is of its
/// size.
template <class Real>
[[nodiscard]] Verdict verify_against_step(Solver<Real>& solver, const Selected& how,
                                          const Variant& plainest, Field<Real>& spare);

/// Steps of a ragged grid on the ranks of `parallel`, enough for several exchanges, one of which
/// serves fewer steps than the others; each rank compares its part with the same steps of the whole
/// grid by itself: equal to the bit.
template <class Real>
[[nodiscard]] Verdict verify_on_ranks(const comm::Parallel& parallel, const std::string& stencil,
                                      const Selected& how, std::uint64_t seed);

}  // namespace tessera::jacobi
