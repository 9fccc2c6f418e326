// SPDX-License-Identifier: Apache-2.0
#include "program/predict/blocking_order.hpp"

#include "base/support/console.hpp"
#include "program/predict/kernel.hpp"
#include "program/predict/predict.hpp"
#include "program/results/result_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tessera {
namespace {

double gcells(double cells_per_s) { return cells_per_s / 1e9; }

/// Equation (21), of the tiles that there are.
void print_tilings(const std::vector<OrderedTile>& order) {
  const auto best = [&](bool device_tiling) {
    return std::find_if(order.begin(), order.end(), [&](const OrderedTile& tile) {
      return tile.device_tiling == device_tiling;
    });
  };
  const auto sm = best(false), device = best(true);
  if (sm == order.end() || device == order.end()) return;
  const bool turns = sm < device;
  say("     {}: {} {} {}\n", turns ? "(21) turns round" : "(21) holds",
      (turns ? sm : device)->how.full_name(),
      turns ? "overlaps, and is ahead of the device tiling of"
            : "is a device tiling, and ahead of the overlapping",
      (turns ? device : sm)->how.full_name());
}

}  // namespace

BlockingOrder order_blocking(const Registry& variants, const std::string& stencil,
                             const machine::Machine& machine, const std::string& precision) {
  if (std::string missing = model::missing_for_model(machine); !missing.empty()) {
    return {{}, std::move(missing)};
  }
  const model::MachineModel target = model_for(machine, precision);
  Problem problem{stencil, value_bytes(precision)};
  problem.machine = target.machine;
  const auto registers = [](const Region&) { return 0; };
  std::vector<OrderedTile> all;
  for (const auto& variant : variants.variants()) {
    if (variant->family != "jacobi" || !variant->computes(stencil)) continue;
    const std::vector<Region> regions = variant->examples(stencil);
    const auto cells = static_cast<double>(regions.front().box.cells());
    const std::size_t count = variant->configurations.size() + variant->planned.size();
    for (std::size_t i = 0; i < count; ++i) {
      const Selected how{variant.get(), i};
      const TrafficPrediction p = predict_regions(how, regions, problem, cells, target, registers);
      if (!p.unsupported.empty() || !p.attainable) continue;
      const Plan plan = variant->plan(i, regions.front(), problem);
      const bool by_bound = p.step_s <= 0;
      const std::string& binding = by_bound ? p.attainable->bottleneck : p.binding;
      all.push_back({how, plan.temporal_depth, plan.barriers > 0, cells / blocked_step_s(p, cells),
                     p.attainable->cells_per_s, binding,
                     results::stage_words(binding, p.model, machine.kind == "cpu"), by_bound});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const OrderedTile& a, const OrderedTile& b) {
    return a.cells_per_s > b.cells_per_s;
  });
  const std::string none =
      all.empty() ? fmt::format("no tile of it runs on a {}", machine.name) : "";
  return {std::move(all), none};
}

nlohmann::json to_json(const BlockingOrder& order) {
  nlohmann::json all = nlohmann::json::array();
  for (const OrderedTile& tile : order.tiles) {
    all.push_back({{"name", tile.how.full_name()},
                   {"temporal_depth", tile.depth},
                   {"device_tiling", tile.device_tiling},
                   {"predicted_gcell_per_s", gcells(tile.cells_per_s)},
                   {"attainable_gcell_per_s", gcells(tile.attainable_s)},
                   {"binding", tile.binding},
                   {"by", tile.by_bound ? "bound" : "model"}});
  }
  return all;
}

void print(const BlockingOrder& order) {
  constexpr std::size_t kMost = 6;
  const std::vector<OrderedTile>& tiles = order.tiles;
  if (tiles.empty()) {
    say("\n  6. what this code has is in no order: {}\n", order.none);
    return;
  }
  say("\n  6. by {}, what this code has, the fastest of {} first (docs/model.md)\n",
      tiles.front().by_bound ? "the practical share of the bound" : "the prediction", tiles.size());
  for (std::size_t i = 0; i < std::min(kMost, tiles.size()); ++i) {
    const OrderedTile& tile = tiles[i];
    say("     {:<40} t = {:<2}  {:>6.0f} GCell/s, attainable {:.0f}; {} binds\n",
        tile.how.full_name(), tile.depth, gcells(tile.cells_per_s), gcells(tile.attainable_s),
        tile.held_by);
  }
  print_tilings(tiles);
}

}  // namespace tessera
