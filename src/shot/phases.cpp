// SPDX-License-Identifier: Apache-2.0
#include "shot/phases.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

namespace tessera::acoustic {
namespace {

constexpr int kRounds = 3;
constexpr int kCalls = 10;  // a round: a fence and the ranks' start weigh a tenth

/// Median seconds of a call of `body`, which all ranks call at once.
template <class Body>
double seconds_of(const comm::Ranks& ranks, const Body& body) {
  using Clock = std::chrono::steady_clock;
  const ExecSpace exec;
  std::vector<double> samples;
  for (int round = 0; round <= kRounds; ++round) {
    exec.fence();
    ranks.barrier();
    const auto start = Clock::now();
    for (int call = 0; call < kCalls; ++call) body(exec);
    exec.fence();
    const std::chrono::duration<double> passed = Clock::now() - start;
    if (round > 0) samples.push_back(passed.count() / kCalls);  // the first one warms up
  }
  std::nth_element(samples.begin(), samples.begin() + kRounds / 2, samples.end());
  return samples[kRounds / 2];
}

}  // namespace

template <class Real>
ShotPhases measure_phases(const ShotCase& shot, Solver<Real>& solver, double step_s) {
  const comm::Ranks& ranks = shot.parallel.ranks;
  comm::Halo& halo = *solver.halo();
  halo.enable(false);
  const double compute = seconds_of(ranks, [&](const ExecSpace& exec) {
    solver.update(exec, shot.how);
    solver.advance();
  });
  halo.enable(true);
  const double exchange = seconds_of(ranks, [&](const ExecSpace& exec) { halo.exchange(exec); });
  const double pack = seconds_of(ranks, [&](const ExecSpace& exec) { halo.pack_and_unpack(exec); });
  const auto of_ranks = [&](double value) { return ranks.gather(std::vector<double>{value}); };
  ShotPhases phases{of_ranks(compute), of_ranks(pack), of_ranks(exchange),
                    of_ranks(static_cast<double>(halo.bytes_sent())),
                    of_ranks(halo.messages_sent())};
  if (!ranks.first()) return phases;
  const double busiest = *std::max_element(phases.compute.begin(), phases.compute.end());
  const double sum = std::accumulate(phases.compute.begin(), phases.compute.end(), 0.0);
  phases.exposed = std::max(0.0, step_s - busiest);
  phases.imbalance = busiest * ranks.size() / sum - 1;
  return phases;
}

template ShotPhases measure_phases(const ShotCase&, Solver<float>&, double);
template ShotPhases measure_phases(const ShotCase&, Solver<double>&, double);

}  // namespace tessera::acoustic
