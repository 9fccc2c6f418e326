// SPDX-License-Identifier: Apache-2.0
// What a variant of the acoustic family offers: a plan and a step for each configuration.
#pragma once

#include "base/device/space.hpp"
#include "base/registry/offering_variant.hpp"
#include "base/registry/registry.hpp"
#include "variants/acoustic/formula.hpp"
#include "variants/acoustic/kernels/pass.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tessera::acoustic {

/// What a launcher has: a plan of one region, and a step, which enqueues its update and neither
/// fences nor allocates.
///   Plan plan(const Region&, const Problem&) const
///   void step(const ExecSpace&, const Fields<Real>&, const Region&) const
using PlanOf = Plan(const Region&, const Problem&);
template <class Real>
using StepOf = void(const ExecSpace&, const Fields<Real>&, const Region&);

/// Enqueues a pass: in place of the whole grid, out of place of a box of inner cells, pass_box() of
/// the inner region or a part of it.
template <class Real>
using Pass = std::function<void(const ExecSpace&, const PassFields<Real>&, const Box&)>;

/// Fills in what every plan of this family shares: minimal traffic (u, u-, vp read, u+ written;
/// in the PML also phi read and written and eta read) and the paper's flop counts, averaged over
/// the region's cells.
void add_region_costs(Plan& plan, const Region& region);

class AcousticVariant : public OfferingVariant<PlanOf, StepOf> {
 public:
  bool eta_by_profiles = false;       ///< reads eta from its profiles, not from the field
  bool host_eta_by_profiles = false;  ///< the same, on hosts alone
  bool reads_vp_index = false;        ///< can read vp by its index

  explicit AcousticVariant(VariantFacts facts) : OfferingVariant(std::move(facts)) {
    family = "acoustic";
    stencils = {"acoustic/iso25"};
    if (formula.empty())
      formula =
          "u+ = 2u - u- + vp L(u) inside; in the PML u+ = [(2 - eta^2 + 2 eta) u - u- + vp (L(u) + "
          "phi)] / (1 + 2 eta) and phi+ = [phi - sum_d (eta_{+d} - eta_{-d}) (u_{+d} - u_{-d}) / "
          "(4 "
          "h_d^2)] / (1 + eta); L 8th order, 25 points";
    if (supports.empty()) supports = "PML, sources and receivers: one step a launch";
  }

  /// offer() of a configuration that also makes several steps a pass: the object has, besides,
  ///   void pass(const ExecSpace&, const PassFields<Real>&, const Box&) const
  template <class MakeLauncher>
  void offer_pass(Configuration configuration, const PassShape& shape,
                  const MakeLauncher& launcher) {
    passes_[configuration.text] = PerPrecision<Pass>([&](auto real) {
      return [made = launcher(real)](const auto&... arguments) { made.pass(arguments...); };
    });
    shapes_[configuration.text] = shape;
    offer(std::move(configuration), launcher);
  }

  /// offer_plan() of such a configuration.
  template <class MakeLauncher>
  void offer_pass_plan(Configuration configuration, const PassShape& shape,
                       const MakeLauncher& launcher) {
    shapes_[configuration.text] = shape;
    offer_plan(std::move(configuration), launcher);
  }

  /// The inner region, and a slab of the layers as thick as the paper's.
  [[nodiscard]] std::vector<Region> examples(const std::string& stencil_name) const override {
    std::vector<Region> regions = Variant::examples(stencil_name);
    regions.push_back({"pml", Update::pml, {0, kPaperLayer, 0, 512, 0, 512}, {}});
    return regions;
  }

  /// The pass of a configuration; of one step where it has none.
  [[nodiscard]] const PassShape& pass_shape(std::size_t configuration) const {
    static constexpr PassShape kNone;
    const auto found = shapes_.find(this->configuration(configuration).text);
    return found == shapes_.end() ? kNone : found->second;
  }
  /// Makes a pass, where there is one. The plans of the regions must say that it is supported.
  template <class Real>
  void pass(std::size_t configuration, const ExecSpace& exec, const PassFields<Real>& fields,
            const Box& box) const {
    passes_.at(this->configuration(configuration).text).template in<Real>()(exec, fields, box);
  }

 private:
  /// u, u-, vp and u+, and in the PML phi twice, and eta; of several steps at once the last two are
  /// written.
  void add_moved_elements(Plan& plan, const Region& region, const Problem& problem) const {
    const double share = pml_share(region);
    const double vp = problem.indexed_vp ? 2.0 / problem.value_bytes : 1;
    const bool profiles = eta_by_profiles || (host_eta_by_profiles && !problem.machine.on_device());
    const int steps = plan.temporal_depth;
    const double inner = ((steps > 1 ? 4 : 3) + vp) / steps;
    const double pml = inner + (profiles ? 2.0 : 3.0) / steps;
    plan.moved_elements = (1 - share) * inner + share * pml;
  }

  [[nodiscard]] Plan make_plan(std::size_t configuration, const Region& region,
                               const Problem& problem) const override {
    if (problem.indexed_vp && !reads_vp_index) {
      return unsupported("reads vp from its field: acoustic.vp_storage = \"field\"");
    }
    if (problem.convolutional_layers) return plan_beside_layers(configuration, region, problem);
    Plan plan = plan_by_launcher(configuration, region, problem);
    add_region_costs(plan, region);
    if (plan.supported()) add_moved_elements(plan, region, problem);
    return plan;
  }

  /// Convolutional layers: the inner formula everywhere, and a launch of their own in the layers.
  [[nodiscard]] Plan plan_beside_layers(std::size_t configuration, const Region& region,
                                        const Problem& problem) const {
    if (pass_shape(configuration).steps > 1) {
      return unsupported("makes several steps a pass: acoustic.layers = \"paper\"");
    }
    if (region.update == Update::shell) {
      return unsupported(
          "acoustic.layers = \"convolutional\" takes acoustic.decomposition = \"seven\" or "
          "\"single\"");
    }
    const Region all{region.name, Update::inner, region.box, {}};
    Plan plan = plan_by_launcher(configuration, all, problem);
    add_region_costs(plan, all);
    if (!plan.supported()) return plan;
    add_moved_elements(plan, all, problem);
    const double share = pml_share(region);
    plan.minimal_elements += kAbsorbElements * share;
    plan.moved_elements += kAbsorbElements * share;
    plan.flops += kFlopsAbsorb * share;
    plan.arrays.push_back({"psi", {0, 0, 0}, true, true, share});
    plan.arrays.push_back({"zeta", {0, 0, 0}, true, true, share});
    return plan;
  }

  std::map<std::string, PassShape> shapes_;  // by a configuration's text
  std::map<std::string, PerPrecision<Pass>> passes_;
};

}  // namespace tessera::acoustic
