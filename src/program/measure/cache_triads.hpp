// SPDX-License-Identifier: Apache-2.0
// Kernels that work in one level of a host's or a device's caches, or in team scratch, again and
// again: what cache_bandwidth times.
#pragma once

#include "base/device/fma.hpp"
#include "base/device/host_vector.hpp"
#include "base/device/space.hpp"
#include "base/device/static_for.hpp"

#include <cstddef>
#include <cstdint>

namespace tessera::measure {

inline constexpr std::int64_t kTriadBlock = 128;  ///< bytes that HostTriad handles at a time

/// Host: each thread repeats a triad over three arrays of its own, the roles rotating, so that no
/// pass can be dropped and the values stay near one. Vectors are the widest by name, 128 bytes at a
/// time: left to itself, a compiler may take narrower ones, and a branch for each.
template <class T>
struct HostTriad {
  T* base;
  std::int64_t stride;  // elements from thread to thread
  std::int64_t gap;     // elements from array to array
  std::int64_t count;   // elements of an array, a multiple of kTriadBlock bytes
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
    constexpr int kVectors = static_cast<int>(kTriadBlock / sizeof(HostVector<T>));
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

/// Device, L2: all resident threads sweep the same arrays. In each pass the arrays are shifted
/// against the threads, so that a unit meets lines that its own L1 does not hold.
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

/// Device, scratch: each team repeats the triad over arrays in its scratch.
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

/// Device, L1: each team sums an array of its own again and again, which its unit's L1 holds. The
/// array moves a little from pass to pass, so that no pass can be dropped.
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

}  // namespace tessera::measure
