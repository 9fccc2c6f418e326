// SPDX-License-Identifier: Apache-2.0
// What `tune` has measured, as people read it.
#pragma once

#include "program/results/result.hpp"

#include <string>
#include <vector>

namespace tessera {

/// The fastest first, those without a rate last.
void sort_by_rate(std::vector<results::Result>& results);

/// The rates in a table; tools/plot_tune.py draws maps of them.
[[nodiscard]] std::string tile_rates(const std::vector<results::Result>& results);

}  // namespace tessera
