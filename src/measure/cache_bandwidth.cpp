// SPDX-License-Identifier: Apache-2.0
#include "measure/cache_bandwidth.hpp"

#include "error.hpp"
#include "measure/caches.hpp"
#include "measure/device.hpp"
#include "measure/memory.hpp"
#include "measure/timing.hpp"
#include "tile/host_vector.hpp"
#include "tile/static_for.hpp"

#include <algorithm>
#include <utility>

namespace tessera::measure {

namespace {

constexpr std::int64_t kLine = 128;
// Passes of a kernel while its length is still unknown.
constexpr int kTrialPasses = 4;

// Host: each thread repeats a triad over three arrays of its own, the roles rotating, so that no
// pass can be dropped and the values stay near one. Vectors are the widest by name, 128 bytes at a
// time: left to itself, a compiler may take narrower ones, and a branch for each.
template <class T>
struct HostTriad {
  T* base;
  std::int64_t stride;  // elements from thread to thread
  std::int64_t gap;     // elements from array to array
  std::int64_t count;   // elements of an array, a multiple of kLine bytes
  int passes;

  KOKKOS_FUNCTION void operator()(std::int64_t thread) const {
    T* out = base + thread * stride;
    T* in = out + gap;
    T* other = in + gap;
    for (int pass = 0; pass < passes; ++pass) {
      average(out, in, other);
      T* const oldest = other;
      other = in;
      in = out;
      out = oldest;
    }
  }

  // out = (in + other) / 2 in triad form: a fixed point at any constant, no overflow, no denormal.
  KOKKOS_FORCEINLINE_FUNCTION void average(T* out, const T* in, const T* other) const {
    constexpr int kLanes = kHostLanes<T>;
    constexpr int kVectors = static_cast<int>(kLine / sizeof(HostVector<T>));
    for (std::int64_t i = 0; i < count; i += kVectors * kLanes) {
      static_for<kVectors>([&](auto v) {
        const std::int64_t at = i + v * kLanes;
        const HostVector<T> a = load_host_vector(in + at);
        const HostVector<T> b = load_host_vector(other + at);
        store_host_vector(out + at, multiply_add_lanes<T>(all_lanes(T(0.5)), b - a, a));
      });
    }
  }
};

// Device, L2: all resident threads sweep the same arrays. In each pass the arrays are shifted
// against the threads, so that a unit meets lines that its own L1 does not hold.
template <class T>
struct DeviceTriad {
  T* base;
  std::int64_t count;  // elements of an array, a power of two
  int passes;
  std::int64_t threads;

  KOKKOS_FUNCTION void operator()(std::int64_t thread) const {
    for (int pass = 0; pass < passes; ++pass) {
      T* const out = base + (pass % 3) * count;
      const T* const in = base + ((pass + 1) % 3) * count;
      const T* const other = base + ((pass + 2) % 3) * count;
      const std::int64_t shift = std::int64_t{pass} * 8191 * 32;
      for (std::int64_t i = thread; i < count; i += threads) {
        const std::int64_t at = (i + shift) & (count - 1);
        out[at] = multiply_add(T(0.5), other[at] - in[at], in[at]);
      }
    }
  }
};

// Device, scratch: each team repeats the triad over arrays in its scratch.
template <class T>
struct ScratchTriad {
  static constexpr int kTeamSize = 256;
  // Elements of an array, a multiple of kTeamSize. Three arrays of 8 KiB: several teams fit in a
  // unit's scratch, and one in what Kokkos grants a launch.
  static constexpr int kCount = 8192 / static_cast<int>(sizeof(T));
  static constexpr std::size_t kBytes = 3 * kCount * sizeof(T);
  T* sink;
  int passes;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    // By value: device code cannot take the address of a host constant.
    constexpr int kLevel = kScratchLevel;
    const std::size_t bytes = std::size_t{3} * kCount * sizeof(T);
    auto* const base = static_cast<T*>(team.team_scratch(kLevel).get_shmem(bytes));
    for (int i = team.team_rank(); i < 3 * kCount; i += kTeamSize) base[i] = T(1);
    team.team_barrier();
    for (int pass = 0; pass < passes; ++pass) {
      T* const out = base + (pass % 3) * kCount;
      const T* const in = base + ((pass + 1) % 3) * kCount;
      const T* const other = base + ((pass + 2) % 3) * kCount;
      for (int i = team.team_rank(); i < kCount; i += kTeamSize) {
        out[i] = multiply_add(T(0.5), other[i] - in[i], in[i]);
      }
      team.team_barrier();
    }
    if (team.team_rank() == 0) sink[team.league_rank()] = base[kCount / 2];
  }
};

// Device, L1: each team sums an array of its own again and again, which its unit's L1 holds. The
// array moves a little from pass to pass, so that no pass can be dropped.
template <class T>
struct L1Read {
  static constexpr int kTeamSize = 512;
  static constexpr int kCount = 8192 / static_cast<int>(sizeof(T));  // elements, a power of two
  const T* base;
  T* sink;
  int passes;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const T* mine = base + static_cast<std::int64_t>(team.league_rank()) * kCount;
    T sum[4] = {};
    for (int pass = 0; pass < passes; ++pass) {
      const int start = team.team_rank() + pass * 32;
      for (int i = 0; i < kCount; i += 4 * kTeamSize) {
        for (int k = 0; k < 4; ++k) sum[k] += mine[(start + i + k * kTeamSize) & (kCount - 1)];
      }
    }
    // Never true: the sums are of ones.
    if (sum[0] + sum[1] + sum[2] + sum[3] < T(0)) sink[team.league_rank()] = sum[0];
  }
};

