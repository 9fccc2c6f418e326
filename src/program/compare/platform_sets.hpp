// SPDX-License-Identifier: Apache-2.0
// Sets of platforms that a figure is made over: named with it, and of one origin unless chosen.
#pragma once

#include "program/compare/collection.hpp"

#include <string>
#include <vector>

namespace tessera::compare {

/// Platforms whose Phi is asked for together, with the name that stands beside it.
struct PlatformSet {
  std::string name;                    ///< "measured GPUs"
  std::vector<std::size_t> platforms;  ///< of the collection
  bool mixed = false;                  ///< holds platforms of several origins
};

/// Of each origin its GPUs, its hosts and all of it; one set where these are the same.
[[nodiscard]] std::vector<PlatformSet> sets_by_origin(const std::vector<Platform>& platforms);

/// The one set of those that globs over names take, of whatever origin. Throws Error where a glob
/// takes none.
[[nodiscard]] std::vector<PlatformSet> chosen_set(const std::vector<Platform>& platforms,
                                                  const std::vector<std::string>& patterns);

}  // namespace tessera::compare
