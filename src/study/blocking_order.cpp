// SPDX-License-Identifier: Apache-2.0
#include "study/blocking_order.hpp"

#include "study/predict.hpp"

#include <algorithm>

namespace tessera {

std::vector<OrderedTile> order_blocking(const Registry& variants, const std::string& stencil,
                                        const measure::Machine& machine,
                                        const std::string& precision) {
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
      all.push_back({how, plan.temporal_depth, plan.barriers > 0, cells / blocked_step_s(p, cells),
                     p.attainable->cells_per_s, by_bound ? p.attainable->bottleneck : p.binding,
                     by_bound});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const OrderedTile& a, const OrderedTile& b) {
    return a.cells_per_s > b.cells_per_s;
  });
  return all;
}

}  // namespace tessera
