// SPDX-License-Identifier: Apache-2.0
// Several ranks against one: every cell equal to the bit.
#include "base/case/random.hpp"
#include "base/case/ranks_equal.hpp"
#include "variants/acoustic/case/verify.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::acoustic {
namespace {

constexpr int kSteps = 3;
constexpr int kLayer = 5;

}  // namespace

template <class Real>
Verdict verify_on_ranks(const comm::Parallel& parallel, const Selected& how, Decomposition kind,
                        std::uint64_t seed, const Setup& of) {
  Setup setup;
  setup.layer_kind = of.layer_kind;
  setup.storage = of.storage;
  setup.n = ragged_for(parallel, {47, 53, 61}, std::max(kR, kLayer));
  setup.pml_cells = kLayer;
  setup.decomposition = kind;
  setup.h = {20, 25, 15};
  Solver<Real> part(setup, parallel);
  Solver<Real> all(setup);
  const auto velocity = [&](int z, int y, int x) {
    return 1500 + std::floor(3000 * random_value(seed + 1, setup.n.index(z, y, x)));
  };
  for (Solver<Real>* solver : {&part, &all}) {
    solver->expect_peak(kRandomPeak);
    solver->set_random(seed);
    solver->set_velocity(velocity);
  }
  // The first cell of the last rank: others read it at once.
  const Box last = Solver<Real>::rank_grid(setup, parallel).domain(parallel.ranks.size() - 1).box;
  const ExecSpace exec;
  RanksEqual<Real> equal(part.domain(), how, setup.storage);
  for (int step = 1; step <= kSteps; ++step) {
    for (Solver<Real>* solver : {&part, &all}) {
      const Box cell{last.z0, last.z0 + 1, last.y0, last.y0 + 1, last.x0, last.x0 + 1};
      const SourceCells cells(solver->domain(), cell, {1.0});
      PassSource source = cells.source();
      source.amplitude[0] = 0.5 * step;
      solver->update(exec, how);
      solver->inject(exec, source);
      solver->advance();
      exec.fence();
    }
    equal.compare("u+", step, part.u_values(), all.u_values());
    if (!setup.convolutional()) equal.compare("phi+", step, part.phi(), all.phi());
  }
  return equal.verdict();
}

template Verdict verify_on_ranks<float>(const comm::Parallel&, const Selected&, Decomposition,
                                        std::uint64_t, const Setup&);
template Verdict verify_on_ranks<double>(const comm::Parallel&, const Selected&, Decomposition,
                                         std::uint64_t, const Setup&);

}  // namespace tessera::acoustic
