// SPDX-License-Identifier: Apache-2.0
// Peak multiply-add rate and the cost of a launch, measured on the default execution space.
#pragma once

#include "program/results/statistics.hpp"

#include <string>

namespace tessera::measure {

/// Independent chains of multiply-adds on all lanes of all threads; GFLOP/s, a fused multiply-add
/// counting two. `precision` is "float" or "double". Throws Error where the chains' result shows
/// that they were not computed.
[[nodiscard]] machine::Rate measure_peak_gflop_per_s(const std::string& precision,
                                                     int repetitions = 7);

/// Microseconds that an empty kernel takes.
struct LaunchLatency {
  machine::Summary fenced_us;    ///< launch and wait for its end
  machine::Summary unfenced_us;  ///< mean of many launches before one wait
};

/// Launches `launches` empty kernels a sample, fenced and unfenced.
[[nodiscard]] LaunchLatency measure_launch_latency(int launches = 200, int repetitions = 9);

}  // namespace tessera::measure