// Times launches of `passes` passes over `bytes_a_pass`; the passes are raised until a sample is
// long enough to hide the launch.
template <class Launch>
Rate triad_rate(const CacheOptions& options, double bytes_a_pass, const Launch& launch) {
  const ExecSpace exec;
  int passes = kTrialPasses;
  const StepFunction step = [&](const ExecSpace& instance) { launch(instance, passes); };
  // The shortest of three, and longer than half the passes take: where others share the cores, all
  // three may be interrupted, which would end the search with too few passes.
  const auto shortest = [&] {
    double seconds = Sampler(exec, step).warm_up(0);
    for (int i = 0; i < 2; ++i) seconds = std::min(seconds, Sampler(exec, step).warm_up(0));
    return seconds;
  };
  double seconds = shortest();
  bool grown = false;
  for (int trial = 0; trial < 24 && !(grown && seconds >= options.sample_s); ++trial) {
    const double factor = std::clamp(1.1 * options.sample_s / std::max(seconds, 1e-7), 2.0, 32.0);
    passes = static_cast<int>(std::min(passes * factor, 1e8));
    const double before = std::exchange(seconds, shortest());
    grown = seconds > 1.5 * before;
  }
  const Summary times = summarise(measure(exec, options.sample_s, options.repetitions, step));
  return rate(bytes_a_pass * passes * 1e-9, times);
}

template <class T>
Rate host_rate(const CacheOptions& options, std::int64_t thread_bytes) {
  const ExecSpace exec;
  const std::int64_t threads = exec.concurrency();
  const std::int64_t vector = kLine / static_cast<std::int64_t>(sizeof(T));
  const std::int64_t count =
      std::max<std::int64_t>(thread_bytes / 3 / static_cast<std::int64_t>(sizeof(T)) / vector, 1) *
      vector;
  // Two lines between the arrays, or equal indices would fall into one cache set.
  const std::int64_t gap = count + 2 * vector;
  const std::int64_t stride = 3 * gap + 4 * vector;
  const Kokkos::View<T*, ExecSpace::memory_space> memory(
      "tessera::measure::cache", static_cast<std::size_t>(threads * stride + vector));
  Kokkos::deep_copy(memory, T(1));
  const auto misaligned = reinterpret_cast<std::uintptr_t>(memory.data()) % kLine;
  T* const base = memory.data() + (kLine - misaligned) % kLine / sizeof(T);
  const double bytes = 3.0 * static_cast<double>(count * threads) * sizeof(T);
  return triad_rate(options, bytes, [&](const ExecSpace& instance, int passes) {
    Kokkos::parallel_for(
        "tessera::measure::cache",
        Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(instance, 0, threads),
        HostTriad<T>{base, stride, gap, count, passes});
  });
}

template <class T>
Rate device_rate(const CacheOptions& options, std::int64_t total_bytes) {
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
Rate scratch_rate(const CacheOptions& options, int units) {
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
Rate l1_rate(const CacheOptions& options, int units) {
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

// The unified L1 and scratch of a unit; no runtime tells it. From the vendors' architecture papers.
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
Rate rate_at(const CacheOptions& options, std::int64_t bytes) {
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
    const Rate rate = rate_at<T>(options, cache.bytes / 2 / sharers);
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

bool is_float(const CacheOptions& options) {
  require(options.precision == "float" || options.precision == "double",
          "precision is \"{}\", not \"float\" or \"double\"", options.precision);
  return options.precision == "float";
}

}  // namespace

std::vector<CacheLevel> measure_caches(const CacheOptions& options) {
  return is_float(options) ? levels_for<float>(options) : levels_for<double>(options);
}

std::vector<CachePoint> sweep_caches(const CacheOptions& options) {
  return is_float(options) ? sweep_for<float>(options) : sweep_for<double>(options);
}

}  // namespace tessera::measure
