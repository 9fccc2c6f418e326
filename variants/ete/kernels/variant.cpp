// SPDX-License-Identifier: Apache-2.0
#include "variants/ete/kernels/variant.hpp"

namespace tessera::ete {

std::vector<ArrayUse> arrays_of(int points, const Problem& problem, bool staged) {
  const double index_bytes = problem.columns > kNarrowColumns ? 4 : 2;
  return {{"p", {kR, kR, kR}, true, false, 1, points == 73 || staged},
          {"next", {0, 0, 0}, true, true},
          {"index", {0, 0, 0}, true, false, index_bytes / problem.value_bytes}};
}

void add_costs(Plan& plan, int points, const Problem& problem) {
  const double index_bytes = problem.columns > kNarrowColumns ? 4 : 2;
  plan.minimal_elements = 3 + index_bytes / problem.value_bytes;
  plan.flops = 2.0 * points + 1;
  if (plan.arrays.empty()) plan.arrays = arrays_of(points, problem, plan.scratch_stores > 0);
}

Plan EteVariant::make_plan(std::size_t configuration, const Region& region,
                           const Problem& problem) const {
  const int points = problem.stencil == "ete/37pt" ? 37 : 73;
  const auto& chosen = of_stencil(configuration, points);
  Problem asked = problem;
  if (asked.columns == 0) {  // by default the paper's table, in an isotropic medium
    asked.columns = kPaperColumns;
    asked.isotropic = true;
  }
  Plan made = problem.value_bytes == 4 ? chosen.in<float>().plan(region, asked)
                                       : chosen.in<double>().plan(region, asked);
  if (made.supported()) add_costs(made, points, asked);
  return made;
}

std::vector<Region> EteVariant::examples(const std::string& /*stencil_name*/) const {
  return {{"whole", Update::inner, {0, 936, 0, 328, 0, 328}, {}}};
}

}  // namespace tessera::ete
