// SPDX-License-Identifier: Apache-2.0
// What launches take of a multiprocessor, region by region: `tessera list --resources`.
#pragma once

#include "base/case/catalogue.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace tessera {

/// The options of `list --resources`.
struct ResourcesRequest {
  std::vector<std::string> patterns;   ///< empty: the deck's select.variants, else all
  std::string tag;                     ///< empty: all
  std::string precision;               ///< of a list without a deck
  std::string deck;                    ///< empty: an inner region of 512^3 and a layer of 27 cells
  std::vector<std::string> overrides;  ///< of the deck
  std::string registers;               ///< table of the compiler's report; empty: none
};

/// One object for each configuration and group of regions: "name", "decomposition", "region",
/// "team", "league", "scratch_bytes", "registers", "spilled_bytes", "warps", "occupancy",
/// "limited_by" and "published"; null where it makes no sense here or is not known. Where it cannot
/// run, "unsupported" says why.
[[nodiscard]] nlohmann::json resource_rows(const ResourcesRequest& request,
                                           const Catalogue& catalogue);

/// The rows as a table, published columns beside.
[[nodiscard]] std::string format_resources(const nlohmann::json& rows);

}  // namespace tessera
