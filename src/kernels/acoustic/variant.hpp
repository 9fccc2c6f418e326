// SPDX-License-Identifier: Apache-2.0
// What a variant of the acoustic family offers: a plan and a step for each configuration.
#pragma once

#include "device/space.hpp"
#include "registry/registry.hpp"
#include "stencils/acoustic/formula.hpp"
#include "support/precision.hpp"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace tessera::acoustic {

/// Enqueues the update of one region on an execution-space instance; neither fences nor allocates.
template <class Real>
using Step = std::function<void(const ExecSpace&, const Fields<Real>&, const Region&)>;

/// Host-only plan of one region with elements of `value_bytes` bytes.
using PlanFunction = std::function<Plan(const Region&, int value_bytes)>;

/// Fills in what every plan of this family shares: minimal traffic (u, u-, vp read, u+ written;
/// in the PML also phi read and written and eta read) and the paper's flop counts, averaged over
/// the region's cells.
void add_region_costs(Plan& plan, const Region& region);

class AcousticVariant : public Variant {
 public:
  explicit AcousticVariant(VariantFacts facts) : Variant(std::move(facts)) {
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

  /// Adds a configuration. `launcher(Real{})` makes, for each precision that is built, an object
  /// with
  ///   Plan plan(const Region&, int value_bytes) const
  ///   void step(const ExecSpace&, const Fields<Real>&, const Region&) const
  template <class MakeLauncher>
  void offer(Configuration configuration, const MakeLauncher& launcher) {
    configurations.push_back(std::move(configuration));
    plans_.push_back([made = launcher(float{})](const Region& region, int bytes) {
      Plan plan = made.plan(region, bytes);
      add_region_costs(plan, region);
      return plan;
    });
    steps_.emplace_back([&](auto real) { return step_of(launcher(real)); });
  }

  /// The inner region, and a slab of the layers as thick as the paper's.
  [[nodiscard]] std::vector<Region> examples(const std::string& stencil_name) const override {
    std::vector<Region> regions = Variant::examples(stencil_name);
    regions.push_back({"pml", Update::pml, {0, 27, 0, 512, 0, 512}, {}});
    return regions;
  }

  /// Updates one region. The plan must say that it is supported.
  template <class Real>
  void step(std::size_t configuration, const ExecSpace& exec, const Fields<Real>& fields,
            const Region& region) const {
    steps_.at(configuration).template in<Real>()(exec, fields, region);
  }

 private:
  [[nodiscard]] Plan make_plan(std::size_t configuration, const Region& region,
                               const Problem& problem) const override {
    return plans_.at(configuration)(region, problem.value_bytes);
  }

  std::vector<PlanFunction> plans_;
  std::vector<PerPrecision<Step>> steps_;
};

}  // namespace tessera::acoustic
