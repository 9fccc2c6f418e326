// SPDX-License-Identifier: Apache-2.0
// Host memory that a device copies to and from without the host's help; plain memory on hosts.
#pragma once

#include <Kokkos_Core.hpp>

namespace tessera {

#if defined(KOKKOS_ENABLE_CUDA)
using PinnedSpace = Kokkos::CudaHostPinnedSpace;
#elif defined(KOKKOS_ENABLE_HIP) && KOKKOS_VERSION < 40000
using PinnedSpace = Kokkos::Experimental::HIPHostPinnedSpace;
#elif defined(KOKKOS_ENABLE_HIP)
using PinnedSpace = Kokkos::HIPHostPinnedSpace;
#else
using PinnedSpace = Kokkos::HostSpace;
#endif

}  // namespace tessera
