// SPDX-License-Identifier: Apache-2.0
// Sustained memory bandwidth, measured in this process on the default execution space.
#pragma once

#include "program/results/statistics.hpp"

#include <cstdint>
#include <string>

namespace tessera::measure {

/// Memory that the arrays of a host take in all, by default, and the least of that.
inline constexpr std::int64_t kRoofsBytes = std::int64_t{1} << 30;
inline constexpr std::int64_t kLeastRoofsBytes = 3 * (std::int64_t{64} << 20);
inline constexpr std::int64_t kMostRoofsBytes = std::int64_t{1} << 50;

/// How streams are measured.
struct StreamOptions {
  std::string precision = "float";        ///< "float" or "double"
  std::int64_t array_bytes = 0;           ///< of each array; 0: array_bytes_here()
  std::int64_t most_bytes = kRoofsBytes;  ///< of the three arrays of a host, then
  double warmup_s = 0.2;                  ///< for each loop
  int repetitions = 10;
};

/// Size of each array: four times the last-level cache, at least 64 MiB on a host and 1 GiB on a
/// device, while all three stay within a quarter of the memory that is available and, on a host,
/// within `most_bytes`.
[[nodiscard]] std::int64_t array_bytes_for(std::int64_t cache_bytes, std::int64_t available_bytes,
                                           std::int64_t most_bytes);

/// The same of this machine.
[[nodiscard]] std::int64_t array_bytes_here(std::int64_t most_bytes = kRoofsBytes);

/// Measures copy, triad and update, interleaved, and checks what they wrote. Throws Error on
/// arrays that do not fit in available memory, or a wrong result.
[[nodiscard]] machine::StreamRates measure_streams(const StreamOptions& options);

}  // namespace tessera::measure
