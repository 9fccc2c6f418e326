// SPDX-License-Identifier: Apache-2.0
// What memory is free for this process: of ranks that share one, a share.
#pragma once

#include "base/comm/session.hpp"
#include "base/device/device_count.hpp"
#include "program/measure/memory.hpp"

#include <cstdint>
#include <string>

namespace tessera {

/// Bytes free where fields live and on the host, over the ranks that share them. Made before any of
/// them allocates.
struct FreeMemory {
  int host_ranks = comm::local_rank().size;
  int device_ranks = ranks_of_a_device(host_ranks);  ///< that share the memory of fields
  std::int64_t device = measure::available_memory_bytes() / device_ranks;
  std::int64_t host = measure::available_host_memory_bytes() / host_ranks;

  /// " to each of 4 ranks"; nothing for one.
  [[nodiscard]] static std::string to_each(int ranks) {
    return ranks == 1 ? "" : " to each of " + std::to_string(ranks) + " ranks";
  }

 private:
  [[nodiscard]] static int ranks_of_a_device(int ranks) {
    const int devices = kOnDevice ? device_count() : 1;
    return devices == 0 ? ranks : (ranks + devices - 1) / devices;
  }
};

}  // namespace tessera
