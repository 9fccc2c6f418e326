// SPDX-License-Identifier: Apache-2.0
// Plans as commands show them.
#pragma once

#include "registry.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace tessera {

/// 4 for "float", 8 for "double".
[[nodiscard]] int value_bytes(const std::string& precision);

/// An inner region of 512^3 cells: what plans are shown for when there is no deck.
[[nodiscard]] Region example_region();

/// The plans of all regions taken together: leagues added, costs averaged over their cells;
/// unsupported where one of them is.
[[nodiscard]] Plan plan_of_regions(const Selected& how, const std::vector<Region>& regions,
                                   int bytes);

/// The plan's numbers by the names of the result file's `resources`.
[[nodiscard]] nlohmann::json to_json(const Plan& plan);

}  // namespace tessera
