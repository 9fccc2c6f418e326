// SPDX-License-Identifier: Apache-2.0
// What a step on several ranks consists of.
#pragma once

#include "cases/case.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace tessera {

/// Collective. Times the phases of a configuration that was measured, whose steps take `step_s`
/// seconds: on each rank the steps of a sample without exchange, exchanges by themselves, and what
/// they pack by itself, each many times between two fences, as samples are; in seconds a step. What
/// a step takes longer than the busiest rank's computation is exposed; the rest of an exchange is
/// hidden. On rank 0 the object `parallel` of a result row (docs/results.md); on others and on one
/// rank an empty object. Overwrites the fields.
[[nodiscard]] nlohmann::json measure_phases(Case& c, const Selected& how,
                                            const std::string& decomposition, double step_s);

}  // namespace tessera
