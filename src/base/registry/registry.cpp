// SPDX-License-Identifier: Apache-2.0
#include "base/registry/registry.hpp"

#include "base/support/error.hpp"
#include "base/support/text.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

namespace tessera {

bool matches(std::string_view pattern, const Selected& s) {
  const std::size_t colon = pattern.find(':');
  const std::string_view name = pattern.substr(0, colon);
  const bool tile =
      colon == std::string_view::npos ||
      glob_match(pattern.substr(colon + 1), s.variant->configuration(s.configuration).text);
  if (!tile) return false;
  if (glob_match(name, s.variant->full_name())) return true;
  return name.find('/') == std::string_view::npos &&
         (glob_match(name, s.variant->family) || glob_match(name, s.variant->name));
}

namespace {

/// Says why a pattern matches nothing: a tile that is only planned, or a name that does not exist.
[[noreturn]] void fail_unmatched(const std::string& pattern,
                                 const std::vector<std::unique_ptr<Variant>>& variants) {
  const bool short_name = pattern.find('/') == std::string::npos;
  std::vector<std::string> names;
  for (const auto& variant : variants) {
    const std::string name = short_name ? variant->name : variant->full_name();
    names.push_back(name);
    if (short_name) names.push_back(variant->family);
    for (const Configuration& built : variant->configurations) {
      names.push_back(name + ":" + built.text);
    }
    for (std::size_t c = 0; c < variant->planned.size(); ++c) {
      const Selected only_planned{variant.get(), variant->configurations.size() + c};
      require(!matches(pattern, only_planned),
              "{} is not in this build, which has few tiles: configure with "
              "TESSERA_CONFIGURATIONS=all",
              only_planned.full_name());
    }
  }
  fail("no variant matches \"{}\"; the nearest name is {}; `tessera list` shows all", pattern,
       nearest_name(pattern, names));
}

}  // namespace

void Registry::add(std::unique_ptr<Variant> variant) {
  for (const auto& other : variants_) {
    require(other->full_name() != variant->full_name(), "variant {} is registered twice",
            variant->full_name());
  }
  variants_.push_back(std::move(variant));
}

const Variant& Registry::find(std::string_view full_name) const {
  const bool short_name = full_name.find('/') == std::string_view::npos;
  std::vector<std::string> names, families;  // families: of the variants of this short name
  const Variant* found = nullptr;
  for (const auto& variant : variants_) {
    if (variant->full_name() == full_name) return *variant;
    names.push_back(short_name ? variant->name : variant->full_name());
    if (variant->name != full_name) continue;
    found = variant.get();
    families.push_back(variant->family);
  }
  if (families.size() == 1) return *found;
  require(families.empty(), "\"{0}\" exists in {1}: write FAMILY/{0}", full_name,
          fmt::join(families, ", "));
  fail("variant \"{}\" does not exist; did you mean {}? `tessera list` shows all", full_name,
       nearest_name(full_name, names));
}

std::vector<Selected> Registry::select(const std::vector<std::string>& patterns,
                                       const std::vector<std::string>& exclude,
                                       std::optional<MachineKind> kind, Tiles tiles) const {
  std::vector<Selected> all;
  for (const auto& variant : variants_) {
    const std::size_t planned = tiles == Tiles::planned ? variant->planned.size() : 0;
    for (std::size_t c = 0; c < variant->configurations.size() + planned; ++c) {
      all.push_back({variant.get(), c});
    }
  }
  for (const auto* list : {&patterns, &exclude}) {
    for (const auto& pattern : *list) {
      if (std::none_of(all.begin(), all.end(),
                       [&](const Selected& s) { return matches(pattern, s); })) {
        fail_unmatched(pattern, variants_);
      }
    }
  }
  const auto runs = [&](const Selected& s) {
    return !kind || runs_on(s.variant->configuration(s.configuration).runs_on, *kind);
  };
  std::set<std::string> idle;  // patterns that match nothing which runs there
  for (const auto& pattern : patterns) {
    if (std::none_of(all.begin(), all.end(),
                     [&](const Selected& s) { return matches(pattern, s) && runs(s); })) {
      idle.insert(pattern);
    }
  }
  std::vector<Selected> selected;
  for (const auto& s : all) {
    const auto hit = [&](const std::string& pattern) { return matches(pattern, s); };
    const auto taken = [&](const std::string& pattern) {
      return hit(pattern) && (runs(s) || idle.contains(pattern));
    };
    if (std::any_of(patterns.begin(), patterns.end(), taken) &&
        std::none_of(exclude.begin(), exclude.end(), hit)) {
      selected.push_back(s);
    }
  }
  return selected;
}

Selected first_supported(const Variant& variant, const Region& region, const Problem& problem) {
  for (std::size_t c = 0; c < variant.configurations.size(); ++c) {
    if (variant.plan(c, region, problem).supported()) return {&variant, c};
  }
  fail("no configuration of {} runs here", variant.full_name());
}

}  // namespace tessera
