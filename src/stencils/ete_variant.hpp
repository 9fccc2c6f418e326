// SPDX-License-Identifier: Apache-2.0
// What a variant of the ete family offers: for each configuration a plan and a step, by stencil.
#pragma once

#include "registry.hpp"
#include "stencils/ete.hpp"
#include "tile/space.hpp"

#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::ete {

/// Enqueues one time step of a region on an execution-space instance; neither fences nor allocates.
template <class Real>
using Step = std::function<void(const ExecSpace&, const Fields<Real>&, const Region&)>;

/// Columns that a 16-bit index can name.
inline constexpr int kNarrowColumns = 65536;

/// The seed's number of velocities: what plans are made for where nobody says (VI).
inline constexpr int kSeedColumns = 902;

/// Fills in what every plan of this family shares: the compulsory traffic (p and p- read, p+
/// written, 2 or 4 bytes of index) and the operations.
void add_costs(Plan& plan, int points, const Problem& problem);

class EteVariant : public Variant {
 public:
  EteVariant(std::string variant_name, std::string one_line) {
    family = "ete";
    stencils = {"ete/37pt", "ete/73pt"};
    name = std::move(variant_name);
    summary = std::move(one_line);
    formula = "p+ = 2 sum_j c_j(v) p(x + dx_j) - p-, 37 or 73 points, v by the cell's index";
    survives = "sources and receivers: one step a launch; no absorbing boundary";
  }

  /// Adds a configuration. `launcher(Real{}, Constant<points>{})` makes, for each stencil and each
  /// precision that is built, an object with
  ///   Plan plan(const Region&, const Problem&) const          (Problem::columns is set)
  ///   void step(const ExecSpace&, const Fields<Real>&, const Region&) const
  template <class MakeLauncher>
  void offer(Configuration configuration, const MakeLauncher& launcher) {
    configurations.push_back(std::move(configuration));
    entries_.push_back({entry<37>(launcher), entry<73>(launcher)});
  }

  [[nodiscard]] Plan plan(std::size_t configuration, const Region& region,
                          const Problem& problem) const override;

  /// The whole grid of the seed, a region that streaming variants like.
  [[nodiscard]] std::vector<Region> examples(const std::string& stencil_name) const override;

  /// Advances one region of stencil `points`. The plan must say that it is supported.
  template <class Real>
  void step(std::size_t configuration, int points, const ExecSpace& exec,
            const Fields<Real>& fields, const Region& region) const {
    const EntryPoints& chosen = entries_.at(configuration)[points == 37 ? 0 : 1];
    if constexpr (sizeof(Real) == 4) {
      chosen.step_float(exec, fields, region);
    } else {
      chosen.step_double(exec, fields, region);
    }
  }

 private:
  /// The entry points of one stencil. An absent step means that the precision is not built.
  struct EntryPoints {
    std::function<Plan(const Region&, const Problem&)> plan_float, plan_double;
    Step<float> step_float;
    Step<double> step_double;
  };

  template <int Points, class MakeLauncher>
  static EntryPoints entry(const MakeLauncher& launcher) {
    EntryPoints made;
#if TESSERA_ENABLE_FLOAT
    const auto in_float = launcher(float{}, Constant<Points>{});
    made.plan_float = [in_float](const Region& r, const Problem& p) { return in_float.plan(r, p); };
    made.step_float = [in_float](const ExecSpace& e, const Fields<float>& f, const Region& r) {
      in_float.step(e, f, r);
    };
#endif
#if TESSERA_ENABLE_DOUBLE
    const auto in_double = launcher(double{}, Constant<Points>{});
    made.plan_double = [in_double](const Region& r, const Problem& p) {
      return in_double.plan(r, p);
    };
    made.step_double = [in_double](const ExecSpace& e, const Fields<double>& f, const Region& r) {
      in_double.step(e, f, r);
    };
#endif
    return made;
  }

  std::vector<std::array<EntryPoints, 2>> entries_;
};

}  // namespace tessera::ete
