// SPDX-License-Identifier: Apache-2.0
#include "study/phases.hpp"

#include "machine/statistics.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

namespace tessera {
namespace {

constexpr int kRounds = 5;
constexpr int kExchanges = 20;  // one after another, so that a fence's time is shared by many

/// Median seconds of a call of `body`, which is called by all ranks at once and ends in a fence.
template <class Body>
double seconds_of(const comm::Ranks& ranks, const Body& body) {
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
  return measure::summarise(std::move(samples)).median;
}

}  // namespace

nlohmann::json measure_phases(Case& c, const Selected& how, const std::string& decomposition,
                              double step_s) {
  const comm::Ranks& ranks = c.parallel.ranks;
  if (ranks.alone()) return nlohmann::json::object();
  c.reset(decomposition);
  // 1. The steps of a sample without exchange, and as in a sample no fence between them.
  const std::int64_t made = c.step(ExecSpace(), how, 0, c.steps);  // that one exchange serves
  const std::int64_t whole = c.steps / made * made;
  comm::Halo* halo = c.halo();
  halo->enable(false);
  const double compute = seconds_of(ranks, [&](const ExecSpace& exec) {
    for (std::int64_t i = 0; i < whole; i += made) c.step(exec, how, i, made);
  });
  halo->enable(true);
  // 2. Exchanges alone, and their packing.
  const auto one_of_many = [&](const auto& body) {
    return seconds_of(ranks,
                      [&](const ExecSpace& exec) {
                        for (int i = 0; i < kExchanges; ++i) body(exec);
                      }) /
           kExchanges;
  };
  const double exchange = one_of_many([&](const ExecSpace& exec) { halo->exchange(exec); });
  const double pack = one_of_many([&](const ExecSpace& exec) { halo->pack_and_unpack(exec); });
  const auto steps = static_cast<double>(made);
  const auto of_ranks = [&](double value) { return ranks.gather(std::vector<double>{value}); };
  const std::vector<double> computes = of_ranks(compute / static_cast<double>(whole));
  const std::vector<double> exchanges = of_ranks(exchange / steps);
  const std::vector<double> packs = of_ranks(pack / steps);
  const std::vector<double> bytes = of_ranks(static_cast<double>(halo->bytes_sent()));
  const std::vector<double> messages = of_ranks(halo->messages_sent());
  if (!ranks.first()) return nlohmann::json::object();
  const double busiest = *std::max_element(computes.begin(), computes.end());
  const double mean = std::accumulate(computes.begin(), computes.end(), 0.0) / ranks.size();
  const double exposed = std::max(0.0, step_s - busiest);
  std::vector<double> hidden;
  for (const double e : exchanges) hidden.push_back(std::max(0.0, e - exposed));
  return {{"ranks", ranks.size()},
          {"rank_grid", c.rank_grid().parts()},
          {"transport", halo->transport()},
          {"overlap", c.overlaps()},
          {"steps_per_exchange", made},
          {"compute_s", computes},
          {"pack_s", packs},
          {"exchange_s", exchanges},
          {"exchange_hidden_s", hidden},
          {"exchange_exposed_s", exposed},
          {"imbalance", busiest / mean - 1},
          {"bytes_sent", bytes},
          {"messages_sent", messages}};
}

}  // namespace tessera
