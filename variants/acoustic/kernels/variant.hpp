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
#include <type_traits>
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

/// Lists of formats (formula.hpp). A build of few tiles has kernels of half and block16 alone.
template <class... Format>
struct Formats {};
using SingleFormats = Formats<StoredHalf, StoredDifference, StoredBHalf, StoredFloat24>;
using AllFormats = Formats<StoredHalf, StoredDifference, StoredBHalf, StoredFloat24, StoredBlock16>;
template <class Format>
inline constexpr bool kBuiltFormat = !kFewConfigurations || std::is_same_v<Format, StoredHalf> ||
                                     std::is_same_v<Format, StoredBlock16>;

/// Enqueues a pass: in place of the whole grid, out of place of a box of inner cells, pass_box() of
/// the inner region or a part of it.
template <class Real>
using Pass = std::function<void(const ExecSpace&, const PassFields<Real>&, const Box&)>;

/// Fills in what every plan of this family shares: minimal traffic (u, u-, vp read, u+ written;
/// in the PML also phi read and written and eta read) and the paper's flop counts, averaged over
/// the region's cells. `vp`: the part of an element that a value of vp takes; `eta_by_profiles`:
/// three profiles of eta take the place of its array.
void add_region_costs(Plan& plan, const Region& region, double vp, bool eta_by_profiles);

/// Makes a plan one of fields in a format: u, u- and u+ take its share of an element each, vp half
/// of one, and a difference is written as well; on a device conversions take instructions.
void add_storage(Plan& plan, const Problem& problem);

class AcousticVariant : public OfferingVariant<PlanOf, StepOf> {
 public:
  bool eta_by_profiles = false;       ///< reads eta from its profiles, not from the field
  bool host_eta_by_profiles = false;  ///< the same, on hosts alone
  bool reads_vp_index = false;        ///< can read vp by its index
  bool reads_vp_steps = false;        ///< and in equal steps of 16 bits
  bool inner_alone = false;  ///< its teams keep together in the inner region: nothing beside it

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

  /// Offers what has been offered as `text` in formats other than plain, too: `made.step()` takes
  /// fields of each. Of those that are not built there are plans; `kAll`: all are.
  template <bool kAll = false, class Launcher, class... Format>
  void offer_stored(const std::string& text, const Launcher& made, Formats<Format...> formats) {
    offer_stored_plan(text, formats);
    const auto offer_in = [&](auto format) {
      using Of = decltype(format);
      if constexpr (precision_is_built(sizeof(float)) && (kAll || kBuiltFormat<Of>)) {
        stored_[{Of::kStorage, text}] = [made](const ExecSpace& exec, const StoredFields& fields,
                                               const Region& region) {
          made.step(exec, fields.as<Of>(), region);
        };
      }
    };
    (offer_in(Format{}), ...);
  }
  /// The same of a configuration that makes passes: `made.pass()` takes fields of each, too.
  template <bool kAll = false, class Launcher, class... Format>
  void offer_stored_pass(const std::string& text, const Launcher& made,
                         Formats<Format...> formats) {
    offer_stored<kAll>(text, made, formats);
    const auto offer_in = [&](auto format) {
      using Of = decltype(format);
      if constexpr (precision_is_built(sizeof(float)) && (kAll || kBuiltFormat<Of>)) {
        stored_passes_[{Of::kStorage, text}] = [made](const ExecSpace& exec, const StoredPass& pass,
                                                      const Box& box) {
          made.pass(exec, pass.as<Of>(), box);
        };
      }
    };
    (offer_in(Format{}), ...);
  }
  template <class... Format>
  void offer_stored_plan(const std::string& text, Formats<Format...>) {
    (stored_[{Format::kStorage, text}], ...);
  }
  /// Makes a step of fields in a format. The plan must say that it is supported.
  void step_stored(Storage storage, std::size_t configuration, const ExecSpace& exec,
                   const StoredFields& fields, const Region& region) const {
    stored_.at({storage, this->configuration(configuration).text})(exec, fields, region);
  }

  /// Makes a pass of fields in a format, under the same condition.
  void pass_stored(Storage storage, std::size_t configuration, const ExecSpace& exec,
                   const StoredPass& fields, const Box& box) const {
    stored_passes_.at({storage, this->configuration(configuration).text})(exec, fields, box);
  }

