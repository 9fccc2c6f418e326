// SPDX-License-Identifier: Apache-2.0
// Sustained memory bandwidth, measured in this process on the default execution space.
#pragma once

#include "program/results/stream_rates.hpp"

#include <cstdint>
#include <string>

namespace tessera::measure {

/// How streams are measured.
struct StreamOptions {
  std::string precision = "float";  ///< "float" or "double"
  std::int64_t array_bytes = 0;     ///< of each array; 0: default_array_bytes()
  double warmup_s = 0.2;            ///< for each loop
  int repetitions = 10;
};

/// Size of each array: four times the last-level cache, at least 64 MiB on a host and 1 GiB on a
/// device, while all three stay within a quarter of the memory that is free.
[[nodiscard]] std::int64_t default_array_bytes();

/// Measures copy, triad and update, interleaved, and checks what they wrote. Throws Error on an
/// unknown precision, arrays that do not fit in free memory, or a wrong result.
[[nodiscard]] machine::StreamRates measure_streams(const StreamOptions& options);

}  // namespace tessera::measure
