// SPDX-License-Identifier: Apache-2.0
#include "program/measure/measurements.hpp"

#include "program/measure/cache_triads.hpp"
#include "program/measure/device.hpp"
#include "program/measure/memory.hpp"
#include "program/measure/timing.hpp"
#include "program/measure/topology.hpp"

#include <algorithm>

namespace tessera::measure {

namespace {

// Times launches of so many passes over `bytes_a_pass` that a sample hides the launch.
template <class Launch>
machine::Rate triad_rate(const CacheOptions& options, double bytes_a_pass, const Launch& launch) {
  const ExecSpace exec;
  const double sample_s = sample_seconds(options.sample_s);
  const WorkFunction work = [&](const ExecSpace& instance, std::int64_t passes) {
    launch(instance, static_cast<int>(passes));
  };
  const std::int64_t passes = enough_work(exec, work, sample_s, 4, 100'000'000);
  const machine::Summary times =
      machine::summarise(measure(exec, sample_s, options.repetitions,
                                 [&](const ExecSpace& instance) { work(instance, passes); }));
  return rate(bytes_a_pass * static_cast<double>(passes) * 1e-9, times);
}

template <class T>
machine::Rate host_rate(const CacheOptions& options, std::int64_t thread_bytes) {
  const ExecSpace exec;
  const std::int64_t threads = exec.concurrency();
  const std::int64_t vector = kTriadBlock / static_cast<std::int64_t>(sizeof(T));
  const std::int64_t count =
      std::max<std::int64_t>(thread_bytes / 3 / static_cast<std::int64_t>(sizeof(T)) / vector, 1) *
      vector;
  // Two lines between the arrays, or equal indices would fall into one cache set.
  const std::int64_t gap = count + 2 * vector;
  const std::int64_t stride = 3 * gap + 4 * vector;
  const Kokkos::View<T*, ExecSpace::memory_space> memory(
      "tessera::measure::cache", static_cast<std::size_t>(threads * stride + vector));
  Kokkos::deep_copy(memory, T(1));
  const auto misaligned = reinterpret_cast<std::uintptr_t>(memory.data()) % kTriadBlock;
  T* const base = memory.data() + (kTriadBlock - misaligned) % kTriadBlock / sizeof(T);
  const double bytes = 3.0 * static_cast<double>(count * threads) * sizeof(T);
  return triad_rate(options, bytes, [&](const ExecSpace& instance, int passes) {
    Kokkos::parallel_for(
        "tessera::measure::cache",
        Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(instance, 0, threads),
        HostTriad<T>{base, stride, gap, count, passes});
  });
}

template <class T>
machine::Rate device_rate(const CacheOptions& options, std::int64_t total_bytes) {
  std::int64_t count = 1024;
  while (3 * 2 * count * static_cast<std::int64_t>(sizeof(T)) <= total_bytes) count *= 2;
  const Kokkos::View<T*, ExecSpace::memory_space> memory("tessera::measure::cache",
                                                         static_cast<std::size_t>(3 * count));
  Kokkos::deep_copy(memory, T(1));
  const DeviceProperties device = device_properties();
  const std::int64_t threads =
      std::min<std::int64_t>(count, std::int64_t{device.units} * device.threads_per_unit);
  const double bytes = 3.0 * static_cast<double>(count) * sizeof(T);
  return triad_rate(options, bytes, [&](const ExecSpace& instance, int passes) {
    Kokkos::parallel_for(
        "tessera::measure::cache",
        Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(instance, 0, threads),
        DeviceTriad<T>{memory.data(), count, passes, threads});
  });
}

template <class T>
machine::Rate scratch_rate(const CacheOptions& options, int units) {
  using Kernel = ScratchTriad<T>;
  // Enough teams for several on each unit: one alone would wait at its barriers.
  const int league = 16 * units;
  const Kokkos::View<T*, ExecSpace::memory_space> sink("tessera::measure::sink",
                                                       static_cast<std::size_t>(league));
  const double bytes = 3.0 * Kernel::kCount * sizeof(T) * league;
  return triad_rate(options, bytes, [&](const ExecSpace& instance, int passes) {
    launch_teams<Kernel::kTeamSize>(instance, "tessera::measure::scratch", league,
                                    Kernel::kBytes + kScratchSlack, Kernel{sink.data(), passes});
  });
}

template <class T>
machine::Rate l1_rate(const CacheOptions& options, int units) {
  using Kernel = L1Read<T>;
  const int league = 4 * units;  // 2048 threads and 32 KiB a unit
  const Kokkos::View<T*, ExecSpace::memory_space> data(
      "tessera::measure::cache", static_cast<std::size_t>(league) * Kernel::kCount);
  const Kokkos::View<T*, ExecSpace::memory_space> sink("tessera::measure::sink",
                                                       static_cast<std::size_t>(league));
  Kokkos::deep_copy(data, T(1));
  const double bytes = 1.0 * Kernel::kCount * sizeof(T) * league;
  return triad_rate(options, bytes, [&](const ExecSpace& instance, int passes) {
    launch_teams<Kernel::kTeamSize>(instance, "tessera::measure::l1", league, 0,
                                    Kernel{data.data(), sink.data(), passes});
  });
}

// The unified L1 and scratch of a unit; no runtime reports it. From the vendors' architecture
// papers.
std::int64_t l1_bytes(const DeviceProperties& device) {
  constexpr std::int64_t kKiB = 1024;
  struct Size {
    const char* architecture;
    std::int64_t bytes;
  };
  constexpr Size kSizes[] = {{"sm_60", 24 * kKiB},  {"sm_70", 128 * kKiB}, {"sm_75", 96 * kKiB},
                             {"sm_80", 192 * kKiB}, {"sm_86", 128 * kKiB}, {"sm_89", 128 * kKiB},
                             {"sm_90", 256 * kKiB}, {"sm_10", 256 * kKiB}, {"gfx90a", 16 * kKiB},
                             {"gfx94", 32 * kKiB}};
  for (const Size& size : kSizes) {
    if (device.architecture.rfind(size.architecture, 0) == 0) return size.bytes;
  }
  return device.scratch_bytes_per_unit;  // at least what it shares its memory with
}

template <class T>
machine::Rate rate_at(const CacheOptions& options, std::int64_t bytes) {
  if constexpr (kOnDevice) {
    return device_rate<T>(options, bytes);
  } else {
    return host_rate<T>(options, bytes);
  }
}

template <class T>
std::vector<CacheLevel> levels_for(const CacheOptions& options) {
  std::vector<CacheLevel> levels;
  const std::int64_t threads = kOnDevice ? 1 : ExecSpace().concurrency();
  for (const Cache& cache : execution_caches()) {
    // More instances than threads leave the rest idle; more threads than instances share.
    const std::int64_t sharers = std::max<std::int64_t>(threads / cache.instances, 1);
    const machine::Rate rate = rate_at<T>(options, cache.bytes / 2 / sharers);
    levels.push_back({cache.level, cache.bytes, cache.line_bytes, cache.instances, rate});
  }
  if constexpr (kOnDevice) {
    const DeviceProperties device = device_properties();
    levels.insert(levels.begin(),
                  {"L1", l1_bytes(device), 128, device.units, l1_rate<T>(options, device.units)});
    levels.push_back({"scratch", device.scratch_bytes_per_unit, 0, device.units,
                      scratch_rate<T>(options, device.units)});
  }
  return levels;
}

template <class T>
std::vector<CachePoint> sweep_for(const CacheOptions& options) {
  const std::int64_t threads = kOnDevice ? 1 : ExecSpace().concurrency();
  const std::int64_t largest =
      std::min(4 * last_level_cache_bytes(), available_memory_bytes() / 4) / threads;
  std::vector<CachePoint> points;
  for (std::int64_t bytes = kOnDevice ? 512 << 10 : 3 << 10; bytes <= largest; bytes *= 2) {
    points.push_back({bytes, rate_at<T>(options, bytes)});
  }
  return points;
}

}  // namespace

std::vector<CacheLevel> measure_caches(const CacheOptions& options) {
  return options.precision == "float" ? levels_for<float>(options) : levels_for<double>(options);
}

std::vector<CachePoint> sweep_caches(const CacheOptions& options) {
  return options.precision == "float" ? sweep_for<float>(options) : sweep_for<double>(options);
}

}  // namespace tessera::measure
