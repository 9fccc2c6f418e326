// SPDX-License-Identifier: Apache-2.0
#include "program/run/tiles_to_try.hpp"

#include "base/support/console.hpp"
#include "base/support/error.hpp"
#include "program/measure/device.hpp"
#include "program/predict/plans.hpp"
#include "program/predict/predict.hpp"
#include "program/run/report.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace tessera {
namespace {

/// A tile whose modelled traffic is so much above the least of its variant is not tried.
constexpr double kMostTraffic = 2;

/// Elements that a plan moves through caches and device memory, a cell.
double traffic(const Plan& p) { return p.loads + p.stores; }

/// Teams that must be there to use the whole machine: its multiprocessors, or its threads.
std::int64_t units() {
  if constexpr (kOnDevice) return measure::device_properties().units;
  return ExecSpace().concurrency();
}

/// Drops what the plans rule out, and says why, a line each.
void prune_by_plans(const Case& c, std::vector<Selected>& selection, std::FILE* talk) {
  const std::string& decomposition = c.decompositions.front();
  std::map<std::string, double> least;
  std::map<std::string, bool> fills;  // variants of which one configuration has enough teams
  const auto plan_of = [&](const Selected& s) {
    return plan_of_regions(s, c.regions(decomposition), c.problem());
  };
  const std::int64_t wanted = units();
  for (const Selected& s : selection) {
    const Plan p = plan_of(s);
    if (!p.supported()) continue;
    const std::string name = s.variant->full_name();
    const auto [found, is_new] = least.emplace(name, traffic(p));
    if (!is_new) found->second = std::min(found->second, traffic(p));
    fills[name] = fills[name] || p.league >= wanted;
  }
  std::erase_if(selection, [&](const Selected& s) {
    const Plan p = plan_of(s);
    const std::string name = s.variant->full_name();
    std::string why;
    if (!p.supported()) {
      why = "unsupported: " + p.unsupported;
    } else if (fills[name] && p.league < wanted) {
      why = fmt::format("{} teams for {} units", p.league, wanted);
    } else if (traffic(p) > kMostTraffic * least[name]) {
      why = fmt::format("{:.1f} elements a cell, another tile has {:.1f}", traffic(p), least[name]);
    }
    if (!why.empty()) say(talk, "pruned  {:<44} {}\n", s.full_name(), why);
    return !why.empty();
  });
}

}  // namespace

std::vector<Selected> tiles_to_try(Case& c, const std::vector<Selected>& all, std::int64_t steps,
                                   std::FILE* talk) {
  std::vector<Selected> selection = all;
  std::erase_if(selection, [&](const Selected& s) { return !s.variant->computes(c.stencil); });
  require(!selection.empty(), "the selection leaves no variant that computes {}", c.stencil);
  c.steps = std::min(c.steps, steps);
  print_case(c, selection, talk);
  prune_by_plans(c, selection, talk);
  require(!selection.empty(), "nothing that was selected can run here");
  return selection;
}

void prune_by_model(const Case& c, std::vector<Selected>& selection,
                    const machine::Machine& machine, double factor, std::FILE* talk) {
  std::vector<double> predicted;
  const model::MachineModel target = model_for(machine, c);
  for (const Selected& s : selection) {
    const TrafficPrediction p = predict_traffic(c, s, c.decompositions.front(), target);
    predicted.push_back(p.unsupported.empty() ? p.step_s : 0);
  }
  double least = std::numeric_limits<double>::infinity();
  for (const double s : predicted) {
    if (s > 0) least = std::min(least, s);
  }
  std::vector<Selected> left;
  for (std::size_t i = 0; i < selection.size(); ++i) {
    if (predicted[i] <= factor * least) {  // what is not predicted, 0, is kept
      left.push_back(selection[i]);
    } else {
      say(talk, "pruned  {:<44} predicted {:.4g} ms\n", selection[i].full_name(),
          1e3 * predicted[i]);
    }
  }
  say(talk,
      "predicted within {:.4g} of the best: {} of {}; how often the fastest is among them: "
      "tools/model_error.py FOLDER --prune {:.4g}\n",
      factor, left.size(), selection.size(), factor);
  selection = std::move(left);
}

}  // namespace tessera
