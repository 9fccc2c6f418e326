// SPDX-License-Identifier: Apache-2.0
#include "base/case/phases.hpp"

namespace tessera {

nlohmann::json parallel_json(const comm::RankGrid& grid, const std::string& transport, bool overlap,
                             const comm::StepPhases& phases) {
  nlohmann::json json = {{"ranks", grid.size()},
                         {"rank_grid", grid.parts()},
                         {"transport", transport},
                         {"overlap", overlap}};
  if (phases.compute.empty()) return json;
  json.update({{"compute_s", phases.compute},
               {"pack_s", phases.pack},
               {"exchange_s", phases.exchange},
               {"exchange_hidden_s", phases.hidden},
               {"exchange_exposed_s", phases.exposed},
               {"imbalance", phases.imbalance},
               {"bytes_sent", phases.bytes_sent},
               {"messages_sent", phases.messages_sent}});
  return json;
}

nlohmann::json measure_phases(Case& c, const Selected& how, const std::string& decomposition,
                              double step_s) {
  const comm::Ranks& ranks = c.parallel.ranks;
  if (ranks.alone()) return nlohmann::json::object();
  c.reset(decomposition);
  const std::int64_t made = c.step(ExecSpace(), how, 0, c.steps);  // that one exchange serves
  const std::int64_t whole = c.steps / made * made;
  comm::PhaseSteps steps;
  steps.make = [&](const ExecSpace& exec) {
    for (std::int64_t i = 0; i < whole; i += made) c.step(exec, how, i, made);
  };
  steps.count = static_cast<double>(whole);
  steps.an_exchange = static_cast<double>(made);
  steps.step_s = step_s;
  comm::Halo* halo = c.halo();
  const comm::StepPhases phases = comm::measure_phases(ranks, *halo, steps);
  if (!ranks.first()) return nlohmann::json::object();
  nlohmann::json json = parallel_json(c.rank_grid(), halo->transport(), c.overlaps(), phases);
  json["steps_per_exchange"] = made;
  return json;
}

}  // namespace tessera
