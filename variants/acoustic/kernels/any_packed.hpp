// SPDX-License-Identifier: Apache-2.0
// Fields in a format that is known at run time: for what is no kernel of a step.
#pragma once

#include "base/grid/cell_policy.hpp"
#include "base/grid/storage.hpp"
#include "base/tile/block16.hpp"

#include <cstdint>

namespace tessera::acoustic {

/// Address of values, each times `unit`.
struct AnyPacked {
  StoredAddress at;
  Storage storage = Storage::half;
  float unit = 1;
  int cell = 0;  ///< of its block

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Packed<Block16> in_block() const {
    return {at.bits, at.beside, cell};
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION float operator[](std::int64_t i) const {
    return unit * (storage == Storage::bhalf     ? BHalf::decode(at.bits[i])
                   : storage == Storage::float24 ? Float24::decode(at.bits[i], at.beside[i])
                   : storage == Storage::block16 ? in_block()[i]
                                                 : Half::decode(at.bits[i]));
  }
  [[nodiscard]] friend KOKKOS_INLINE_FUNCTION AnyPacked operator+(AnyPacked a, std::int64_t i) {
    AnyPacked moved = a;
    moved.at.bits += i;
    if (a.storage == Storage::float24) moved.at.beside += i;
    if (a.storage == Storage::block16) {
      const Packed<Block16> there = a.in_block() + i;
      moved.at.beside = there.exponent, moved.cell = there.cell;
    }
    return moved;
  }
  /// at[i] = value, in the unit that its block has.
  friend KOKKOS_INLINE_FUNCTION void put(const AnyPacked& to, std::int64_t i, float value) {
    value /= to.unit;
    const AnyPacked at = to + i;
    if (at.storage == Storage::bhalf) {
      *at.at.bits = BHalf::encode(value);
    } else if (at.storage == Storage::float24) {
      put(Packed<Float24>(at.at.bits, at.at.beside), 0, value);
    } else if (at.storage == Storage::block16) {
      *at.at.bits = Block16::encode(value, Block16::units(*at.at.beside));
    } else {
      *at.at.bits = Half::encode(value);
    }
  }
};
/// Gives the block of `to` the unit of another; nothing of values that have no blocks.
KOKKOS_INLINE_FUNCTION void same_unit(const AnyPacked& to, const AnyPacked& from) {
  if (to.storage == Storage::block16) *to.at.beside = *from.at.beside;
}
template <class Real>
KOKKOS_INLINE_FUNCTION void same_unit(Real*, Real*) {}

/// What FieldRef is, of a field in a format: `at(z, y, x)` is the cell's address.
struct PackedRef {
  AnyPacked origin;
  int plane = 0, row = 0;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION AnyPacked at(int z, int y, int x) const {
    return origin + (static_cast<std::int64_t>(z) * plane + static_cast<std::int64_t>(y) * row + x);
  }
};

/// Makes the cells of `box` value(z, y, x, before), a block of a row a call.
template <class Value>
struct PutInBlocks {
  PackedRef to;
  Box box;
  Value value;
  KOKKOS_FUNCTION void operator()(int block, int y, int z) const {
    const int begin = block * kBlockCells;
    const AnyPacked at = to.at(z, y, begin);
    float values[kBlockCells];
    for (int k = 0; k < kBlockCells; ++k) {
      const bool in = begin + k >= box.x0 && begin + k < box.x1;
      values[k] = in ? value(z, y, begin + k, at[k]) : at[k];
    }
    if (at.storage == Storage::block16) return put_block(at.in_block(), values, kBlockCells);
    for (int k = 0; k < kBlockCells; ++k) put(at, k, values[k]);
  }
};
/// `box` has no cell left of the grid.
template <class Value>
void put_in_blocks(const char* label, const ExecSpace& exec, const PackedRef& to, const Box& box,
                   const Value& value) {
  Box blocks = box;
  blocks.x0 /= kBlockCells, blocks.x1 = (box.x1 + kBlockCells - 1) / kBlockCells;
  Kokkos::parallel_for(label, cells_of(exec, blocks), PutInBlocks<Value>{to, box, value});
}

}  // namespace tessera::acoustic
