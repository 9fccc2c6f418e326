// SPDX-License-Identifier: Apache-2.0
// How wavefields lie in memory: as they are, or in fewer bits than the arithmetic has.
#pragma once

#include <cmath>
#include <limits>

namespace tessera {

/// Arithmetic is in float where a format takes 16 bits.
enum class Storage {
  plain,            ///< in the precision of the arithmetic
  half,             ///< IEEE half: 5 bits of exponent, 11 of significand
  half_difference,  ///< half, and in place of the step before its difference to this one, half too
  bhalf             ///< bfloat16: 8 bits of exponent, 8 of significand
};
inline constexpr Storage kStorages[] = {Storage::plain, Storage::half, Storage::half_difference,
                                        Storage::bhalf};

[[nodiscard]] constexpr const char* to_string(Storage storage) {
  constexpr const char* kNames[] = {"plain", "half", "half_difference", "bhalf"};
  return kNames[static_cast<int>(storage)];
}

/// Keeps the difference to the step before in place of that step.
[[nodiscard]] constexpr bool keeps_difference(Storage storage) {
  return storage == Storage::half_difference;
}

/// The largest value that a format holds.
[[nodiscard]] constexpr double largest_stored(Storage storage) {
  return storage == Storage::plain   ? std::numeric_limits<float>::max()
         : storage == Storage::bhalf ? 3.3895314e38
                                     : 65504;
}

/// How far a stored value may be from the one that was rounded to it: half a unit of its last
/// place, and half of the smallest number that there is.
[[nodiscard]] inline double rounding_of(Storage storage, double value) {
  if (storage == Storage::plain) return 0;
  const bool bhalf = storage == Storage::bhalf;
  return std::ldexp(std::abs(value), bhalf ? -8 : -11) + std::ldexp(1.0, bhalf ? -126 : -25);
}

}  // namespace tessera
