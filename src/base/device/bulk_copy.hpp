// SPDX-License-Identifier: Apache-2.0
// Boxes of a plane to team scratch by the bulk tensor copy engine (CUDA, compute capability 9.0),
// and the barriers in scratch that its copies complete on. One thread requests a whole box; what
// lies outside the field arrives as zeros. On other devices kernels copy with their threads
// (device/async_copy.hpp) and none of this is called; on a host all of it is done at once, so that
// tests can run the kernels by threads.
#pragma once

#include "base/device/native_launch.hpp"
#include "base/support/error.hpp"

#include <cstdint>

#if defined(KOKKOS_ENABLE_CUDA) && (defined(KOKKOS_ARCH_HOPPER90) || defined(KOKKOS_ARCH_HOPPER))
#define TESSERA_BULK_COPY
#include <cuda.h>
#elif !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
#define TESSERA_COPY_AT_ONCE
#include <atomic>
#include <thread>
#endif

namespace tessera {

#if defined(TESSERA_BULK_COPY)
inline constexpr bool kHasBulkCopy = true;
#else
inline constexpr bool kHasBulkCopy = false;
#endif

/// Threads that meet at a warp_barrier().
inline constexpr int kWarp = kOnDevice ? 32 : 1;

/// What plans say of `copies=bulk` where MachineLimits::bulk_copies is false.
inline constexpr const char* kNoBulkCopies = "the device has no bulk copies";

/// A barrier in team scratch: a phase ends when as many threads as init() was given have arrived
/// and all bytes that they announced have been copied. Phases are waited for by their parity: 0, 1,
/// 0
/// ...
class ScratchBarrier {
 public:
  /// One thread, before a team barrier; then fence_barriers().
  KOKKOS_FORCEINLINE_FUNCTION void init([[maybe_unused]] int arrivals) {
#if defined(TESSERA_BULK_COPY) && defined(__CUDA_ARCH__)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address()), "r"(arrivals)
                 : "memory");
#elif defined(TESSERA_COPY_AT_ONCE)
    const auto all = static_cast<std::uint64_t>(arrivals);
    std::atomic_ref(state_).store(all << kOfAll | all);
#endif
  }
  /// Arrives, and announces bytes of copies to come.
  KOKKOS_FORCEINLINE_FUNCTION void arrive_and_expect([[maybe_unused]] int bytes) {
#if defined(TESSERA_BULK_COPY) && defined(__CUDA_ARCH__)
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address()),
                 "r"(bytes)
                 : "memory");
#elif defined(TESSERA_COPY_AT_ONCE)
    change(1, bytes);
#endif
  }
  KOKKOS_FORCEINLINE_FUNCTION void arrive() {
#if defined(TESSERA_BULK_COPY) && defined(__CUDA_ARCH__)
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address()) : "memory");
#elif defined(TESSERA_COPY_AT_ONCE)
    change(1, 0);
#endif
  }
  /// Waits until a phase of this parity has ended; what was copied or written before is visible.
  KOKKOS_FORCEINLINE_FUNCTION void wait([[maybe_unused]] int parity) const {
#if defined(TESSERA_BULK_COPY) && defined(__CUDA_ARCH__)
    asm volatile(
        "{\n\t.reg .pred done;\n\tagain_%=:\n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
        "@!done bra again_%=;\n\t}" ::"r"(address()),
        "r"(parity)
        : "memory");
#elif defined(TESSERA_COPY_AT_ONCE)
    while (static_cast<int>(std::atomic_ref(state_).load() >> kParity) == parity)
      std::this_thread::yield();
#endif
  }

 private:
#if defined(TESSERA_COPY_AT_ONCE)
  // From bit 0 on: arrivals that are missing, all of a phase, bytes on their way, parity.
  static constexpr int kOfAll = 16, kBytes = 32, kParity = 63;
  friend class PlaneMap;
  void change(int arrivals, int bytes) const {
    const std::atomic_ref state(state_);
    std::uint64_t old = state.load(), now = 0;
    do {
      now = old - static_cast<std::uint64_t>(arrivals) +
            static_cast<std::uint64_t>(std::int64_t{bytes} * (std::int64_t{1} << kBytes));
      constexpr std::uint64_t kMissing = 0xffff, kParityBit = std::uint64_t{1} << kParity;
      if ((now & kMissing) == 0 && (now & ~kParityBit) >> kBytes == 0)
        now = (now | (now >> kOfAll & kMissing)) ^ kParityBit;
    } while (!state.compare_exchange_weak(old, now));
  }
#endif
#if defined(TESSERA_BULK_COPY) && defined(__CUDA_ARCH__)
  friend class PlaneMap;
  [[nodiscard]] __device__ __forceinline__ unsigned address() const {
    return static_cast<unsigned>(__cvta_generic_to_shared(&state_));
  }
#endif
  mutable std::uint64_t state_;
};

