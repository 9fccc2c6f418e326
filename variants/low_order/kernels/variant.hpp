// SPDX-License-Identifier: Apache-2.0
// What a variant of the low_order family offers: a plan and a step for each configuration.
#pragma once

#include "base/device/space.hpp"
#include "base/registry/plans_only.hpp"
#include "base/registry/registry.hpp"
#include "base/support/precision.hpp"
#include "variants/low_order/formula.hpp"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace tessera::low_order {

/// Enqueues one step of one region on an execution-space instance; neither fences nor allocates.
template <class Real>
using Step = std::function<void(const ExecSpace&, Stencil, const Fields<Real>&, const Region&)>;

/// Host-only plan of one region.
using PlanFunction = std::function<Plan(const Region&, Stencil, const Problem&)>;

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

class LowOrderVariant : public Variant {
 public:
  explicit LowOrderVariant(VariantFacts facts) : Variant(std::move(facts)) {
    family = "low_order";
    stencils = stencil_names();
    if (formula.empty())
      formula =
          "7pt-1: u+ = alpha u + beta S; 7pt-2: u+ = alpha gamma + beta S; 7pt-3: u+ = u + gamma + "
          "alpha sum_n (kappa_n + kappa) (u_n - u); 19pt: u+ = alpha gamma + beta S + E; S the six "
          "neighbours' sum, E that of the twelve on edges";
    if (supports.empty()) supports = "fixed boundary values; one step a launch";
  }

  /// Adds a configuration. `launcher(Real{})` makes, for each precision that is built, an object
  /// with
  ///   Plan plan(const Region&, Stencil, const Problem&) const
  ///   void step(const ExecSpace&, Stencil, const Fields<Real>&, const Region&) const
  template <class MakeLauncher>
  void offer(Configuration configuration, const MakeLauncher& launcher) {
    configurations.push_back(std::move(configuration));
    plans_.push_back(plan_of(launcher));
    steps_.emplace_back([&](auto real) { return step_of(launcher(real)); });
  }

  /// Adds the plans of one that this build has no kernels of.
  template <class MakeLauncher>
  void offer_plan(Configuration configuration, const MakeLauncher& launcher) {
    planned.push_back(std::move(configuration));
    other_plans_.push_back(plan_of(launcher));
  }

  /// Updates one region. The plan must say that it is supported.
  template <class Real>
  void step(std::size_t configuration, const ExecSpace& exec, Stencil stencil,
            const Fields<Real>& fields, const Region& region) const {
    steps_.at(configuration).template in<Real>()(exec, stencil, fields, region);
  }

 private:
  template <class MakeLauncher>
  [[nodiscard]] static PlanFunction plan_of(const MakeLauncher& launcher) {
    return
        [made = launcher(float{})](const Region& region, Stencil stencil, const Problem& problem) {
          Plan plan = made.plan(region, stencil, problem);
          if (plan.supported()) add_costs(plan, stencil);
          return plan;
        };
  }

  [[nodiscard]] Plan make_plan(std::size_t configuration, const Region& region,
                               const Problem& problem) const override {
    return item(plans_, other_plans_, configuration)(region, facts_of(problem.stencil).stencil,
                                                     problem);
  }

  std::vector<PlanFunction> plans_, other_plans_;
  std::vector<PerPrecision<Step>> steps_;
};

}  // namespace tessera::low_order
