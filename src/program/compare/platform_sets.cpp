// SPDX-License-Identifier: Apache-2.0
#include "program/compare/platform_sets.hpp"

#include "base/support/error.hpp"
#include "base/support/text.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace tessera::compare {

std::vector<PlatformSet> sets_by_origin(const std::vector<Platform>& platforms) {
  std::vector<PlatformSet> sets;
  for (const Origin origin : {Origin::measured, Origin::published, Origin::predicted}) {
    PlatformSet gpus{to_string(origin) + " GPUs", {}, false};
    PlatformSet hosts{to_string(origin) + " hosts", {}, false};
    PlatformSet all{"all " + to_string(origin), {}, false};
    for (std::size_t i = 0; i < platforms.size(); ++i) {
      if (platforms[i].origin != origin) continue;
      all.platforms.push_back(i);
      if (platforms[i].kind == "gpu") gpus.platforms.push_back(i);
      if (platforms[i].kind == "cpu") hosts.platforms.push_back(i);
    }
    for (const PlatformSet& part : {gpus, hosts}) {
      if (part.platforms.empty()) continue;
      if (part.platforms == all.platforms)
        all.name = part.name;  // one set, named for what it is
      else
        sets.push_back(part);
    }
    if (!all.platforms.empty()) sets.push_back(all);
  }
  return sets;
}

std::vector<PlatformSet> chosen_set(const std::vector<Platform>& platforms,
                                    const std::vector<std::string>& patterns) {
  PlatformSet set{fmt::format("{}", fmt::join(patterns, ", ")), {}, false};
  std::set<Origin> origins;
  for (const std::string& pattern : patterns) {
    bool any = false;
    for (std::size_t i = 0; i < platforms.size(); ++i) {
      if (!glob_match(pattern, platforms[i].name)) continue;
      any = true;
      origins.insert(platforms[i].origin);
      if (std::find(set.platforms.begin(), set.platforms.end(), i) == set.platforms.end()) {
        set.platforms.push_back(i);
      }
    }
    std::vector<std::string> names;
    for (const Platform& p : platforms) names.push_back(p.name);
    require(any, "--platforms {} takes none of {}", pattern, fmt::join(names, ", "));
  }
  set.mixed = origins.size() > 1;
  return {set};
}

}  // namespace tessera::compare
