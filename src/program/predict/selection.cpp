// SPDX-License-Identifier: Apache-2.0
#include "program/predict/selection.hpp"

#include "base/support/console.hpp"
#include "base/support/error.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace tessera {

Patterns read_patterns(const io::Deck& deck, const std::string& family, const Patterns& asked) {
  using Names = std::vector<std::string>;
  Patterns out = {deck.get<Names>("select.variants", {family + "/*"}),
                  deck.get<Names>("select.exclude", {})};
  if (!asked.variants.empty()) out.variants = asked.variants;
  require(!out.variants.empty(), "{}: an empty list selects no variant",
          deck.where("select.variants"));
  out.exclude.insert(out.exclude.end(), asked.exclude.begin(), asked.exclude.end());
  return out;
}

Patterns built(const Registry& registry, const Patterns& patterns) {
  std::vector<std::string> dropped;
  const auto is_dropped = [&](const std::string& pattern) {
    bool is_planned = false;
    for (const auto& variant : registry.variants()) {
      for (std::size_t c = 0; c < variant->configurations.size() + variant->planned.size(); ++c) {
        if (!matches(pattern, Selected{variant.get(), c})) continue;
        if (c < variant->configurations.size()) return false;
        is_planned = true;
      }
    }
    if (is_planned) dropped.push_back(pattern);
    return is_planned;
  };
  Patterns kept = patterns;
  std::erase_if(kept.variants, is_dropped);
  std::erase_if(kept.exclude, is_dropped);
  if (dropped.empty() || kept.variants.empty()) return patterns;
  warn(fmt::format(
      "left out, since this build has few tiles (TESSERA_CONFIGURATIONS=all has every): {}",
      fmt::join(dropped, ", ")));
  return kept;
}

void warn_of_idle(const std::vector<std::string>& exclude, const std::vector<Selected>& all) {
  for (const std::string& pattern : exclude) {
    if (std::none_of(all.begin(), all.end(),
                     [&](const Selected& s) { return matches(pattern, s); })) {
      warn(fmt::format("exclude \"{}\" leaves out nothing: no selected variant matches it",
                       pattern));
    }
  }
}

void sort_by_patterns(std::vector<Selected>& selection, const std::vector<std::string>& patterns) {
  const auto rank = [&](const Selected& s) {
    return std::find_if(patterns.begin(), patterns.end(),
                        [&](const std::string& pattern) { return matches(pattern, s); }) -
           patterns.begin();
  };
  std::stable_sort(selection.begin(), selection.end(),
                   [&](const Selected& a, const Selected& b) { return rank(a) < rank(b); });
}

void keep_what_computes(const std::vector<std::unique_ptr<Case>>& cases, const Case& c,
                        std::vector<Selected>& selection,
                        const std::vector<std::string>& patterns) {
  std::erase_if(selection, [&](const Selected& s) {
    const bool named = std::find(patterns.begin(), patterns.end(), s.full_name()) != patterns.end();
    const bool elsewhere = std::any_of(cases.begin(), cases.end(), [&](const auto& other) {
      return s.variant->computes(other->stencil);
    });
    return !s.variant->computes(c.stencil) && (!named || elsewhere);
  });
}

bool asked_by_name(const std::vector<std::string>& patterns, const results::Result& row) {
  const std::string full = row.variant + ":" + row.configuration;
  return std::find(patterns.begin(), patterns.end(), full) != patterns.end();
}

}  // namespace tessera
