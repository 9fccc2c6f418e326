// SPDX-License-Identifier: Apache-2.0
// What a variant of the ete family offers: for each configuration a plan and a step, by stencil.
#pragma once

#include "base/device/space.hpp"
#include "base/registry/plans_only.hpp"
#include "base/registry/registry.hpp"
#include "base/support/precision.hpp"
#include "variants/ete/formula.hpp"

#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::ete {

/// Enqueues one time step of a region on an execution-space instance; neither fences nor allocates.
template <class Real>
using Step = std::function<void(const ExecSpace&, const Fields<Real>&, const Region&)>;

/// Whether a variant offers more device tiles than the few: on a host's binary, which only plans
/// them, always.
inline constexpr bool kAllDeviceTiles = !kFewConfigurations || !kOnDevice;

/// Columns that a 16-bit index can name.
inline constexpr int kNarrowColumns = 65536;

/// The paper's number of velocities: what plans assume by default (VI).
inline constexpr int kPaperColumns = 902;

/// Fills in what every plan of this family shares: the compulsory traffic (p and p- read, p+
/// written, 2 or 4 bytes of index), the operations, the arrays and how far around a cell
/// each is read. Coefficients are loads alone: the table lies in the cache next to the registers or
/// in scratch, except for Plan::l2_table.
void add_costs(Plan& plan, int points, const Problem& problem);

/// The arrays of a sweep, and how far around a cell each is read. 73 points lie on the diagonals of
/// the coordinate planes as far out as on the axes; of 37 points only the nearest do, which the
/// halo of the axes has. Planes that are staged in scratch have their corners. p+ is written over
/// p-.
[[nodiscard]] std::vector<ArrayUse> arrays_of(int points, const Problem& problem, bool staged);

/// Why variants launch natively: VariantFacts::launch.
inline constexpr const char* kLaunchWithTable =
    "a table in scratch is as large as there are velocities";

class EteVariant : public Variant {
 public:
  explicit EteVariant(VariantFacts facts) : Variant(std::move(facts)) {
    family = "ete";
    stencils = {"ete/37pt", "ete/73pt"};
    if (formula.empty())
      formula = "p+ = 2 sum_j c_j(v) p(x + dx_j) - p-, 37 or 73 points, v by the cell's index";
    if (supports.empty())
      supports = "sources and receivers: one step a launch; no absorbing boundary";
  }

  /// Adds a configuration. `launcher(Real{}, Constant<points>{})` makes, for each stencil and each
  /// precision that is built, an object with
  ///   Plan plan(const Region&, const Problem&) const          (Problem::columns is set)
  ///   void step(const ExecSpace&, const Fields<Real>&, const Region&) const
  template <class MakeLauncher>
  void offer(Configuration configuration, const MakeLauncher& launcher) {
    configurations.push_back(std::move(configuration));
    entries_.push_back({entries<37>(launcher), entries<73>(launcher)});
  }

  /// Adds the plans of one that this build has no kernels of.
  template <class MakeLauncher>
  void offer_plan(Configuration configuration, const MakeLauncher& launcher) {
    planned.push_back(std::move(configuration));
    other_entries_.push_back({entries<37, false>(launcher), entries<73, false>(launcher)});
  }

  /// The whole grid of the paper, a region that streaming variants like.
  [[nodiscard]] std::vector<Region> examples(const std::string& stencil_name) const override;

  /// Advances one region of stencil `points`. The plan must say that it is supported.
  template <class Real>
  void step(std::size_t configuration, int points, const ExecSpace& exec,
            const Fields<Real>& fields, const Region& region) const {
    of_stencil(configuration, points).template in<Real>().step(exec, fields, region);
  }

 private:
  template <class Real>
  struct EntryPoints {
    std::function<Plan(const Region&, const Problem&)> plan;
    Step<Real> step;
  };

  template <int Points, bool kKernels = true, class MakeLauncher>
  static PerPrecision<EntryPoints> entries(const MakeLauncher& launcher) {
    return PerPrecision<EntryPoints>([&](auto real) {
      const auto made = launcher(real, Constant<Points>{});
      EntryPoints<decltype(real)> entry;
      entry.plan = [made](const Region& region, const Problem& problem) {
        return made.plan(region, problem);
      };
      if constexpr (kKernels) entry.step = step_of(made);
      return entry;
    });
  }

  [[nodiscard]] const PerPrecision<EntryPoints>& of_stencil(std::size_t configuration,
                                                            int points) const {
    return item(entries_, other_entries_, configuration)[points == 37 ? 0 : 1];
  }

  [[nodiscard]] Plan make_plan(std::size_t configuration, const Region& region,
                               const Problem& problem) const override;

  std::vector<std::array<PerPrecision<EntryPoints>, 2>> entries_, other_entries_;
};

}  // namespace tessera::ete
