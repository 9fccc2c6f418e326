// SPDX-License-Identifier: Apache-2.0
#include "registry/registry.hpp"

#include "support/error.hpp"
#include "support/precision.hpp"
#include "support/text.hpp"

#include <fmt/ranges.h>

namespace tessera {

bool glob_match(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;  // last '*' seen, and where its run began
  std::size_t mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

Plan Variant::plan(std::size_t configuration, const Region& region, const Problem& problem) const {
  if (!computes(problem.stencil)) return unsupported("does not compute " + problem.stencil);
  if (!precision_is_built(problem.value_bytes)) {
    return unsupported("this binary was built without that precision");
  }
  return make_plan(configuration, region, problem);
}

std::vector<Region> Variant::examples(const std::string& /*stencil_name*/) const {
  return {{"inner", Update::inner, {0, 512, 0, 512, 0, 512}, {}}};
}

void Registry::add(std::unique_ptr<Variant> variant) {
  for (const auto& other : variants_) {
    require(other->full_name() != variant->full_name(), "variant {} is registered twice",
            variant->full_name());
  }
  variants_.push_back(std::move(variant));
}

const Variant& Registry::find(std::string_view full_name) const {
  std::vector<std::string> names;
  for (const auto& variant : variants_) {
    if (variant->full_name() == full_name) return *variant;
    names.push_back(variant->full_name());
  }
  fail("variant \"{}\" does not exist; did you mean {}? There are {}", full_name,
       nearest_name(full_name, names), fmt::join(names, ", "));
}

std::vector<Selected> Registry::select(const std::vector<std::string>& patterns,
                                       const std::vector<std::string>& exclude) const {
  const auto matches = [](const std::string& pattern, const Selected& s) {
    const bool with_configuration = pattern.find(':') != std::string::npos;
    return glob_match(pattern, with_configuration ? s.full_name() : s.variant->full_name());
  };
  std::vector<Selected> all;
  std::vector<std::string> names;
  for (const auto& variant : variants_) {
    names.push_back(variant->full_name());
    for (std::size_t c = 0; c < variant->configurations.size(); ++c) {
      all.push_back({variant.get(), c});
      names.push_back(all.back().full_name());
    }
  }
  for (const auto* list : {&patterns, &exclude}) {
    for (const auto& pattern : *list) {
      const bool any = std::any_of(all.begin(), all.end(),
                                   [&](const Selected& s) { return matches(pattern, s); });
      require(any, "no variant matches \"{}\"; the nearest name is {}; `tessera list` shows all",
              pattern, nearest_name(pattern, names));
    }
  }
  std::vector<Selected> selected;
  for (const auto& s : all) {
    const auto hit = [&](const std::string& pattern) { return matches(pattern, s); };
    if (std::any_of(patterns.begin(), patterns.end(), hit) &&
        std::none_of(exclude.begin(), exclude.end(), hit)) {
      selected.push_back(s);
    }
  }
  return selected;
}

}  // namespace tessera