  /// Why a configuration cannot keep its fields in the problem's format here; empty where it can.
  [[nodiscard]] std::string refused_storage(std::size_t configuration,
                                            const Problem& problem) const {
    if (problem.storage == Storage::plain) return {};
    if (problem.value_bytes != 4) return "16 bits store floats: case.precision = \"float\"";
    if (problem.convolutional_layers && problem.storage == Storage::block16)
      return "acoustic.storage = \"block16\" is for acoustic.layers = \"paper\"";
    if (problem.vp_beside == VpStorage::index)
      return "has vp in 16 bits in equal steps: acoustic.vp_storage = \"linear\" or \"field\"";
    const std::string& text = this->configuration(configuration).text;
    const auto found = stored_.find({problem.storage, text});
    if (found == stored_.end()) {
      std::string taken = "\"plain\"";
      for (const Storage storage : kStorages)
        if (stored_.count({storage, text}) > 0)
          taken.append(", \"").append(to_string(storage)) += '"';
      return "takes acoustic.storage = " + taken;
    }
    const bool built = found->second || !problem.machine.here;
    return built ? ""
                 : "a build of few tiles has acoustic.storage = \"half\" and \"block16\" alone";
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
  using StoredStep = std::function<void(const ExecSpace&, const StoredFields&, const Region&)>;

  /// The part of an element that a value of vp takes.
  [[nodiscard]] static double vp_share(const Problem& problem) {
    return problem.vp_beside == VpStorage::field ? 1 : 2.0 / problem.value_bytes;
  }
  /// What convolutional layers move of a cell of a face: in a format u and u+ its share, vp half.
  [[nodiscard]] static double absorbed_elements(Storage storage) {
    if (storage == Storage::plain) return kAbsorbElements;
    const int waves =
        keeps_difference(storage) ? 4 : 3;  // the difference twice, then no u+ is read
    return kAbsorbElements - 4 + 0.5 + waves * stored_share(storage);
  }
  [[nodiscard]] bool profiles(const Problem& problem) const {
    return eta_by_profiles || (host_eta_by_profiles && !problem.machine.on_device());
  }

  /// u, u-, vp and u+, and in the PML phi twice, and eta; of several steps at once the last two are
  /// written. In a format the wavefields take its share, vp half, and a difference is written too.
  void add_moved_elements(Plan& plan, const Region& region, const Problem& problem) const {
    const double share = pml_share(region);
    const bool stored = problem.storage != Storage::plain;
    const double vp = vp_share(problem);
    const int steps = plan.temporal_depth;
    const double plain = ((steps > 1 ? 4 : 3) + vp) / steps;
    const double waves = plain - vp / steps + (keeps_difference(problem.storage) ? 1 : 0);
    const double inner = stored ? waves * stored_share(problem.storage) + 0.5 / steps : plain;
    const double pml = inner + (profiles(problem) ? 2.0 : 3.0) / steps;
    plan.moved_elements = (1 - share) * inner + share * pml;
  }

  [[nodiscard]] Plan make_plan(std::size_t configuration, const Region& region,
                               const Problem& problem) const override {
    const bool index = problem.vp_beside == VpStorage::index;
    if (problem.vp_beside != VpStorage::field && !(index ? reads_vp_index : reads_vp_steps)) {
      return unsupported(reads_vp_steps
                             ? "reads no index of vp: acoustic.vp_storage = \"field\" or \"linear\""
                             : "reads vp from its field: acoustic.vp_storage = \"field\"");
    }
    std::string refused = refused_storage(configuration, problem);
    if (!refused.empty()) return unsupported(std::move(refused));
    if (problem.convolutional_layers) return plan_beside_layers(configuration, region, problem);
    if (problem.storage == Storage::block16 && region.update == Update::shell)
      return unsupported(
          "a shell's hole cuts blocks of acoustic.storage = \"block16\": "
          "acoustic.decomposition = \"seven\" or \"single\"");
    Plan plan = plan_by_launcher(configuration, region, problem);
    add_region_costs(plan, region, vp_share(problem), profiles(problem));
    if (plan.supported()) add_moved_elements(plan, region, problem);
    if (problem.storage != Storage::plain) add_storage(plan, problem);
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
    add_region_costs(plan, all, vp_share(problem), profiles(problem));
    if (!plan.supported()) return plan;
    add_moved_elements(plan, all, problem);
    const double share = pml_share(region);
    plan.minimal_elements += kAbsorbElements * share;
    plan.moved_elements += absorbed_elements(problem.storage) * share;
    if (problem.storage != Storage::plain) add_storage(plan, problem);
    plan.flops += kFlopsAbsorb * share;
    plan.arrays.push_back({"psi", {0, 0, 0}, true, true, share});
    plan.arrays.push_back({"zeta", {0, 0, 0}, true, true, share});
    return plan;
  }

  std::map<std::string, PassShape> shapes_;  // by a configuration's text
  std::map<std::string, PerPrecision<Pass>> passes_;
  std::map<std::pair<Storage, std::string>, StoredStep> stored_;  // empty ones: plans alone
  std::map<std::pair<Storage, std::string>,
           std::function<void(const ExecSpace&, const StoredPass&, const Box&)>>
      stored_passes_;
};

}  // namespace tessera::acoustic
