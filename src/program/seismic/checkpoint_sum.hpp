// SPDX-License-Identifier: Apache-2.0
// A checksum of arrays that several processes hold in parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "program/seismic/cell_box.hpp"
#include "program/seismic/model_files.hpp"

namespace tessera::io {

/// A sum over values, modulo 2^64, of a mix of each one's bits and of its place in the whole array:
/// those of parts, in any order, add up to that of the whole. Any change within one value changes
/// it, since the mix (a product and a fold) differs for any two words. Made for speed: against
/// faults of disks, not against forgers.
template <class Word>
[[nodiscard]] std::uint64_t sum_of(const void* values, std::size_t count, std::uint64_t place) {
  constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15ULL;
  constexpr std::uint64_t kFactor = 0xbf58476d1ce4e5b9ULL;
  const char* const first = static_cast<const char*>(values);
  std::uint64_t sum = 0, step = place * kStep;
  for (std::size_t i = 0; i < count; ++i, step += kStep) {
    Word word = 0;
    std::memcpy(&word, first + i * sizeof(Word), sizeof(Word));
    const std::uint64_t product = (step ^ word) * kFactor;
    sum += product ^ (product >> 32);
  }
  return sum;
}

/// The same of the cells of `box`, values[z][y][x] of 4 or 8 bytes, in an array of `shape`.
[[nodiscard]] inline std::uint64_t sum_of(const void* values, int value_bytes, const CellBox& box,
                                          const ModelShape& shape) {
  const char* row = static_cast<const char*>(values);
  const auto count = static_cast<std::size_t>(box.nx());
  std::uint64_t sum = 0;
  for (std::int64_t z = box.z0; z < box.z1; ++z) {
    for (std::int64_t y = box.y0; y < box.y1; ++y) {
      const auto place = static_cast<std::uint64_t>((z * shape.ny + y) * shape.nx + box.x0);
      sum += value_bytes == 4 ? sum_of<std::uint32_t>(row, count, place)
                              : sum_of<std::uint64_t>(row, count, place);
      row += count * static_cast<std::size_t>(value_bytes);
    }
  }
  return sum;
}

}  // namespace tessera::io
