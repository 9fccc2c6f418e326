// SPDX-License-Identifier: Apache-2.0
// What a variant of the directional family offers: a plan and a step for each configuration.
#pragma once

#include "base/device/space.hpp"
#include "base/registry/offering_variant.hpp"
#include "base/registry/registry.hpp"
#include "variants/directional/formula.hpp"

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

/// What a launcher has: a plan of one region, and a step, which enqueues its update and neither
/// fences nor allocates.
///   Plan plan(const Region&, const Operator&, const Problem&) const
///   void step(const ExecSpace&, const Cubes<Real>&, const Region&, const Operator&) const
using PlanOf = Plan(const Region&, const Operator&, const Problem&);
template <class Real>
using StepOf = void(const ExecSpace&, const Cubes<Real>&, const Region&, const Operator&);

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

class DirectionalVariant : public OfferingVariant<PlanOf, StepOf> {
 public:
  /// A variant that computes the stencils of these directions, with every radius.
  DirectionalVariant(VariantFacts facts, const std::vector<Directions>& directions)
      : OfferingVariant(std::move(facts)) {
    family = "directional";
    stencils = stencil_names(directions);
    if (formula.empty())
      formula =
          "out = sum over the directions d of (c_0 u + sum_m c_m (u_{+m} + u_{-m})) / h_d^2, m = 1 "
          "... R";
    if (supports.empty()) supports = "nothing more: one pass, one input and one output cube";
  }

 private:
  [[nodiscard]] Plan make_plan(std::size_t configuration, const Region& region,
                               const Problem& problem) const override {
    const Operator op = parse_stencil(problem.stencil);
    Plan plan = plan_by_launcher(configuration, region, op, problem);
    add_costs(plan, op);
    return plan;
  }
};

}  // namespace tessera::directional
