// SPDX-License-Identifier: Apache-2.0
// A variant that keeps what its configurations offer: a plan and, in each precision, a step.
#pragma once

#include "base/device/space.hpp"
#include "base/registry/plans_only.hpp"
#include "base/registry/variant.hpp"
#include "base/support/precision.hpp"

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace tessera {

/// `PlanOf` and `StepOf<Real>` are the family's signatures: what a launcher's plan() takes and
/// returns, host-only, and what step() takes, which enqueues on an execution-space instance and
/// neither fences nor allocates.
template <class PlanOf, template <class Real> class StepOf>
class OfferingVariant : public Variant {
 public:
  using Variant::Variant;

  /// Adds a configuration. `launcher(Real{})` makes, for each precision that is built, an object
  /// with plan() and step().
  template <class MakeLauncher>
  void offer(Configuration configuration, const MakeLauncher& launcher) {
    configurations.push_back(std::move(configuration));
    plans_.push_back(plan_of(launcher(float{})));
    steps_.emplace_back([&](auto real) { return step_of(launcher(real)); });
  }

  /// Adds the plans of one that this build has no kernels of.
  template <class MakeLauncher>
  void offer_plan(Configuration configuration, const MakeLauncher& launcher) {
    planned.push_back(std::move(configuration));
    other_plans_.push_back(plan_of(launcher(float{})));
  }

  /// Makes a step. The plan must say that it is supported.
  template <class Real, class... Arguments>
  void step(std::size_t configuration, const ExecSpace& exec, const Arguments&... arguments) const {
    steps_.at(configuration).template in<Real>()(exec, arguments...);
  }

 protected:
  template <class... Arguments>
  [[nodiscard]] Plan plan_by_launcher(std::size_t configuration,
                                      const Arguments&... arguments) const {
    return item(plans_, other_plans_, configuration)(arguments...);
  }

 private:
  template <class Real>
  using Step = std::function<StepOf<Real>>;

  template <class Launcher>
  [[nodiscard]] static std::function<PlanOf> plan_of(const Launcher& launcher) {
    return [launcher](const auto&... arguments) { return launcher.plan(arguments...); };
  }

  std::vector<std::function<PlanOf>> plans_, other_plans_;
  std::vector<PerPrecision<Step>> steps_;
};

}  // namespace tessera
