// SPDX-License-Identifier: Apache-2.0
// The device runtime's calls behind native_launch.hpp and instances.hpp. CUDA and HIP differ in
// names only, and those stand side by side at the top.
#pragma once

#include "base/device/space.hpp"
#include "base/support/error.hpp"

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)  // elsewhere the file is empty

namespace tessera::native {

#if defined(KOKKOS_ENABLE_CUDA)
using Status = cudaError_t;
using Attribute = cudaDeviceAttr;
using Stream = cudaStream_t;
using Event = cudaEvent_t;
inline constexpr Status kSuccess = cudaSuccess;
inline constexpr Attribute kScratchLimit = cudaDevAttrMaxSharedMemoryPerBlockOptin;
inline constexpr Attribute kMultiprocessors = cudaDevAttrMultiProcessorCount;
inline constexpr auto kScratchOptIn = cudaFuncAttributeMaxDynamicSharedMemorySize;
inline constexpr auto kScratchShare = cudaFuncAttributePreferredSharedMemoryCarveout;
inline constexpr auto error_string = cudaGetErrorString;
inline constexpr auto last_error = cudaGetLastError;
inline constexpr auto get_device = cudaGetDevice;
inline constexpr auto get_attribute = cudaDeviceGetAttribute;
inline constexpr unsigned kNonBlocking = cudaStreamNonBlocking;
inline constexpr unsigned kWithoutTiming = cudaEventDisableTiming;
inline constexpr auto create_stream = cudaStreamCreateWithPriority;
inline constexpr auto priority_range = cudaDeviceGetStreamPriorityRange;
inline constexpr auto count_devices = cudaGetDeviceCount;
inline constexpr auto destroy_stream = cudaStreamDestroy;
inline constexpr auto create_event = cudaEventCreateWithFlags;
inline constexpr auto destroy_event = cudaEventDestroy;
inline constexpr auto record_event = cudaEventRecord;
inline constexpr auto wait_for_event = cudaStreamWaitEvent;
inline auto stream(const ExecSpace& exec) { return exec.cuda_stream(); }
template <class... A>
Status set_attribute(A... a) {
  return cudaFuncSetAttribute(a...);
}
template <class... A>
Status occupancy(A... a) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(a...);
}
template <class... A>
Status cooperative(A... a) {
  return cudaLaunchCooperativeKernel(a...);
}
using Attributes = cudaFuncAttributes;
inline Status get_attributes(Attributes* attributes, const void* kernel) {
  return cudaFuncGetAttributes(attributes, kernel);
}
#else
using Status = hipError_t;
using Attribute = hipDeviceAttribute_t;
using Stream = hipStream_t;
using Event = hipEvent_t;
inline constexpr Status kSuccess = hipSuccess;
inline constexpr Attribute kScratchLimit = hipDeviceAttributeMaxSharedMemoryPerBlock;
inline constexpr Attribute kMultiprocessors = hipDeviceAttributeMultiprocessorCount;
inline constexpr auto kScratchOptIn = hipFuncAttributeMaxDynamicSharedMemorySize;
inline constexpr auto kScratchShare = hipFuncAttributePreferredSharedMemoryCarveout;
inline constexpr auto error_string = hipGetErrorString;
inline constexpr auto last_error = hipGetLastError;
inline constexpr auto get_device = hipGetDevice;
inline constexpr auto get_attribute = hipDeviceGetAttribute;
inline constexpr unsigned kNonBlocking = hipStreamNonBlocking;
inline constexpr unsigned kWithoutTiming = hipEventDisableTiming;
inline constexpr auto create_stream = hipStreamCreateWithPriority;
inline constexpr auto priority_range = hipDeviceGetStreamPriorityRange;
inline constexpr auto count_devices = hipGetDeviceCount;
inline constexpr auto destroy_stream = hipStreamDestroy;
inline constexpr auto create_event = hipEventCreateWithFlags;
inline constexpr auto destroy_event = hipEventDestroy;
inline constexpr auto record_event = hipEventRecord;
inline constexpr auto wait_for_event = hipStreamWaitEvent;
inline auto stream(const ExecSpace& exec) { return exec.hip_stream(); }
template <class... A>
Status set_attribute(A... a) {
  return hipFuncSetAttribute(a...);
}
template <class... A>
Status occupancy(A... a) {
  return hipOccupancyMaxActiveBlocksPerMultiprocessor(a...);
}
template <class... A>
Status cooperative(A... a) {
  return hipLaunchCooperativeKernel(a...);
}
using Attributes = hipFuncAttributes;
inline Status get_attributes(Attributes* attributes, const void* kernel) {
  return hipFuncGetAttributes(attributes, kernel);
}
#endif

