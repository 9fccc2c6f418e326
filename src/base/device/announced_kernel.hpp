// SPDX-License-Identifier: Apache-2.0
// A launch that is not Kokkos' own, as profilers see it.
#pragma once

#include "base/device/space.hpp"

#include <cstdint>

namespace tessera {

/// Announces a launch to Kokkos Tools as Kokkos does its own: as a parallel_for of that label on
/// the instance's device, begun here and ended with the object. As with Kokkos' own the end says
/// that the launch is enqueued; a connector that needs kernels' times asks Kokkos for fences.
class AnnouncedKernel {
 public:
  AnnouncedKernel(const char* label, const ExecSpace& exec)
      : announced_(Kokkos::Tools::profileLibraryLoaded()) {
    if (announced_) {
      Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(exec), &id_);
    }
  }
  AnnouncedKernel(const AnnouncedKernel&) = delete;
  AnnouncedKernel& operator=(const AnnouncedKernel&) = delete;
  ~AnnouncedKernel() {
    if (announced_) Kokkos::Tools::endParallelFor(id_);
  }

 private:
  bool announced_;
  std::uint64_t id_ = 0;
};

}  // namespace tessera
