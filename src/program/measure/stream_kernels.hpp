// SPDX-License-Identifier: Apache-2.0
// The loops behind streams.cpp and cache_bandwidth.cpp, written once for devices and hosts.
#pragma once

#include "base/device/fma.hpp"
#include "base/device/space.hpp"

#include <cstdint>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace tessera::measure {

/// Three arrays of `count` elements, a multiple of kChunkElements; loops write the first.
template <class T>
struct Arrays {
  T* out;
  T* in;
  T* other;
  std::int64_t count;
};

/// b = a.
struct Copy {
  static constexpr const char* kLabel = "tessera::measure::copy";
  static constexpr int kAccesses = 2;  // of one element each
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T apply(T /*out*/, T in, T /*other*/) {
    return in;
  }
};

/// c = a + s b, s a constant.
struct Triad {
  static constexpr const char* kLabel = "tessera::measure::triad";
  static constexpr int kAccesses = 3;
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T apply(T /*out*/, T in, T other) {
    return multiply_add(T(0.5), other, in);
  }
};

/// b = a + q b, q an array: the traffic of a leap-frog step, which overwrites the oldest field.
struct Update {
  static constexpr const char* kLabel = "tessera::measure::update";
  static constexpr int kAccesses = 4;
  template <class T>
  static KOKKOS_FORCEINLINE_FUNCTION T apply(T out, T in, T other) {
    return multiply_add(other, out, in);
  }
};

/// Applies Operation to elements [begin, end) of the arrays, which do not overlap, on one host
/// thread: a loop that the compiler vectorises.
template <class Operation, class T>
void apply_row(T* __restrict__ out, const T* __restrict__ in, const T* __restrict__ other,
               std::int64_t begin, std::int64_t end) {
#pragma omp simd
  for (std::int64_t i = begin; i < end; ++i) out[i] = Operation::apply(out[i], in[i], other[i]);
}

/// Elements that one index of a StreamKernel handles: 16 bytes on a device, the widest access of a
/// thread; a whole chunk, long enough for a loop of its own, on a host.
template <class T>
inline constexpr std::int64_t kChunkElements = kOnDevice ? 16 / sizeof(T) : 4096;

/// Enqueues one pass of a kernel over its arrays.
template <class Kernel>
void enqueue(const ExecSpace& exec, const Kernel& kernel) {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  const std::int64_t chunks = kernel.arrays.count / kChunkElements<typename Kernel::Value>;
  Kokkos::parallel_for(Kernel::kLabel, Policy(exec, 0, chunks), kernel);
}

/// One pass of Operation over the arrays.
template <class Operation, class T>
struct StreamKernel {
  using Value = T;
  static constexpr const char* kLabel = Operation::kLabel;
  struct alignas(16) Pack {
    T value[16 / sizeof(T)];
  };

  Arrays<T> arrays;

  KOKKOS_FUNCTION void operator()(std::int64_t chunk) const {
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
    auto* out = reinterpret_cast<Pack*>(arrays.out) + chunk;
    const Pack in = reinterpret_cast<const Pack*>(arrays.in)[chunk];
    Pack result{};
    Pack other{};
    if constexpr (Operation::kAccesses > 2) {
      other = reinterpret_cast<const Pack*>(arrays.other)[chunk];
    }
    if constexpr (Operation::kAccesses > 3) result = *out;
    for (int i = 0; i < int(16 / sizeof(T)); ++i) {
      result.value[i] = Operation::apply(result.value[i], in.value[i], other.value[i]);
    }
    *out = result;
#else
    const std::int64_t begin = chunk * kChunkElements<T>;
    apply_row<Operation>(arrays.out, arrays.in, arrays.other, begin, begin + kChunkElements<T>);
#endif
  }
};

/// Fills the arrays, each page touched by the thread that will use it.
template <class T>
struct FillKernel {
  using Value = T;
  static constexpr const char* kLabel = "tessera::measure::fill";
  Arrays<T> arrays;
  T out, in, other;

  KOKKOS_FUNCTION void operator()(std::int64_t chunk) const {
    const std::int64_t begin = chunk * kChunkElements<T>;
    for (std::int64_t i = begin; i < begin + kChunkElements<T>; ++i) {
      arrays.out[i] = out;
      arrays.in[i] = in;
      arrays.other[i] = other;
    }
  }
};

/// Counts elements of `data` outside [low, high]; NaN is outside.
template <class T>
struct OutsideKernel {
  const T* data;
  T low, high;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& outside) const {
    if (!(data[i] >= low && data[i] <= high)) ++outside;
  }
};

#if defined(__SSE2__) && !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
#define TESSERA_HAVE_STREAMING_STORES 1
/// Copy with non-temporal stores: the lines written are not read first.
template <class T>
struct StreamingCopyKernel {
  using Value = T;
  static constexpr const char* kLabel = "tessera::measure::copy_streaming";
  Arrays<T> arrays;

  void operator()(std::int64_t chunk) const {
    const auto* in = reinterpret_cast<const char*>(arrays.in + chunk * kChunkElements<T>);
    auto* out = reinterpret_cast<char*>(arrays.out + chunk * kChunkElements<T>);
    constexpr std::int64_t kBytes = kChunkElements<T> * sizeof(T);
#if defined(__AVX__)
    for (std::int64_t i = 0; i < kBytes; i += 32) {
      _mm256_stream_ps(reinterpret_cast<float*>(out + i),
                       _mm256_load_ps(reinterpret_cast<const float*>(in + i)));
    }
#else
    for (std::int64_t i = 0; i < kBytes; i += 16) {
      _mm_stream_ps(reinterpret_cast<float*>(out + i),
                    _mm_load_ps(reinterpret_cast<const float*>(in + i)));
    }
#endif
    _mm_sfence();  // the stores are weakly ordered; a fence of the instance must cover them
  }
};
#endif

}  // namespace tessera::measure
