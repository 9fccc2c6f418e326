// SPDX-License-Identifier: Apache-2.0
// What a variant of the jacobi family offers: a plan and a step for each configuration, stencil and
// precision.
#pragma once

#include "base/device/grid_barrier.hpp"
#include "base/device/space.hpp"
#include "base/device/team_chain.hpp"
#include "base/registry/plans_only.hpp"
#include "base/registry/registry.hpp"
#include "base/support/precision.hpp"
#include "variants/jacobi/formula.hpp"

#include <fmt/core.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace tessera::jacobi {

/// What a league that stays resident needs besides the fields: a place where teams leave what their
/// neighbours need, and how they wait for each other. Made by who owns the fields, since a step
/// does not allocate.
template <class Real>
struct Resident {
  Real* exchange = nullptr;
  GridBarrier barrier;
  TeamChain chain;
};

/// Enqueues at most `left` time steps, from `from` to `to`, and returns how many; neither fences
/// nor allocates.
template <class Real>
using Step =
    std::function<int(const ExecSpace&, const Fields<Real>&, int left, const Resident<Real>&)>;

/// One configuration for one stencil in one precision.
template <class Real>
struct EntryPoints {
  std::function<Plan(const Extents&, const MachineLimits&)> plan;  ///< of streamed() extents
  Step<Real> step;
  std::function<std::int64_t(const Extents&)> exchange_elements;
};

/// A launcher of what a configuration does not compute.
struct Unsupported {
  std::string reason;
  [[nodiscard]] Plan plan(const Extents&, const MachineLimits&) const {
    return unsupported(reason);
  }
};

/// What a sweep, one step a launch, does to its arrays; of its points those beside a cell straddle
/// lines.
template <class StencilType>
void add_sweep(Plan& plan) {
  constexpr int kR = StencilType::kR, kRy = StencilType::kRy;
  constexpr bool kBox = StencilType::kPoints > 2 * kR * StencilType::kDims + 1;
  if (plan.arrays.empty())
    plan.arrays = {{"u", {kR, kRy, kR}, true, false, 1, kBox}, {"next", {0, 0, 0}, false, true}};
  if (plan.misaligned_loads > 0) return;
  for (const auto& point : StencilType::points()) plan.misaligned_loads += point.x != 0 ? 1 : 0;
}

/// Why streams of the ladder launch natively: VariantFacts::launch.
inline constexpr const char* kLaunchOfStreams =
    "2D: the league is what is resident, and scratch grows with the depth; 3D: teams meet at a "
    "barrier of the device, for which all must be resident";

class JacobiVariant : public Variant {
 public:
  explicit JacobiVariant(VariantFacts facts) : Variant(std::move(facts)) {
    family = "jacobi";
    for_each_stencil([&](auto stencil) { stencils.emplace_back(decltype(stencil)::kName); });
    if (formula.empty()) formula = "u+(c) = sum_j w_j u(c + d_j), w_j > 0, sum_j w_j = 1";
    if (supports.empty()) supports = "fixed boundary values, any number of steps";
  }

  /// Adds a configuration. `launcher(StencilType{}, Real{})` makes, for each stencil and precision
  /// that is built, either Unsupported or an object with
  ///   Plan plan(const Extents& streamed, const MachineLimits&) const
  ///   int step(const ExecSpace&, const Fields<Real>&, int left, const Resident<Real>&) const
  ///   std::int64_t exchange_elements(const Extents& streamed) const
  template <class MakeLauncher>
  void offer(Configuration configuration, const MakeLauncher& launcher) {
    configurations.push_back(std::move(configuration));
    add_entries<true>(entries_, launcher);
  }

  /// Adds the plans of one that this build has no kernels of. On a device plans request what their
  /// kernel takes, and would compile it: there are none of others there.
  template <class MakeLauncher>
  void offer_plan(Configuration configuration, const MakeLauncher& launcher) {
    if constexpr (!kOnDevice) {
      planned.push_back(std::move(configuration));
      add_entries<false>(other_entries_, launcher);
    }
  }

  [[nodiscard]] std::vector<Region> examples(const std::string& stencil_name) const override {
    Box box{0, 512, 0, 512, 0, 512};
    with_stencil(stencil_name, [&](auto stencil) {
      if (decltype(stencil)::kDims == 2) box = {0, 1, 0, 8192, 0, 8192};
    });
    return {{"inner", Update::inner, box, {}}};
  }

  /// Enqueues at most `left` steps of a stencil. The plan must say that it is supported.
  template <class Real>
  int step(std::size_t configuration, const std::string& stencil, const ExecSpace& exec,
           const Fields<Real>& fields, int left, const Resident<Real>& resident) const {
    return entry<Real>(configuration, stencil).step(exec, fields, left, resident);
  }

  /// Elements of Resident::exchange that a step on streamed() extents needs.
  template <class Real>
  [[nodiscard]] std::int64_t exchange_elements(std::size_t configuration,
                                               const std::string& stencil, const Extents& n) const {
    const auto& wanted = entry<Real>(configuration, stencil).exchange_elements;
    return wanted ? wanted(n) : 0;
  }

 private:
  using Entries = std::vector<PerPrecision<EntryPoints>>;  ///< by stencil

  template <bool kKernels, class MakeLauncher>
  static void add_entries(std::vector<Entries>& all, const MakeLauncher& launcher) {
    auto& entries = all.emplace_back();
    for_each_stencil([&](auto stencil) {
      entries.emplace_back([&](auto real) {
        return entry_points<kKernels>(launcher(stencil, real), stencil, real);
      });
    });
  }

  template <bool kKernels, class Launcher, class StencilType, class Real>
  static EntryPoints<Real> entry_points(const Launcher& made, StencilType, Real) {
    EntryPoints<Real> entry;
    entry.plan = [made](const Extents& n, const MachineLimits& machine) {
      Plan p = made.plan(n, machine);
      p.minimal_elements = 2;
      p.flops = StencilType::kFlops;
      if (p.temporal_depth == 1) add_sweep<StencilType>(p);
      return p;
    };
    if constexpr (kKernels && !std::is_same_v<Launcher, Unsupported>) {
      entry.step = step_of(made);
      entry.exchange_elements = [made](const Extents& n) { return made.exchange_elements(n); };
    }
    return entry;
  }

  template <class Real>
  [[nodiscard]] const EntryPoints<Real>& entry(std::size_t configuration,
                                               const std::string& stencil) const {
    const auto i = static_cast<std::size_t>(std::find(stencils.begin(), stencils.end(), stencil) -
                                            stencils.begin());
    return item(entries_, other_entries_, configuration).at(i).template in<Real>();
  }

  [[nodiscard]] Plan make_plan(std::size_t configuration, const Region& region,
                               const Problem& problem) const override {
    Extents n{region.box.nz(), region.box.ny(), region.box.nx()};
    with_stencil(problem.stencil, [&](auto s) { n = streamed(n, decltype(s)::kDims); });
    return problem.value_bytes == 4
               ? entry<float>(configuration, problem.stencil).plan(n, problem.machine)
               : entry<double>(configuration, problem.stencil).plan(n, problem.machine);
  }

  std::vector<Entries> entries_, other_entries_;  ///< by configuration
};

}  // namespace tessera::jacobi
