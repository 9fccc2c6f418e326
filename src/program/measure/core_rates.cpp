// SPDX-License-Identifier: Apache-2.0
#include "program/measure/measurements.hpp"

#include "base/device/host_vector.hpp"
#include "base/device/space.hpp"
#include "base/device/static_for.hpp"
#include "base/support/error.hpp"
#include "base/support/precision.hpp"
#include "program/measure/timing.hpp"
#include "program/measure/topology.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>

#if defined(__GNUC__) && !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP) && \
    (defined(__x86_64__) || defined(__aarch64__))
#define TESSERA_HAVE_CORE_LOOPS 1
#else
#define TESSERA_HAVE_CORE_LOOPS 0
#endif

namespace tessera::measure {

#if TESSERA_HAVE_CORE_LOOPS

namespace {

// Every loop runs on all threads at once, as kernels do, out of a buffer that L1 holds. The empty
// asm statements keep each instruction: without them compilers merge neighbours into wider ones,
// hoist loads and drop unused values.
constexpr int kUnrolled = 16;    // loads and stores of a turn
constexpr int kChains = 12;      // latency times rate of sums is 8 to 12 on current cores
constexpr int kTableSize = 256;  // elements, and indices
constexpr int kMostBytes = 64;   // of a vector
constexpr std::int64_t kFirstTurns = 1001;  // odd, as all counts: chains end off where they began
constexpr std::int64_t kMostTurns = std::int64_t{1} << 40;

template <class T, int Bytes, bool Single = Bytes == sizeof(T)>
struct VectorOf {
  using Type __attribute__((vector_size(Bytes), may_alias)) = T;
};
template <class T, int Bytes>
struct VectorOf<T, Bytes, true> {
  using Type = T;
};

#if defined(__x86_64__)
#define TESSERA_VECTOR_REGISTER "v"
#else
#define TESSERA_VECTOR_REGISTER "w"
#endif

template <class V>
inline void change(V& value) {
  asm volatile("" : "+" TESSERA_VECTOR_REGISTER(value));
}
template <class V>
inline void use(const V& value) {
  asm volatile("" : : TESSERA_VECTOR_REGISTER(value));
}
inline void forget(const void* memory) { asm volatile("" : : "r"(memory) : "memory"); }

template <class V, class T>
V filled(T value) {
  return value - V{};
}
template <class T, class V>
bool all_are(const V& value, T wanted) {
  T lanes[sizeof(V) / sizeof(T)];
  __builtin_memcpy(lanes, &value, sizeof(V));
  return std::all_of(std::begin(lanes), std::end(lanes), [&](T lane) { return lane == wanted; });
}

// What one thread runs: `turns` turns of kOperations each; false where it went wrong.
struct Cycles {
  static constexpr double kOperations = kUnrolled;
  static bool run(std::int64_t turns) {
    std::uint64_t sum = 0, more = 3;
    asm volatile("" : "+r"(more));
    for (std::int64_t i = 0; i < turns; ++i) {
      static_for<kUnrolled>([&](auto) {
        sum += more;
        asm volatile("" : "+r"(sum));
      });
    }
    return sum == 3 * kUnrolled * static_cast<std::uint64_t>(turns);
  }
};

template <class T, int Bytes>
struct Loads {
  static constexpr double kOperations = kUnrolled;
  using V = typename VectorOf<T, Bytes>::Type;
  static bool run(std::int64_t turns) {
    alignas(kMostBytes) T buffer[kUnrolled * Bytes / sizeof(T)];
    std::fill(std::begin(buffer), std::end(buffer), T(1));
    V last{};
    for (std::int64_t i = 0; i < turns; ++i) {
      forget(buffer);
      static_for<kUnrolled>([&](auto u) {
        last = *reinterpret_cast<const V*>(buffer + u * Bytes / static_cast<int>(sizeof(T)));
        use(last);
      });
    }
    return all_are(last, T(1));
  }
};

template <class T, int Bytes>
struct Stores {
  static constexpr double kOperations = kUnrolled;
  using V = typename VectorOf<T, Bytes>::Type;
  static bool run(std::int64_t turns) {
    alignas(kMostBytes) T buffer[kUnrolled * Bytes / sizeof(T)] = {};
    V value = filled<V>(T(1));
    change(value);
    for (std::int64_t i = 0; i < turns; ++i) {
      static_for<kUnrolled>([&](auto u) {
        *reinterpret_cast<V*>(buffer + u * Bytes / static_cast<int>(sizeof(T))) = value;
        forget(buffer);
      });
    }
    return std::all_of(std::begin(buffer), std::end(buffer), [](T x) { return x == T(1); });
  }
};

// x <- a - x and x <- -x: back where they were after two turns, elsewhere after an odd number.
template <class T, int Bytes, int Sums, int Products>
struct Arithmetic {
  static constexpr double kOperations = Sums + Products;
  using V = typename VectorOf<T, Bytes>::Type;
  static bool run(std::int64_t turns) {
    V x[Sums + Products];
    for (V& value : x) value = filled<V>(T(2));
    V a = filled<V>(T(1)), f = filled<V>(T(-1));
    change(a), change(f);
    for (std::int64_t i = 0; i < turns; ++i) {
      // In turn, where there are both.
      static_for<std::max(Sums, Products)>([&](auto c) {
        if constexpr (c < Sums) x[c] = a - x[c], change(x[c]);
        if constexpr (c < Products) x[Sums + c] = x[Sums + c] * f, change(x[Sums + c]);
      });
    }
    bool right = true;
    for (int c = 0; c < Sums + Products; ++c) right &= all_are(x[c], c < Sums ? T(-1) : T(-2));
    return right;
  }
};

// Single elements, or as the compiler vectorises a sum.
template <class T, bool Single>
struct Gathers {
  static constexpr double kOperations = kTableSize;
  static bool run(std::int64_t turns) {
    T table[kTableSize];
    std::uint16_t index[kTableSize];
    T wanted = 0;
    for (int i = 0; i < kTableSize; ++i) {
      table[i] = T(i % 7);
      index[i] = static_cast<std::uint16_t>(i * 37 % kTableSize);
      wanted += table[i];
    }
    T sum = 0;
    for (std::int64_t turn = 0; turn < turns; ++turn) {
      forget(table), forget(index);
      sum = 0;
      if constexpr (Single) {
        static_for<kTableSize / kUnrolled>([&](auto part) {
          static_for<kUnrolled>([&](auto u) { use(table[index[part * kUnrolled + u]]); });
        });
        sum = wanted;
      } else {
#pragma omp simd reduction(+ : sum)
        for (int i = 0; i < kTableSize; ++i) sum += table[index[i]];
        use(sum);
      }
    }
    return sum == wanted;
  }
};

template <class Loop>
struct OnEveryThread {
  std::int64_t turns;
  int* wrong;
  void operator()(int thread) const { wrong[thread] += Loop::run(turns) ? 0 : 1; }
};

/// What a core does a second.
template <class Loop>
machine::Rate rate_of(const CoreOptions& how) {
  const ExecSpace exec;
  const int threads = exec.concurrency();
  const Kokkos::View<int*, Kokkos::HostSpace> wrong("tessera::measure::wrong", threads);
  const WorkFunction work = [&](const ExecSpace& instance, std::int64_t turns) {
    Kokkos::parallel_for("tessera::measure::core",
                         Kokkos::RangePolicy<ExecSpace>(instance, 0, threads),
                         OnEveryThread<Loop>{turns, wrong.data()});
  };
  const std::int64_t turns =
      enough_work(exec, work, sample_seconds(how.sample_s), kFirstTurns, kMostTurns);
  const machine::Summary samples = machine::summarise(
      measure(exec, 0, how.repetitions, [&](const ExecSpace& instance) { work(instance, turns); }));
  for (int t = 0; t < threads; ++t) {
    require(wrong(t) == 0, "a loop that measures a core ended wrong {} times in thread {}",
            wrong(t), t);
  }
  const int cores = std::min(cores_of(this_topology()), threads);
  return rate(Loop::kOperations * static_cast<double>(turns) * threads / cores, samples);
}

template <class T, int Bytes>
CoreRate rates_of(const CoreOptions& how, bool widest) {
  CoreRate found{kPrecisionName<T>, Bytes, {}, {}, {}, {}, {}, {}};
  found.loads = rate_of<Loads<T, Bytes>>(how);
  found.stores = rate_of<Stores<T, Bytes>>(how);
  found.sums = rate_of<Arithmetic<T, Bytes, kChains, 0>>(how);
  found.products = rate_of<Arithmetic<T, Bytes, 0, kChains>>(how);
  found.mixed = rate_of<Arithmetic<T, Bytes, kChains / 2, kChains / 2>>(how);
  if constexpr (Bytes == sizeof(T)) {
    found.gathers = rate_of<Gathers<T, true>>(how);
  } else if (widest) {
    found.gathers = rate_of<Gathers<T, false>>(how);
  }
  return found;
}

template <class T>
void add_rates(CoreRates& all, const CoreOptions& how) {
  if (!how.precision.empty() && how.precision != kPrecisionName<T>) return;
  constexpr int kWidest = sizeof(HostVector<T>);
  all.rates.push_back(rates_of<T, sizeof(T)>(how, false));
  static_for<2>([&](auto narrower) {
    constexpr int kBytes = 16 << narrower;
    if constexpr (kBytes < kWidest) {
      if (!how.widest) all.rates.push_back(rates_of<T, kBytes>(how, false));
    }
  });
  all.rates.push_back(rates_of<T, kWidest>(how, true));
}

}  // namespace

CoreRates measure_core_rates(const CoreOptions& how) {
  CoreRates all;
  all.clock = rate_of<Cycles>(how);
  add_rates<float>(all, how);
  add_rates<double>(all, how);
  return all;
}

#else

CoreRates measure_core_rates(const CoreOptions& /*how*/) { return {}; }

#endif

}  // namespace tessera::measure
