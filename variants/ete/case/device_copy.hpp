// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/device/space.hpp"

#include <Kokkos_Core.hpp>

#include <string>
#include <vector>

namespace tessera::ete {

/// A copy of `values` in the device's memory, which tools of Kokkos see by `label`.
template <class T>
[[nodiscard]] Kokkos::View<T*, ExecSpace::memory_space> to_device(const std::vector<T>& values,
                                                                  const char* label) {
  Kokkos::View<T*, ExecSpace::memory_space> device(std::string(label), values.size());
  const Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(values.data(),
                                                                                values.size());
  Kokkos::deep_copy(device, host);
  return device;
}

}  // namespace tessera::ete
