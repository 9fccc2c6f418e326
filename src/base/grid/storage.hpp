// SPDX-License-Identifier: Apache-2.0
// How wavefields lie in memory: as they are, or in fewer bits than the arithmetic has.
#pragma once

#include <Kokkos_Macros.hpp>

#include <cstdint>
#include <limits>

namespace tessera {

/// Arithmetic is in float where a format takes fewer bits.
enum class Storage {
  plain,            ///< in the precision of the arithmetic
  half,             ///< IEEE half: 5 bits of exponent, 11 of significand
  half_difference,  ///< half, and in place of the step before its difference to this one, half too
  bhalf,            ///< bfloat16: 8 bits of exponent, 8 of significand
  float24,          ///< the upper 24 bits of a float: 8 of exponent, 16 of significand
  block16           ///< integers of 16 bits, with one exponent for kBlockCells of them
};
inline constexpr Storage kStorages[] = {Storage::plain, Storage::half,    Storage::half_difference,
                                        Storage::bhalf, Storage::float24, Storage::block16};

/// How kernels of acoustic that can read vp: its value at each cell, a 16-bit index into the values
/// that the model has, or 16 bits in equal steps, to which the model is rounded.
enum class VpStorage { field, index, linear };

/// Cells of a row, the first one's x a multiple of it, that share an exponent in block16.
inline constexpr int kBlockCells = 32;

[[nodiscard]] constexpr const char* to_string(Storage storage) {
  constexpr const char* kNames[] = {"plain", "half",    "half_difference",
                                    "bhalf", "float24", "block16"};
  return kNames[static_cast<int>(storage)];
}

/// Keeps the difference to the step before in place of that step.
[[nodiscard]] constexpr bool keeps_difference(Storage storage) {
  return storage == Storage::half_difference;
}

/// Cells of a row that no region may part: they share an exponent.
[[nodiscard]] constexpr int cells_together(Storage storage) {
  return storage == Storage::block16 ? kBlockCells : 1;
}

/// Bytes of a value beside its 16 bits, where arithmetic is in float.
[[nodiscard]] constexpr double bytes_beside(Storage storage) {
  return storage == Storage::float24 ? 1 : storage == Storage::block16 ? 1.0 / kBlockCells : 0;
}

/// What of a float's four bytes a value takes.
[[nodiscard]] constexpr double stored_share(Storage storage) {
  return storage == Storage::plain ? 1 : (2 + bytes_beside(storage)) / 4;
}

/// The largest value that a format holds.
[[nodiscard]] constexpr double largest_stored(Storage storage) {
  return storage == Storage::half || storage == Storage::half_difference ? 65504
         : storage == Storage::bhalf                                     ? 3.3895314e38
                                     : std::numeric_limits<float>::max();
}

/// How far a stored value may be from the one that was rounded to it: half a unit of its last
/// place, and half of the smallest number that there is. `value`: in block16 the largest of its
/// block, which has 15 bits and makes the unit.
[[nodiscard]] KOKKOS_INLINE_FUNCTION double rounding_of(Storage storage, double value) {
  const double size = value < 0 ? -value : value;
  switch (storage) {
    case Storage::plain:
      break;
    case Storage::half:
    case Storage::half_difference:
      return size * 0x1p-11 + 0x1p-25;
    case Storage::bhalf:
      return size * 0x1p-8 + 0x1p-126;
    case Storage::float24:
      return size * 0x1p-16 + 0x1p-126;
    case Storage::block16:
      return size * 0x1p-15 + 0x1p-126;
  }
  return 0;
}

/// rounding_of() of the value at `x`, of those of its row from cell 0 on, `cells` of them.
template <class Real>
[[nodiscard]] KOKKOS_INLINE_FUNCTION double rounding_at(Storage storage, const Real* row, int x,
                                                        int cells) {
  if (storage != Storage::block16) return rounding_of(storage, static_cast<double>(row[x]));
  const int begin = x / kBlockCells * kBlockCells;
  double largest = 0;
  for (int i = begin; i < begin + kBlockCells && i < cells; ++i) {
    const double size = static_cast<double>(row[i] < 0 ? -row[i] : row[i]);
    largest = size > largest ? size : largest;
  }
  return rounding_of(storage, largest);
}

}  // namespace tessera
