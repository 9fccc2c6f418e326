// SPDX-License-Identifier: Apache-2.0
// The phases of a step on several ranks, as results report them.
#pragma once

#include "base/case/case.hpp"
#include "base/comm/phases.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace tessera {

/// The object `parallel` of a result row and of shot.json (docs/results.md): ranks, their grid, the
/// transport and, where they were measured, the phases of a step.
[[nodiscard]] nlohmann::json parallel_json(const comm::RankGrid& grid, const std::string& transport,
                                           bool overlap, const comm::StepPhases& phases);

/// Collective. Times the phases of a configuration that was measured, whose steps take `step_s`
/// seconds. On rank 0 the object `parallel` of a result row; on others and on one rank an empty
/// object. Overwrites the fields.
[[nodiscard]] nlohmann::json measure_phases(Case& c, const Selected& how,
                                            const std::string& decomposition, double step_s);

}  // namespace tessera
