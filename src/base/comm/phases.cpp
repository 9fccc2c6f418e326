// SPDX-License-Identifier: Apache-2.0
#include "base/comm/phases.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

namespace tessera::comm {
namespace {

constexpr int kRounds = 5;
constexpr int kExchanges = 20;  // one after another, so that a fence's time is shared by many

/// Median seconds of a call of `body`, which is called by all ranks at once and ends in a fence.
template <class Body>
double seconds_of(const Ranks& ranks, const Body& body) {
  using Clock = std::chrono::steady_clock;
  const ExecSpace exec;
  std::vector<double> samples;
  for (int round = 0; round <= kRounds; ++round) {
    exec.fence();
    ranks.barrier();
    const auto start = Clock::now();
    body(exec);
    exec.fence();
    // The first one warms up.
    if (round > 0) samples.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  std::nth_element(samples.begin(), samples.begin() + kRounds / 2, samples.end());
  return samples[kRounds / 2];
}

}  // namespace

StepPhases measure_phases(const Ranks& ranks, Halo& halo, const PhaseSteps& steps) {
  halo.enable(false);
  const double compute = seconds_of(ranks, steps.make) / steps.count;
  halo.enable(true);
  const auto one_of_many = [&](const auto& body) {
    const double many = seconds_of(ranks, [&](const ExecSpace& exec) {
      for (int i = 0; i < kExchanges; ++i) body(exec);
    });
    return many / kExchanges / steps.an_exchange;
  };
  const double exchange = one_of_many([&](const ExecSpace& exec) { halo.exchange(exec); });
  const double pack = one_of_many([&](const ExecSpace& exec) { halo.pack_and_unpack(exec); });
  const auto of_ranks = [&](double value) { return ranks.gather(std::vector<double>{value}); };
  StepPhases phases;
  phases.compute = of_ranks(compute);
  phases.exchange = of_ranks(exchange);
  phases.pack = of_ranks(pack);
  phases.bytes_sent = of_ranks(static_cast<double>(halo.bytes_sent()));
  phases.messages_sent = of_ranks(halo.messages_sent());
  if (!ranks.first()) return {};
  const double busiest = *std::max_element(phases.compute.begin(), phases.compute.end());
  const double sum = std::accumulate(phases.compute.begin(), phases.compute.end(), 0.0);
  phases.exposed = std::max(0.0, steps.step_s - busiest);
  phases.imbalance = busiest * ranks.size() / sum - 1;
  for (const double e : phases.exchange) {
    phases.hidden.push_back(std::max(0.0, e - phases.exposed));
  }
  return phases;
}

}  // namespace tessera::comm
