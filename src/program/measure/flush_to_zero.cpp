// SPDX-License-Identifier: Apache-2.0
#include "program/measure/flush_to_zero.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace tessera::measure {

namespace {

using HostSpace = Kokkos::DefaultHostExecutionSpace;
using HostRange = Kokkos::RangePolicy<HostSpace, Kokkos::Schedule<Kokkos::Static>>;

void set_on_this_thread() {
#if defined(__SSE2__)
  constexpr unsigned kFlushToZero = 0x8000;
  constexpr unsigned kDenormalsAreZero = 0x0040;
  _mm_setcsr(_mm_getcsr() | kFlushToZero | kDenormalsAreZero);
#elif defined(__aarch64__)
  constexpr std::uint64_t kFlushToZero = std::uint64_t{1} << 24;
  std::uint64_t control = 0;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  asm volatile("msr fpcr, %0" : : "r"(control | kFlushToZero));
#endif
}

// Volatile, or the compiler would do the product itself, with denormals.
bool product_is_zero() {
  const volatile float smallest = std::numeric_limits<float>::min();
  const volatile float half = 0.5F;
  const volatile float product = smallest * half;
  return product == 0.0F;
}

struct SetKernel {
  void operator()(int) const { set_on_this_thread(); }
};

struct CountKernel {
  void operator()(int, int& flushing) const { flushing += product_is_zero() ? 1 : 0; }
};

// Enough iterations that a static schedule gives every thread some.
int iterations() { return 64 * HostSpace().concurrency(); }

}  // namespace

void set_flush_to_zero() {
  set_on_this_thread();
  Kokkos::parallel_for("tessera::measure::set_flush_to_zero", HostRange(0, iterations()),
                       SetKernel{});
  HostSpace().fence();
}

bool flushes_to_zero() {
  int flushing = 0;
  Kokkos::parallel_reduce("tessera::measure::flushes_to_zero", HostRange(0, iterations()),
                          CountKernel{}, flushing);
  HostSpace().fence();
  return product_is_zero() && flushing == iterations();
}

}  // namespace tessera::measure
