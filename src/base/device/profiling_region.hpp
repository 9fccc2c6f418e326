// SPDX-License-Identifier: Apache-2.0
// A named region for profilers (Kokkos Tools), closed at the end of the scope.
#pragma once

#include <Kokkos_Core.hpp>

#include <string>

namespace tessera {

struct ProfilingRegion {
  explicit ProfilingRegion(const std::string& name) { Kokkos::Profiling::pushRegion(name); }
  ProfilingRegion(const ProfilingRegion&) = delete;
  ProfilingRegion& operator=(const ProfilingRegion&) = delete;
  ~ProfilingRegion() { Kokkos::Profiling::popRegion(); }
};

}  // namespace tessera
