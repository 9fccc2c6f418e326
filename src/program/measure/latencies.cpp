// SPDX-License-Identifier: Apache-2.0
#include "program/measure/measurements.hpp"

#include "base/device/fma.hpp"
#include "base/device/grid_barrier.hpp"
#include "base/device/native_launch.hpp"
#include "base/device/scratch_pointer.hpp"
#include "base/support/error.hpp"
#include "program/measure/streams.hpp"
#include "program/measure/timing.hpp"
#include "program/measure/topology.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

namespace tessera::measure {

namespace {

constexpr double kSample = 0.002;  // seconds
constexpr int kTrialLength = 256;
constexpr int kMostLength = 1 << 26;
constexpr double kNanoseconds = 1e9;

using Numbers = Kokkos::View<std::uint32_t*, ExecSpace::memory_space>;

// A ring of blocks of 2 MiB: within one the walk goes to a node after the other by a linear
// congruence of full period, which no prefetcher follows, then to the next block. So addresses are
// translated by what is at hand, as those of a stencil are. Nodes lie apart further than caches
// fetch at a time.
constexpr std::uint32_t kNodeWords = 64;     // of 4 bytes
constexpr std::uint32_t kBlockNodes = 8192;  // a power of two
constexpr std::uint32_t kFactor = 1664525;   // 1 modulo 4
constexpr std::uint32_t kAddend = 1013904223;

[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t node_after(std::uint32_t node,
                                                                   std::uint32_t nodes) {
  const std::uint32_t block = node / kBlockNodes;
  const std::uint32_t next = (node % kBlockNodes * kFactor + kAddend) % kBlockNodes;
  if (next != 0) return block * kBlockNodes + next;
  return (block + 1) * kBlockNodes < nodes ? (block + 1) * kBlockNodes : 0;
}

struct LinkNodes {
  Numbers::pointer_type words;
  std::uint32_t nodes;
  KOKKOS_FUNCTION void operator()(std::int64_t node) const {
    const auto from = static_cast<std::uint32_t>(node);
    words[static_cast<std::int64_t>(from) * kNodeWords] = node_after(from, nodes) * kNodeWords;
  }
};

// Continues from where the launch before it ended: no launch finds its nodes in a cache.
struct WalkMemory {
  const std::uint32_t* words;
  std::uint32_t* at;
  int length;
  KOKKOS_FUNCTION void operator()(int /*thread*/) const {
    std::uint32_t word = *at;
    for (int i = 0; i < length; ++i) word = words[word];
    *at = word;
  }
};

constexpr int kScratchWords = 1024;
constexpr int kScratchStride = 33;  // of another bank, and no divisor of the words
constexpr int kWarp = 32;

// All threads of one team walk the same ring.
struct WalkScratch {
  std::uint32_t* at;
  int length;
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Kokkos::View<std::uint32_t*, ScratchSpace, Kokkos::MemoryUnmanaged> ring(scratch_of(team),
                                                                                   kScratchWords);
    std::uint32_t* const words = scratch_pointer(ring.data());
    for (int i = team.team_rank(); i < kScratchWords; i += team.team_size()) {
      words[i] = static_cast<std::uint32_t>((i + kScratchStride) % kScratchWords);
    }
    team.team_barrier();
    std::uint32_t word = *at;
    for (int i = 0; i < length; ++i) word = words[word];
    team.team_barrier();
    if (team.team_rank() == 0) *at = word;
  }
};

// x <- x f + a ends near a / (1 - f), whatever it began with.
struct MultiplyAddChain {
  double* end;
  double factor, addend;
  int length;
  KOKKOS_FUNCTION void operator()(int /*thread*/) const {
    double x = *end;
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#pragma unroll 16
#endif
    for (int i = 0; i < length; ++i) x = multiply_add(x, factor, addend);
    *end = x;
  }
};

constexpr int kBarrierThreads = 256;  // EBISU's team

struct WaitForAll {
  GridBarrier barrier;
  std::uint32_t* passed_by;
  int length;
  KOKKOS_FUNCTION void operator()(const NativeTeam& team) const {
    unsigned passed = 0;
    for (int i = 0; i < length; ++i) barrier.arrive_and_wait(team, passed);
    if (team.team_rank() == 0) passed_by[team.league_rank()] = passed;
  }
};

// Nanoseconds an operation: launch(exec, length) makes `length` of them one after another, so many
// that a launch of its own no longer counts.
struct Timed {
  machine::Summary ns;
  std::int64_t length = 0;
  std::int64_t operations = 0;  // of all launches together
};
Timed time_chain(int repetitions, const std::function<void(const ExecSpace&, int)>& launch) {
  const ExecSpace exec;
  const double sample_s = sample_seconds(kSample);
  Timed timed;
  const WorkFunction work = [&](const ExecSpace& instance, std::int64_t length) {
    launch(instance, static_cast<int>(length));
    timed.operations += length;
  };
  timed.length = kTrialLength;
  const StepFunction step = [&](const ExecSpace& instance) { work(instance, timed.length); };
  Sampler(exec, step).warm_up(10 * sample_s);  // past the clock ramp
  timed.length = enough_work(exec, work, sample_s, kTrialLength, kMostLength);
  std::vector<double> samples = measure(exec, 0, repetitions, step);
  for (double& sample : samples) sample *= kNanoseconds / static_cast<double>(timed.length);
  timed.ns = machine::summarise(samples);
  return timed;
}

template <class View>
[[nodiscard]] auto first_of(const View& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view)(0);
}

using OneThread = Kokkos::RangePolicy<ExecSpace>;

machine::Summary memory_latency(int repetitions) {
  constexpr std::int64_t kBlockBytes = std::int64_t{4} * kNodeWords * kBlockNodes;
  constexpr std::int64_t kLeast = 32;   // blocks: 64 MiB
  constexpr std::int64_t kMost = 1024;  // words are counted in 32 bits
  const std::int64_t wanted = std::max(4 * last_level_cache_bytes() / kBlockBytes, kLeast);
  const std::int64_t blocks =
      std::clamp<std::int64_t>(array_bytes_here() / kBlockBytes, 1, std::min(wanted, kMost));
  const auto nodes = static_cast<std::uint32_t>(blocks * kBlockNodes);
  const Numbers words(Kokkos::view_alloc("tessera::measure::nodes", Kokkos::WithoutInitializing),
                      static_cast<std::size_t>(nodes) * kNodeWords);
  const Numbers at("tessera::measure::node", 1);
  Kokkos::parallel_for("tessera::measure::link_nodes",
                       Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(0, nodes),
                       LinkNodes{words.data(), nodes});
  const Timed timed = time_chain(repetitions, [&](const ExecSpace& exec, int length) {
    Kokkos::parallel_for("tessera::measure::walk_memory", OneThread(exec, 0, 1),
                         WalkMemory{words.data(), at.data(), length});
  });
  std::uint32_t node = 0;
  for (std::int64_t i = 0; i < timed.operations % nodes; ++i) node = node_after(node, nodes);
  const std::uint32_t end = first_of(at);
  require(end == node * kNodeWords, "memory latency: the walk ended at word {}, not at {}", end,
          node * kNodeWords);
  return timed.ns;
}

machine::Summary scratch_latency(int repetitions) {
  const Numbers at("tessera::measure::word", 1);
  const std::size_t bytes = Kokkos::View<std::uint32_t*, ScratchSpace>::shmem_size(kScratchWords);
  const Timed timed = time_chain(repetitions, [&](const ExecSpace& exec, int length) {
    launch_teams<kWarp>(exec, "tessera::measure::walk_scratch", 1, bytes,
                        WalkScratch{at.data(), length});
  });
  const std::uint32_t end = first_of(at);
  const auto expected =
      static_cast<std::uint32_t>(timed.operations % kScratchWords * kScratchStride % kScratchWords);
  require(end == expected, "scratch latency: the walk ended at word {}, not at {}", end, expected);
  return timed.ns;
}

machine::Summary multiply_add_latency(int repetitions) {
  const Kokkos::View<double*, ExecSpace::memory_space> end("tessera::measure::chain", 1);
  const Timed timed = time_chain(repetitions, [&](const ExecSpace& exec, int length) {
    Kokkos::parallel_for("tessera::measure::multiply_add_chain", OneThread(exec, 0, 1),
                         MultiplyAddChain{end.data(), 0.9375, 0.0625, length});
  });
  require(std::abs(first_of(end) - 1) < 1e-6, "multiply-add latency: the chain ended at {}, not 1",
          first_of(end));
  return timed.ns;
}

}  // namespace

machine::Summary measure_barrier_ns(int repetitions) {
  const ExecSpace exec;
  const int league =
      std::min(multiprocessors(), max_resident_league<kBarrierThreads, WaitForAll>(exec, 0));
  const GridBarrier barrier;
  const Numbers passed_by("tessera::measure::passed_by", static_cast<std::size_t>(league));
  const Timed timed = time_chain(repetitions, [&](const ExecSpace& instance, int length) {
    barrier.reset(instance);
    persistent_launch<kBarrierThreads>(instance, "tessera::measure::barrier", league, 0,
                                       WaitForAll{barrier, passed_by.data(), length});
  });
  const auto passed = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), passed_by);
  for (int team = 0; team < league; ++team) {
    const std::uint32_t count = passed(static_cast<std::size_t>(team));
    require(count == static_cast<std::uint32_t>(timed.length),
            "barrier: team {} of {} passed {} of {}", team, league, count, timed.length);
  }
  return timed.ns;
}

Latencies measure_latencies(int repetitions) {
  return {memory_latency(repetitions), scratch_latency(repetitions),
          multiply_add_latency(repetitions), measure_barrier_ns(repetitions)};
}

}  // namespace tessera::measure
