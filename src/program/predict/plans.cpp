// SPDX-License-Identifier: Apache-2.0
#include "program/predict/plans.hpp"

#include "base/case/case.hpp"
#include "base/grid/cell_policy.hpp"
#include "base/support/data_directory.hpp"
#include "program/predict/kernel.hpp"
#include "program/results/machine_file.hpp"

namespace tessera {

Plan plan_of_regions(const Selected& how, const std::vector<Region>& regions,
                     const Problem& problem) {
  Plan total;
  double cells = 0;
  for (const Region& region : regions) {
    Plan p = how.variant->plan(how.configuration, region, problem);
    if (!p.supported()) return p;
    const auto n = static_cast<double>(region.inner_cells() + region.pml_cells());
    const std::int64_t league = total.league + p.league;
    const auto mean = [&](double Plan::*member) {
      return (total.*member * cells + p.*member * n) / (cells + n);
    };
    Plan next = cells == 0 ? p : total;
    next.league = league;
    for (const auto member :
         {&Plan::loads, &Plan::stores, &Plan::scratch_loads, &Plan::scratch_stores,
          &Plan::minimal_elements, &Plan::moved_elements, &Plan::flops}) {
      next.*member = mean(member);
    }
    total = next;
    cells += n;
  }
  return total;
}

Problem example_problem(const Selected& how, const std::string& precision,
                        const MachineLimits& machine) {
  const Variant& v = *how.variant;
  Problem problem{v.stencils.front(), value_bytes(precision)};
  problem.machine = machine;
  for (const std::string& stencil : v.stencils) {
    Problem asked = problem;
    asked.stencil = stencil;
    if (v.plan(how.configuration, v.examples(stencil).front(), asked).supported()) return asked;
  }
  return problem;
}

MachineLimits named_machine(const std::string& machine) {
  if (machine.empty()) return this_machine();
  return model::machine_limits(machine::read_machine(find_input(kMachineFile, machine)));
}

nlohmann::json default_tile(const Plan& plan, const Box& box) {
  if (plan.launch != Launch::cells || plan.tile[0] > 0) return nullptr;
  const auto tile_of = [](const auto& policy) -> nlohmann::json {
    if constexpr (requires { policy.m_tile[2]; }) {  // public, but not documented
      return {policy.m_tile[0], policy.m_tile[1], policy.m_tile[2]};
    }
    return nullptr;
  };
  return tile_of(cells_of(ExecSpace(), box));
}

nlohmann::json to_json(const Plan& plan) {
  const double moved = plan.moved_elements > 0 ? plan.moved_elements : plan.minimal_elements;
  return {{"launch", to_string(plan.launch)},
          {"league", plan.league},
          {"team", plan.team},
          {"scratch_bytes", plan.scratch_bytes},
          {"cached_bytes", plan.cached_bytes},
          {"tile", {plan.tile[0], plan.tile[1], plan.tile[2]}},
          {"halo_cells", plan.halo_cells},
          {"temporal_depth", plan.temporal_depth},
          {"loads_per_cell", plan.loads},
          {"stores_per_cell", plan.stores},
          {"scratch_loads_per_cell", plan.scratch_loads},
          {"scratch_stores_per_cell", plan.scratch_stores},
          {"minimal_elements_per_cell", plan.minimal_elements},
          {"moved_elements_per_cell", moved},
          {"flops_per_cell", plan.flops}};
}

}  // namespace tessera
