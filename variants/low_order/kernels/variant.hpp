// SPDX-License-Identifier: Apache-2.0
// What a variant of the low_order family offers: a plan and a step for each configuration.
#pragma once

#include "base/device/space.hpp"
#include "base/registry/offering_variant.hpp"
#include "base/registry/registry.hpp"
#include "variants/low_order/formula.hpp"

#include <memory>
#include <utility>

namespace tessera::low_order {

/// What a launcher has: a plan of one region, and a step, which enqueues its update and neither
/// fences nor allocates.
///   Plan plan(const Region&, Stencil, const Problem&) const
///   void step(const ExecSpace&, Stencil, const Fields<Real>&, const Region&) const
using PlanOf = Plan(const Region&, Stencil, const Problem&);
template <class Real>
using StepOf = void(const ExecSpace&, Stencil, const Fields<Real>&, const Region&);

/// Loads of one cell through the cache, a value each: what a variant has not kept in registers.
struct CellLoads {
  double aligned = 0;     ///< a warp's values lie on whole lines: the cell itself, y +- 1, z +- 1
  double misaligned = 0;  ///< x +- 1: they straddle lines
};

/// Loads of a cell where nothing is kept (Su 3.1): 5 and 2 for 7pt-1.
[[nodiscard]] CellLoads loads_of_a_cell(Stencil stencil);

/// Loads of a cell where a thread walks `chunk` cells along z and keeps the columns that it will
/// need again (Su 3.5): 3 + 2 / chunk and 2 for 7pt-1. 19pt keeps the columns at x +- 1, y +- 1
/// too.
[[nodiscard]] CellLoads loads_in_chunks(Stencil stencil, int chunk);

/// Fills in what every plan of this family shares: compulsory traffic, flops, the arrays and how
/// far around a cell each is read.
void add_costs(Plan& plan, Stencil stencil);

class LowOrderVariant : public OfferingVariant<PlanOf, StepOf> {
 public:
  explicit LowOrderVariant(VariantFacts facts) : OfferingVariant(std::move(facts)) {
    family = "low_order";
    stencils = stencil_names();
    if (formula.empty())
      formula =
          "7pt-1: u+ = alpha u + beta S; 7pt-2: u+ = alpha gamma + beta S; 7pt-3: u+ = u + gamma + "
          "alpha sum_n (kappa_n + kappa) (u_n - u); 19pt: u+ = alpha gamma + beta S + E; S the six "
          "neighbours' sum, E that of the twelve on edges";
    if (supports.empty()) supports = "fixed boundary values; one step a launch";
  }

 private:
  [[nodiscard]] Plan make_plan(std::size_t configuration, const Region& region,
                               const Problem& problem) const override {
    const Stencil stencil = facts_of(problem.stencil).stencil;
    Plan plan = plan_by_launcher(configuration, region, stencil, problem);
    if (plan.supported()) add_costs(plan, stencil);
    return plan;
  }
};

}  // namespace tessera::low_order
