// SPDX-License-Identifier: Apache-2.0
#include "variants/low_order/case/verify.hpp"

#include "base/case/ranks_equal.hpp"
#include "base/case/worst.hpp"
#include "base/support/bound.hpp"
#include "variants/low_order/reference.hpp"

namespace tessera::low_order {
namespace {

constexpr int kSteps = 2;

}  // namespace

const std::vector<Extents>& ragged_grids() {
  static const std::vector<Extents> grids = {{47, 53, 61}, {13, 9, 11}, {261, 5, 37}};
  return grids;
}

template <class Real>
Verdict verify_on(const Setup& setup, const Selected& how, std::uint64_t seed) {
  Solver<Real> solver(setup);
  solver.set_random(seed);
  ReferenceState<Real> reference(setup.n, setup.alpha, setup.beta);
  load(reference, kR, reference.gamma, solver.gamma());
  load(reference, kR, reference.kappa, solver.kappa());
  std::vector<Real> got(reference.u.size());
  Worst worst{setup.n};
  const double bound = with_stencil(
      setup.stencil, [](auto stencil) { return bound_of_sum<Real>(Shape<stencil()>::kPoints); });
  const Box grid = whole(setup.n);
  const ExecSpace exec;
  for (int step = 1; step <= kSteps; ++step) {
    load(reference, kR, reference.u, solver.u());
    reference_step(setup.stencil, reference);
    solver.update(exec, how);
    exec.fence();
    load(reference, kR, got, solver.next());
    // In the grid the reference's u+, around it the boundary values.
    for_each_with_halo(setup.n, kR, [&](int z, int y, int x) {
      const std::size_t i = reference.index(z, y, x);
      const bool in = grid.contains(z, y, x);
      worst.compare("u+", step, z, y, x, got[i], in ? reference.next[i] : reference.u[i],
                    in ? bound * reference.terms[i] : 0);
    });
    solver.advance();
  }
  return worst.verdict;
}

template <class Real>
Verdict verify_on_ranks(const comm::Parallel& parallel, const Setup& setup, const Selected& how,
                        std::uint64_t seed) {
  Setup small = setup;
  small.n = ragged_for(parallel, {29, 33, 61}, kR);
  Solver<Real> part(small, parallel);
  Solver<Real> all(small);
  const ExecSpace exec;
  RanksEqual<Real> equal(part.domain(), how);
  for (Solver<Real>* solver : {&part, &all}) solver->set_random(seed);
  for (int step = 1; step <= kSteps; ++step) {
    for (Solver<Real>* solver : {&part, &all}) solver->update(exec, how);
    exec.fence();
    equal.compare("u+", step, part.next(), all.next());
    for (Solver<Real>* solver : {&part, &all}) solver->advance();
  }
  return equal.verdict();
}

template Verdict verify_on<float>(const Setup&, const Selected&, std::uint64_t);
template Verdict verify_on<double>(const Setup&, const Selected&, std::uint64_t);
template Verdict verify_on_ranks<float>(const comm::Parallel&, const Setup&, const Selected&,
                                        std::uint64_t);
template Verdict verify_on_ranks<double>(const comm::Parallel&, const Setup&, const Selected&,
                                         std::uint64_t);

}  // namespace tessera::low_order
