// SPDX-License-Identifier: Apache-2.0
// Random initial data that are the same on every backend: a hash of seed and position.
#pragma once

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace tessera {

/// A value in [0, 1) that depends on `seed` and `position` alone (SplitMix64's finaliser).
[[nodiscard]] KOKKOS_INLINE_FUNCTION double random_value(std::uint64_t seed,
                                                         std::uint64_t position) {
  std::uint64_t v = position + seed * 0x9E3779B97F4A7C15ULL + 0x9E3779B97F4A7C15ULL;
  v = (v ^ (v >> 30)) * 0xBF58476D1CE4E5B9ULL;
  v = (v ^ (v >> 27)) * 0x94D049BB133111EBULL;
  v ^= v >> 31;
  return static_cast<double>(v >> 11) * 0x1.0p-53;
}

}  // namespace tessera
