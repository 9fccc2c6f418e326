// SPDX-License-Identifier: Apache-2.0
// Integers of 16 bits, kBlockCells neighbouring ones of a row with one exponent: the largest of a
// block has 15 bits, the others have the same unit. What is written is written by the block.
#pragma once

#include "base/device/lanes.hpp"
#include "base/tile/packed.hpp"

#include <cstdint>

namespace tessera {

/// An exponent is that of the unit, as a float has it: 1 to 240, or 255 for an infinite one, where
/// a value of the block was not finite.
struct Block16 {
  [[nodiscard]] static KOKKOS_FORCEINLINE_FUNCTION std::uint32_t magnitude(float value) {
    return detail::same_bits<std::uint32_t>(value) & 0x7fffffffU;
  }
  /// For the largest magnitude(), which may round up to the next power of two.
  [[nodiscard]] static KOKKOS_FORCEINLINE_FUNCTION std::uint8_t exponent_for(
      std::uint32_t largest) {
    const std::uint32_t exponent = (largest + 0x100U) >> 23;
    return static_cast<std::uint8_t>(exponent >= 255 ? 255 : exponent > 15 ? exponent - 14 : 1);
  }
  [[nodiscard]] static KOKKOS_FORCEINLINE_FUNCTION float unit(std::uint8_t exponent) {
    return detail::same_bits<float>(static_cast<std::uint32_t>(exponent) << 23);
  }
  /// 1 / unit(); infinite where that is.
  [[nodiscard]] static KOKKOS_FORCEINLINE_FUNCTION float units(std::uint8_t exponent) {
    return detail::same_bits<float>((254U - exponent) << 23);
  }

  // Both by the last bits of 2^23 + 2^15: the unit that converts integers is a narrow one.
  [[nodiscard]] static KOKKOS_FORCEINLINE_FUNCTION float decode(std::uint16_t bits, float unit) {
    return unit * (detail::same_bits<float>(0x4b000000U | (bits ^ 0x8000U)) - 8421376.0F);
  }
  [[nodiscard]] static KOKKOS_FORCEINLINE_FUNCTION std::uint16_t encode(float value, float units) {
    const auto sum = detail::same_bits<std::uint32_t>(multiply_add(value, units, 8421376.0F));
    return static_cast<std::uint16_t>(sum ^ 0x8000U);
  }
};

/// `exponent`: of the block that cell `cell` of it, 0 to kBlockCells - 1, lies in.
template <>
struct Packed<Block16> {
  std::uint16_t* bits = nullptr;
  std::uint8_t* exponent = nullptr;
  int cell = 0;

  Packed() = default;
  KOKKOS_FORCEINLINE_FUNCTION Packed(std::uint16_t* at, std::uint8_t* of_block, int in_block)
      : bits(at), exponent(of_block), cell(in_block) {}
  explicit Packed(const StoredAddress& at) : bits(at.bits), exponent(at.beside) {}

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION float operator[](std::int64_t i) const {
    return Block16::decode(bits[i], Block16::unit(exponent[blocks(cell + i)]));
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION float operator*() const { return (*this)[0]; }
  [[nodiscard]] friend KOKKOS_FORCEINLINE_FUNCTION Packed operator+(Packed a, std::int64_t i) {
    return {a.bits + i, a.exponent + blocks(a.cell + i),
            static_cast<int>(a.cell + i) & (kBlockCells - 1)};
  }
  [[nodiscard]] friend KOKKOS_FORCEINLINE_FUNCTION Packed operator-(Packed a, std::int64_t i) {
    return a + -i;
  }

  [[nodiscard]] static KOKKOS_FORCEINLINE_FUNCTION std::int64_t blocks(std::int64_t cells) {
    static_assert(kBlockCells == 32);
    return cells >> 5;
  }
};

/// Decodes a vector of one block.
struct BlockUnit {
  float unit;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION float decode(std::uint16_t bits) const {
    return Block16::decode(bits, unit);
  }
};
template <int N>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Pack<float, N> load_pack(Packed<Block16> at) {
  return decode_pack<N>(load_pack<N>(static_cast<const std::uint16_t*>(at.bits)),
                        BlockUnit{Block16::unit(*at.exponent)});
}

/// Stores the first `cells` values of a block, all that it has of the grid, and its exponent.
KOKKOS_INLINE_FUNCTION void put_block(Packed<Block16> at, const float* values, int cells) {
  std::uint32_t largest = 0;
#pragma omp simd reduction(max : largest)
  for (int i = 0; i < cells; ++i) {
    const std::uint32_t here = Block16::magnitude(values[i]);
    largest = here > largest ? here : largest;
  }
  const std::uint8_t exponent = Block16::exponent_for(largest);
  const float units = Block16::units(exponent);
  *at.exponent = exponent;
  std::uint16_t* const bits = at.bits;
#pragma omp simd
  for (int i = 0; i < cells; ++i) bits[i] = Block16::encode(values[i], units);
}

/// The same by neighbouring threads, which have N cells each, of which those in the bits of `lanes`
/// are stored. All threads of the block call it; `rank` is theirs in the team.
template <int N>
KOKKOS_FORCEINLINE_FUNCTION void put_block_by_lanes(const Packed<Block16>& at,
                                                    const Pack<float, N>& values, int lanes,
                                                    int rank) {
  std::uint32_t largest = 0;
  static_for<N>([&](auto i) {
    const std::uint32_t here = Block16::magnitude(lane(values, i));
    if ((lanes >> i & 1) != 0 && here > largest) largest = here;
  });
  largest = largest_of_lanes<kBlockCells / N>(largest, rank);
  const std::uint8_t exponent = Block16::exponent_for(largest);
  const float units = Block16::units(exponent);
  const auto bits =
      make_pack<std::uint16_t, N>([&](int i) { return Block16::encode(lane(values, i), units); });
  if constexpr (N > 1) {
    if (lanes == (1 << N) - 1) bits.store_streaming(at.bits);
  }
  if (N == 1 || lanes != (1 << N) - 1) {
    for (int i = 0; i < N; ++i) {
      if ((lanes >> i & 1) != 0) at.bits[i] = lane(bits, i);
    }
  }
  if (at.cell == 0) *at.exponent = exponent;
}

}  // namespace tessera
