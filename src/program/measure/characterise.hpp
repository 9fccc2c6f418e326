// SPDX-License-Identifier: Apache-2.0
// All measurements of a machine put together into a machine description.
#pragma once

#include "program/measure/streams.hpp"
#include "program/results/machine_file.hpp"

#include <functional>
#include <string>

namespace tessera::measure {

/// How thoroughly a machine is measured.
struct CharacteriseOptions {
  std::string precision = "float";  ///< of the bandwidths, "float" or "double"
  bool quick = false;               ///< arrays just beyond the last cache, short samples, no sweep
  std::int64_t roofs_bytes = kRoofsBytes;  ///< of the streams' arrays
  bool redact = false;                     ///< leave the host's name out
};

/// Called with a line on what is measured next.
using Progress = std::function<void(const std::string&)>;

/// Measures the machine of the default execution space: memory, cache and scratch bandwidth, peak
/// multiply-add rate, a host core's ports, latencies of a launch, a load, a multiply-add and a
/// barrier; adds what the system says of it. Takes about ten seconds, two when quick. metadata
/// holds the ranges, the host and the build. Throws Error where something measured comes out wrong.
[[nodiscard]] machine::Machine characterise(const CharacteriseOptions& options,
                                            const Progress& progress);

/// What the traffic model needs of the machine, in a second: facts, caches by short samples, what a
/// launch and a barrier take; memory from `streams`, which were just measured. Not for keeping.
[[nodiscard]] machine::Machine describe_quickly(const machine::StreamRates& streams);

}  // namespace tessera::measure
