// SPDX-License-Identifier: Apache-2.0
// Plans as commands show them.
#pragma once

#include "base/registry/registry.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace tessera {

/// The plans of all regions taken together: leagues added, costs averaged over their cells;
/// unsupported where one of them is.
[[nodiscard]] Plan plan_of_regions(const Selected& how, const std::vector<Region>& regions,
                                   const Problem& problem);

/// The first stencil of a variant that one of its configurations, `configuration`, has a plan for,
/// or else its first: what plans are shown for when there is no deck.
[[nodiscard]] Problem example_problem(const Selected& how, const std::string& precision,
                                      const MachineLimits& machine = this_machine());

/// What plans are made for where a user names a machine file, or one of inputs/machines: that
/// machine. Empty: this one. Throws Error where there is no such file.
[[nodiscard]] MachineLimits named_machine(const std::string& machine);

/// The tile along x, y, z that this binary's Kokkos takes for a box where the plan leaves the
/// choice to it; null where the plan has a tile or is no MDRangePolicy's.
[[nodiscard]] nlohmann::json default_tile(const Plan& plan, const Box& box);

/// The plan's numbers by the names of the result file's `resources`.
[[nodiscard]] nlohmann::json to_json(const Plan& plan);

}  // namespace tessera