#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define TESSERA_DEVICE_PASS  // device code is being generated; the host pass never calls these
#endif

KOKKOS_FORCEINLINE_FUNCTION int block() {
#if defined(TESSERA_DEVICE_PASS)
  return static_cast<int>(blockIdx.x);
#else
  return 0;
#endif
}
KOKKOS_FORCEINLINE_FUNCTION int blocks() {
#if defined(TESSERA_DEVICE_PASS)
  return static_cast<int>(gridDim.x);
#else
  return 0;
#endif
}
KOKKOS_FORCEINLINE_FUNCTION int thread() {
#if defined(TESSERA_DEVICE_PASS)
  return static_cast<int>(threadIdx.x);
#else
  return 0;
#endif
}
KOKKOS_FORCEINLINE_FUNCTION int threads() {
#if defined(TESSERA_DEVICE_PASS)
  return static_cast<int>(blockDim.x);
#else
  return 0;
#endif
}
KOKKOS_FORCEINLINE_FUNCTION void barrier() {
#if defined(TESSERA_DEVICE_PASS)
  __syncthreads();
#endif
}
__device__ __forceinline__ void* dynamic_scratch() {
  extern __shared__ __align__(128) unsigned char tessera_native_scratch[];
  return tessera_native_scratch;
}

/// Throws Error with the runtime's own message unless `status` is success. The runtime keeps an
/// error until it is read: it must not be the next launch's.
inline void check(Status status, const char* call) {
  if (status != kSuccess) static_cast<void>(last_error());
  require(status == kSuccess, "{}: {}", call, error_string(status));
}

inline int device_attribute(Attribute attribute) {
  int device = 0;
  int value = 0;
  check(get_device(&device), "device query");
  check(get_attribute(&value, attribute, device), "device attribute");
  return value;
}

inline int max_scratch_bytes() { return device_attribute(kScratchLimit); }

/// Opts the kernel in to `scratch` bytes of dynamic shared memory, and requests all of the cache
/// that can be scratch, so that as many teams as possible are resident. Kernels with little scratch
/// live on the cache: it stays theirs.
template <class Kernel>
void allow_scratch(Kernel kernel, std::size_t scratch) {
  constexpr std::size_t kLittle = 16 * 1024;
  if (scratch <= kLittle) return;
  const auto* symbol = reinterpret_cast<const void*>(kernel);
  constexpr int kPercent = 100;
  check(set_attribute(symbol, kScratchOptIn, static_cast<int>(scratch)), "scratch opt-in");
  check(set_attribute(symbol, kScratchShare, kPercent), "scratch share");
}

template <class Kernel>
[[nodiscard]] int max_resident_blocks(Kernel kernel, int block_threads, std::size_t scratch) {
  allow_scratch(kernel, scratch);
  int per_multiprocessor = 0;
  check(occupancy(&per_multiprocessor, kernel, block_threads, scratch), "occupancy query");
  return per_multiprocessor * device_attribute(kMultiprocessors);
}

/// Registers of a thread.
template <class Kernel>
[[nodiscard]] int registers_of(Kernel kernel) {
  Attributes attributes{};
  check(get_attributes(&attributes, reinterpret_cast<const void*>(kernel)), "kernel attributes");
  return attributes.numRegs;
}

template <class Kernel, class Functor>
void launch(Kernel kernel, const ExecSpace& exec, int league, int block_threads,
            std::size_t scratch, const Functor& functor) {
  allow_scratch(kernel, scratch);
  kernel<<<league, block_threads, scratch, stream(exec)>>>(functor, static_cast<int>(scratch));
  check(last_error(), "kernel launch");
}

template <class Kernel, class Functor>
void launch_cooperative(Kernel kernel, const ExecSpace& exec, int league, int block_threads,
                        std::size_t scratch, const Functor& functor) {
  allow_scratch(kernel, scratch);
  int bytes = static_cast<int>(scratch);
  Functor copy = functor;
  void* arguments[] = {&copy, &bytes};
  check(cooperative(reinterpret_cast<const void*>(kernel), dim3(league), dim3(block_threads),
                    arguments, scratch, stream(exec)),
        "cooperative launch");
}

}  // namespace tessera::native

#endif
