// SPDX-License-Identifier: Apache-2.0
// How many devices this process sees.
#pragma once

#include "base/device/space.hpp"

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
#include "base/device/native_device.hpp"
#endif

namespace tessera {

/// Devices of the backend that the runtime shows; 0 on hosts, and where it shows none.
[[nodiscard]] inline int device_count() {
  int count = 0;
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
  if (native::count_devices(&count) != native::kSuccess) return 0;
#endif
  return count;
}

}  // namespace tessera
