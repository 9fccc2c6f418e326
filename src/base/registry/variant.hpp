// SPDX-License-Identifier: Apache-2.0
// What a variant is.
#pragma once

#include "base/grid/decomposition.hpp"
#include "base/registry/plan.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera {

/// What a variant is, in words: written once, at the end of its file. `tessera list`, `describe`
/// and the tables of the docs print it.
struct VariantFacts {
  std::string name;          ///< "st_reg_fixed": the file, the deck's name, the kernel label
  std::string summary;       ///< one line
  std::string formula = {};  ///< the update in plain text; empty: the family's
  std::string source;        ///< paper and section
  std::string memory;        ///< what lives where in the memory hierarchy
  std::string loses;         ///< one line: when it loses
  std::string supports =
      {};  ///< which of PML, source and receivers it works with; empty: as the family
  std::string launch = {};        ///< why it launches natively or stays resident, where it does
  std::vector<std::string> tags;  ///< "paper", "scratch", "streaming", "baseline", ...
};

/// How a family's stencils are computed: a blocking strategy in one file, with the configurations
/// it offers. Families derive their own class with the entry points that their case calls.
class Variant : public VariantFacts {
 public:
  std::string family;                 ///< "acoustic"
  std::vector<std::string> stencils;  ///< that it computes, in full: "acoustic/iso25"
  std::vector<Configuration> configurations;
  /// Tiles that this build only plans (registry/plans_only.hpp). plan() and full_name() know them
  /// behind the configurations; nothing lists or runs them.
  std::vector<Configuration> planned;

  explicit Variant(VariantFacts facts = {}) : VariantFacts(std::move(facts)) {}
  Variant(const Variant&) = delete;
  Variant& operator=(const Variant&) = delete;
  virtual ~Variant() = default;

  /// "acoustic/st_reg_fixed"
  [[nodiscard]] std::string full_name() const { return family + "/" + name; }
  /// "acoustic/st_reg_fixed:32x16"
  [[nodiscard]] std::string full_name(std::size_t configuration) const {
    return full_name() + ":" + this->configuration(configuration).text;
  }
  /// One of the configurations or, behind them, of those that are only planned.
  [[nodiscard]] const Configuration& configuration(std::size_t i) const {
    return item(configurations, planned, i);
  }

  /// True if `stencil`, a full name, is among its stencils.
  [[nodiscard]] bool computes(std::string_view stencil_name) const {
    return std::find(stencils.begin(), stencils.end(), stencil_name) != stencils.end();
  }

  /// The plan of configuration `configuration` for one region of a problem; unsupported where the
  /// variant or that configuration does not compute the stencil, or not in that precision.
  [[nodiscard]] Plan plan(std::size_t configuration, const Region& region,
                          const Problem& problem) const;

  /// Regions that costs and plans are shown for when there is no deck: one for each formula.
  [[nodiscard]] virtual std::vector<Region> examples(const std::string& stencil_name) const;

 protected:
  /// Item `i` of what is kept of each configuration and, behind these, of each planned one.
  template <class T>
  [[nodiscard]] static const T& item(const std::vector<T>& offered, const std::vector<T>& others,
                                     std::size_t i) {
    return i < offered.size() ? offered[i] : others.at(i - offered.size());
  }

 private:
  /// plan() of a stencil that the variant computes in a precision that is built.
  [[nodiscard]] virtual Plan make_plan(std::size_t configuration, const Region& region,
                                       const Problem& problem) const = 0;
};

/// Whether a variant is what its family's others are compared with.
[[nodiscard]] inline bool is_baseline(const Variant& variant) {
  return std::find(variant.tags.begin(), variant.tags.end(), "baseline") != variant.tags.end();
}

}  // namespace tessera
