// SPDX-License-Identifier: Apache-2.0
// What a variant of the directional family offers: a plan and a step for each configuration.
#pragma once

#include "base/device/space.hpp"
#include "base/registry/plans_only.hpp"
#include "base/registry/registry.hpp"
#include "base/support/precision.hpp"
#include "variants/directional/formula.hpp"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace tessera::directional {

/// The directions and radii that a kernel is compiled for.
template <Directions... D>
struct Along {
  /// Calls body(direction) with the one that equals `wanted`; false where there is none.
  template <class Body>
  static bool with(Directions wanted, const Body& body) {
    return ((D == wanted && (body(std::integral_constant<Directions, D>{}), true)) || ...);
  }
};
template <int... R>
struct Radii {
  template <class Body>
  static bool with(int wanted, const Body& body) {
    return ((R == wanted && (body(Constant<R>{}), true)) || ...);
  }
};
using AllRadii = Radii<1, 2, 3, 4, 5, 6, 7, 8>;
using AllDirections =
    Along<Directions::x, Directions::y, Directions::z, Directions::xy, Directions::xyz>;

/// Enqueues one pass over a region on an execution-space instance; neither fences nor allocates.
template <class Real>
using Step =
    std::function<void(const ExecSpace&, const Cubes<Real>&, const Region&, const Operator&)>;

/// Host-only plan of one region.
using PlanFunction = std::function<Plan(const Region&, const Operator&, const Problem&)>;

/// Fills in what every plan of this family shares: the input read, as far around as the directions
/// go, and the output written; operations.
inline void add_costs(Plan& plan, const Operator& op) {
  const auto along = [&](Directions d) { return has(op.directions, d) ? op.radius : 0; };
  plan.minimal_elements = 2;
  plan.flops = flops(op);
  plan.arrays = {{"in", {along(Directions::x), along(Directions::y), along(Directions::z)}},
                 {"out", {0, 0, 0}, false, true}};
}

/// Why variants launch natively: VariantFacts::launch.
inline constexpr const char* kLaunchOfShortTeams =
    "teams that live for a tile: docs/kokkos.md has what a TeamPolicy costs them";

class DirectionalVariant : public Variant {
 public:
  /// A variant that computes the stencils of these directions, with every radius.
  DirectionalVariant(VariantFacts facts, const std::vector<Directions>& directions)
      : Variant(std::move(facts)) {
    family = "directional";
    stencils = stencil_names(directions);
    if (formula.empty())
      formula =
          "out = sum over the directions d of (c_0 u + sum_m c_m (u_{+m} + u_{-m})) / h_d^2, m = 1 "
          "... R";
    if (supports.empty()) supports = "nothing more: one pass, one input and one output cube";
  }

  /// Adds a configuration. `launcher(Real{})` makes, for each precision that is built, an object
  /// with
  ///   Plan plan(const Region&, const Operator&, const Problem&) const
  ///   void step(const ExecSpace&, const Cubes<Real>&, const Region&, const Operator&) const
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

  /// One pass over a region. The plan must say that it is supported.
  template <class Real>
  void step(std::size_t configuration, const ExecSpace& exec, const Cubes<Real>& cubes,
            const Region& region, const Operator& op) const {
    steps_.at(configuration).template in<Real>()(exec, cubes, region, op);
  }

 private:
  template <class MakeLauncher>
  [[nodiscard]] static PlanFunction plan_of(const MakeLauncher& launcher) {
    return [made = launcher(float{})](const Region& region, const Operator& op,
                                      const Problem& problem) {
      Plan plan = made.plan(region, op, problem);
      add_costs(plan, op);
      return plan;
    };
  }

  [[nodiscard]] Plan make_plan(std::size_t configuration, const Region& region,
                               const Problem& problem) const override {
    return item(plans_, other_plans_, configuration)(region, parse_stencil(problem.stencil),
                                                     problem);
  }

  std::vector<PlanFunction> plans_, other_plans_;
  std::vector<PerPrecision<Step>> steps_;
};

}  // namespace tessera::directional
