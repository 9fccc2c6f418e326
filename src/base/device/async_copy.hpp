// SPDX-License-Identifier: Apache-2.0
// Copies from device memory to team scratch that continue while the thread computes, where the
// backend has them (CUDA's cp.async, compute capability 8.0); elsewhere they are done at once.
//
// A thread's copies are collected in groups. A group that has arrived is visible to the thread that
// requested it; other threads of the team see it after the next team barrier.
#pragma once

#include "base/device/space.hpp"
#include "base/device/unroll.hpp"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#include <cuda_pipeline.h>
#endif

namespace tessera {

/// Copies N elements; both addresses aligned to the elements' size, at most 16 bytes.
template <int N, class T>
KOKKOS_FORCEINLINE_FUNCTION void copy_async(T* scratch, const T* source) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  constexpr int kBytes = static_cast<int>(N * sizeof(T));
  constexpr int kStep = kBytes < 16 ? kBytes : 16;
  for (int i = 0; i < kBytes; i += kStep) {
    __pipeline_memcpy_async(reinterpret_cast<char*>(scratch) + i,
                            reinterpret_cast<const char*>(source) + i, kStep);
  }
#else
  for (int i = 0; i < N; ++i) scratch[i] = source[i];
#endif
}

/// Closes the group of all copies that the thread has requested since the last one; may be empty.
KOKKOS_FORCEINLINE_FUNCTION void commit_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  __pipeline_commit();
#endif
}

/// Waits until all but the thread's last `Pending` groups have arrived.
template <int Pending>
KOKKOS_FORCEINLINE_FUNCTION void wait_for_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  __pipeline_wait_prior(Pending);
#endif
}

/// Elements that a thread prefetches: fetched at the beginning of a round, in scratch at its
/// end: at most N of them, each by a copy that continues while the thread computes. Without such
/// copies they wait in registers, which is as early, and costs the registers.
template <class T, int N>
class Prefetched {
 public:
  /// Element i, 0 <= i < N; at most once before land().
  KOKKOS_FORCEINLINE_FUNCTION void fetch([[maybe_unused]] int i, T* scratch, const T* source) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    copy_async<1>(scratch, source);
#else
    value_[i] = *source;
    to_[i] = scratch;
#endif
  }

  /// All that was fetched is in scratch: for this thread, and after the team's next barrier for
  /// the others.
  KOKKOS_FORCEINLINE_FUNCTION void land() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    commit_copies();
    wait_for_copies<0>();
#else
    TESSERA_UNROLL
    for (int i = 0; i < N; ++i) {
      if (to_[i] != nullptr) *to_[i] = value_[i];
      to_[i] = nullptr;
    }
#endif
  }

 private:
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 800
  T value_[N] = {};
  T* to_[N] = {};
#endif
};

}  // namespace tessera
