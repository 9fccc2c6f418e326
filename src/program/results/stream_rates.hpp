// SPDX-License-Identifier: Apache-2.0
// The memory bandwidths that results are set against: plain data, measured by streams.cpp.
#pragma once

#include "program/results/statistics.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace tessera::machine {

/// Sustained memory bandwidths of one machine in one run, in GB/s (10^9 bytes). Each array element
/// named in the loop counts once a read and once a write; write-allocate traffic is not counted.
struct StreamRates {
  std::string precision;               ///< "float" or "double"
  std::int64_t array_bytes = 0;        ///< size of each of the arrays
  Rate copy;                           ///< b = a: two accesses an element
  Rate triad;                          ///< c = a + s b: three accesses
  Rate update;                         ///< b = a + q b, q an array: three reads and one write
  std::optional<Rate> copy_streaming;  ///< copy with non-temporal stores, where the host has them
};

}  // namespace tessera::machine
