// SPDX-License-Identifier: Apache-2.0
#include "program/measure/measurements.hpp"

#include "base/device/host_vector.hpp"
#include "base/support/error.hpp"
#include "program/measure/device.hpp"
#include "program/measure/timing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tessera::measure {

namespace {

constexpr double kSample = 0.02;  // seconds
constexpr std::int64_t kTrialIterations = 2048;
constexpr std::int64_t kMostIterations = kTrialIterations << 16;

// Chains a thread advances side by side, host vectors: latency times throughput of a multiply-add
// is 8 to 10 of them on current cores; these fill two thirds of the vector registers. They are
// named, or a compiler that prefers narrow vectors would measure half of a wide unit's peak. On a
// device a chain is one value, and each thread needs only a few, since others fill the gaps.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
constexpr int kChains = 8;
#elif defined(__AVX512F__)
constexpr int kChains = 16;
#elif defined(__aarch64__)
constexpr int kChains = 24;
#else
constexpr int kChains = 12;
#endif

// Each chain runs x <- x f + a with f and a known at run time only, so nothing can be precomputed,
// and ends near a / (1 - f) whatever it began with, which distinguishes a computed chain from a
// dropped one.
template <class T>
struct MultiplyAddKernel {
  static constexpr int kLanes = kHostLanes<T>;
  T* sink;
  T factor;
  T addend;
  std::int64_t iterations;

  KOKKOS_FUNCTION void operator()(std::int64_t thread) const {
    HostVector<T> chain[kChains];
    static_for<kChains>([&](auto c) { chain[c] = all_lanes(T(0.001) * T(int(c))); });
    const HostVector<T> f = all_lanes(factor), a = all_lanes(addend);
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#pragma unroll 16
#endif
    for (std::int64_t i = 0; i < iterations; ++i) {
      static_for<kChains>([&](auto c) { chain[c] = multiply_add_lanes<T>(f, chain[c], a); });
    }
    HostVector<T> sum{};
    static_for<kChains>([&](auto c) { sum += chain[c]; });
    T lanes[kLanes];
    store_host_vector(lanes, sum);
    T total = 0;
    for (const T lane : lanes) total += lane;
    sink[thread] = total / T(kChains * kLanes);
  }
};

std::int64_t resident_threads() {
  if constexpr (!kOnDevice) return ExecSpace().concurrency();
  const DeviceProperties device = device_properties();
  return std::int64_t{device.units} * device.threads_per_unit;
}

template <class T>
machine::Rate peak_for(int repetitions) {
  using Kernel = MultiplyAddKernel<T>;
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  const ExecSpace exec;
  const double sample_s = sample_seconds(kSample);
  const std::int64_t threads = resident_threads();
  const Kokkos::View<T*, ExecSpace::memory_space> sink("tessera::measure::peak",
                                                       static_cast<std::size_t>(threads));
  const T factor = T(0.9375);
  const T addend = T(0.0625);  // the chains end at one
  const WorkFunction work = [&](const ExecSpace& instance, std::int64_t iterations) {
    Kokkos::parallel_for("tessera::measure::peak", Policy(instance, 0, threads),
                         Kernel{sink.data(), factor, addend, iterations});
  };
  std::int64_t iterations = kTrialIterations;
  const StepFunction step = [&](const ExecSpace& instance) { work(instance, iterations); };
  Sampler(exec, step).warm_up(10 * sample_s);  // past the clock ramp
  iterations = enough_work(exec, work, sample_s, kTrialIterations, kMostIterations);
  const auto take = [&] {
    return std::vector<std::vector<double>>{measure(exec, sample_s, repetitions, step)};
  };
  const machine::Summary times = steadiest(take).front();

  const auto ends = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sink);
  for (std::int64_t t = 0; t < threads; ++t) {
    const double end = static_cast<double>(ends(static_cast<std::size_t>(t)));
    require(std::abs(end - 1.0) < 1e-4, "peak: thread {} ended at {}, not at 1", t, end);
  }
  const double flops = 2.0 * kChains * Kernel::kLanes * static_cast<double>(iterations * threads);
  return rate(flops * 1e-9, times);
}

struct EmptyKernel {
  KOKKOS_FUNCTION void operator()(int /*thread*/) const {}
};

void launch_empty(const ExecSpace& exec) {
  const int threads = kOnDevice ? 1 : exec.concurrency();
  Kokkos::parallel_for("tessera::measure::empty", Kokkos::RangePolicy<ExecSpace>(exec, 0, threads),
                       EmptyKernel{});
}

machine::Summary microseconds(const StepFunction& step, int launches, int repetitions) {
  std::vector<double> samples =
      measure(ExecSpace(), sample_seconds(0.01), repetitions, step, launches);
  for (double& sample : samples) sample *= 1e6;
  return machine::summarise(samples);
}

}  // namespace

machine::Rate measure_peak_gflop_per_s(const std::string& precision, int repetitions) {
  return precision == "float" ? peak_for<float>(repetitions) : peak_for<double>(repetitions);
}

LaunchLatency measure_launch_latency(int launches, int repetitions) {
  require(launches >= 1, "launches a sample: {}, must be at least 1", launches);
  const StepFunction unfenced = [](const ExecSpace& exec) { launch_empty(exec); };
  const StepFunction fenced = [](const ExecSpace& exec) {
    launch_empty(exec);
    exec.fence();
  };
  return {microseconds(fenced, launches, repetitions),
          microseconds(unfenced, launches, repetitions)};
}

}  // namespace tessera::measure