/// Makes barriers that a thread has initialised known to the copy engine.
KOKKOS_FORCEINLINE_FUNCTION void fence_barriers() {
#if defined(TESSERA_BULK_COPY) && defined(__CUDA_ARCH__)
  asm volatile("fence.mbarrier_init.release.cluster;\n\tfence.proxy.async.shared::cta;" ::
                   : "memory");
#endif
}

/// Meets the other threads of the warp; their writes to scratch are then visible to each other.
KOKKOS_FORCEINLINE_FUNCTION void warp_barrier() {
#if defined(__CUDA_ARCH__)
  __syncwarp();
#endif
}

/// A field as the copy engine sees it, and the box that it copies at a time. A kernel must hold it
/// in its own parameters (native_launch sees to that).
class PlaneMap {
 public:
  /// What boxes may hold, counted from the corner, in elements.
  struct Seen {
    int planes, rows, columns;
  };

  PlaneMap() = default;

  /// `corner`: the first element that a box may hold, on 16 bytes; rows are `row` elements apart,
  /// planes `plane` (whole multiples of 16 bytes); `seen`: the elements from there on that boxes
  /// may hold. A box is box_x by box_y elements of one plane, box_x times the element's size a
  /// multiple of 16. Throws Error where the engine refuses it.
  template <class T>
  PlaneMap([[maybe_unused]] const T* corner, [[maybe_unused]] int row,
           [[maybe_unused]] std::int64_t plane, [[maybe_unused]] Seen seen,
           [[maybe_unused]] int box_x, [[maybe_unused]] int box_y) {
#if defined(TESSERA_COPY_AT_ONCE)
    corner_ = corner, row_ = row, plane_ = plane, seen_ = seen, box_x_ = box_x, box_y_ = box_y;
#elif defined(TESSERA_BULK_COPY)
    constexpr auto kType = sizeof(T) == 2   ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                           : sizeof(T) == 4 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32
                                            : CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
    const cuuint64_t extents[3] = {static_cast<cuuint64_t>(seen.columns),
                                   static_cast<cuuint64_t>(seen.rows),
                                   static_cast<cuuint64_t>(seen.planes)};
    const cuuint64_t strides[2] = {row * sizeof(T), plane * sizeof(T)};
    const cuuint32_t box[3] = {static_cast<cuuint32_t>(box_x), static_cast<cuuint32_t>(box_y), 1};
    const cuuint32_t each[3] = {1, 1, 1};
    const CUresult result =
        encoder()(&map_, kType, 3, const_cast<T*>(corner), extents, strides, box, each,
                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                  CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    require(result == CUDA_SUCCESS, "a tensor map of {} x {} x {} elements: error {}", seen.columns,
            seen.rows, seen.planes, static_cast<int>(result));
#endif
  }

  /// One thread: starts to copy the box whose first element is (z, y, x), counted from the corner,
  /// x times the element's size a multiple of 16; elements before the corner and past the field are
  /// zeros. `scratch`: on 128 bytes.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION void copy([[maybe_unused]] T* scratch, [[maybe_unused]] int z,
                                        [[maybe_unused]] int y, [[maybe_unused]] int x,
                                        [[maybe_unused]] const ScratchBarrier& barrier) const {
#if defined(TESSERA_BULK_COPY) && defined(__CUDA_ARCH__)
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
        "[%1, {%2, %3, %4}], [%5];" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(scratch))),
        "l"(&map_), "r"(x), "r"(y), "r"(z), "r"(barrier.address())
        : "memory");
#elif defined(TESSERA_COPY_AT_ONCE)
    if (x * static_cast<int>(sizeof(T)) % 16 != 0)  // an illegal instruction on an H200
      Kokkos::abort("a bulk copy begins between 16 bytes");
    for (int i = 0; i < box_x_ * box_y_; ++i) {
      const int at_y = y + i / box_x_, at_x = x + i % box_x_;
      const bool seen = z >= 0 && z < seen_.planes && at_y >= 0 && at_y < seen_.rows && at_x >= 0 &&
                        at_x < seen_.columns;
      scratch[i] = seen ? static_cast<const T*>(corner_)[z * plane_ + at_y * row_ + at_x] : T(0);
    }
    barrier.change(0, -box_x_ * box_y_ * static_cast<int>(sizeof(T)));
#endif
  }

 private:
#if defined(TESSERA_BULK_COPY)
  using Encode = decltype(&cuTensorMapEncodeTiled);
  /// The driver's function, which no library of the toolkit holds.
  [[nodiscard]] static Encode encoder() {
    static const Encode kEncode = [] {
      void* function = nullptr;
      cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
      native::check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                                     cudaEnableDefault, &found),
                    "driver entry point");
#else
      native::check(
          cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found),
          "driver entry point");
#endif
      require(function != nullptr, "the driver has no tensor maps");
      return reinterpret_cast<Encode>(function);
    }();
    return kEncode;
  }
  CUtensorMap map_{};
#elif defined(TESSERA_COPY_AT_ONCE)
  const void* corner_ = nullptr;
  std::int64_t plane_ = 0;
  Seen seen_{};
  int row_ = 0, box_x_ = 0, box_y_ = 0;
#endif
};

}  // namespace tessera
