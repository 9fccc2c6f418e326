// SPDX-License-Identifier: Apache-2.0
#include "variants/low_order/case/verify.hpp"

#include "base/case/ranks_equal.hpp"
#include "base/grid/transfer.hpp"
#include "base/support/bound.hpp"
#include "base/support/error.hpp"
#include "variants/low_order/reference.hpp"

#include <cmath>
#include <limits>

namespace tessera::low_order {
namespace {

constexpr int kSteps = 2;

/// Copies an array of the device, halo included, to the reference's layout.
template <class Real>
void load(const ReferenceState<Real>& state, std::vector<Real>& to, const Field<Real>& from) {
  if (from.view().size() == 0) return;
  const auto copy = host_copy(from);
  for_each_with_halo(state.n, kR, [&](int z, int y, int x) {
    to[state.index(z, y, x)] = copy(from.index(z, y, x));
  });
}

/// Compares u+ with the reference's in the grid, and with the boundary values around it.
template <class Real>
void compare(const ReferenceState<Real>& reference, const std::vector<Real>& got, int step,
             Verdict& verdict) {
  const Extents& n = reference.n;
  const Box grid = whole(n);
  for (int z = -kR; z < n.nz + kR; ++z) {
    for (int y = -kR; y < n.ny + kR; ++y) {
      for (int x = -kR; x < n.nx + kR; ++x) {
        const std::size_t i = reference.index(z, y, x);
        const bool in = grid.contains(z, y, x);
        const double value = got[i];
        const double wanted = in ? reference.next[i] : reference.u[i];
        ++verdict.cells;
        if (value == wanted) continue;
        const double bound = in ? kBound<Real> * reference.terms[i] : 0;
        const double ratio = std::abs(value - wanted) / bound;
        if (ratio <= verdict.worst) continue;
        verdict.worst = std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
        if (verdict.worst <= 1) continue;
        verdict.ok = false;
        verdict.reason = fmt::format(
            "u+ differs at x = {}, y = {}, z = {} after step {}: {:.9g}, reference {:.9g}, bound "
            "{:.3g}",
            x, y, z, step, value, wanted, bound);
      }
    }
  }
}

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
  load(reference, reference.gamma, solver.gamma());
  load(reference, reference.kappa, solver.kappa());
  std::vector<Real> got(reference.u.size());
  Verdict verdict;
  const ExecSpace exec;
  for (int step = 1; step <= kSteps; ++step) {
    load(reference, reference.u, solver.u());
    reference_step(setup.stencil, reference);
    solver.update(exec, how);
    exec.fence();
    load(reference, got, solver.next());
    compare(reference, got, step, verdict);
    solver.advance();
  }
  return verdict;
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
