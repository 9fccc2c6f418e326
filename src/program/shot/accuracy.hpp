// SPDX-License-Identifier: Apache-2.0
// What rounding to 16 bits costs a shot's traces: its first steps made twice, before it runs.
#pragma once

#include "program/shot/deck.hpp"

#include <nlohmann/json.hpp>

#include <vector>

namespace tessera::shot {

/// Relative L2 differences of samples[step * receivers + receiver] of two shots, as shot.json has
/// them: `raw`, and `in_band` of the Fourier series up to band_hz, each of the receiver where it is
/// largest, except those whose trace is faint beside the strongest. `dt` is between steps.
[[nodiscard]] nlohmann::json compare_traces(const std::vector<float>& rounded,
                                            const std::vector<float>& exact, std::size_t receivers,
                                            double dt, double band_hz);

/// Makes the first shot.accuracy_steps steps of a shot in its formats and as they are, compares the
/// traces and says so. Null where the shot has none of these, no receivers or does not round, and
/// on ranks but the first. Collective. Throws Error where u is not finite.
[[nodiscard]] nlohmann::json measure_accuracy(const ShotCase& shot);

inline constexpr const char* kAccuracyHelp =
    "Of a shot that rounds to 16 bits: make it (or its first shot.accuracy steps) as it is and\n"
    "rounded first, and print by how much the traces differ";

}  // namespace tessera::shot
