// SPDX-License-Identifier: Apache-2.0
// Values of 16 or 24 bits in memory that are floats in registers. A kernel that reads `u[i]` of a
// pointer and writes by put() does the same with a Packed address.
#pragma once

#include "base/device/fma.hpp"
#include "base/grid/storage.hpp"
#include "base/tile/vec.hpp"

#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__CUDACC__)
#include <cuda_fp16.h>
#elif defined(__F16C__)
#include <immintrin.h>
#endif

namespace tessera {

namespace detail {

template <class To, class From>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION To same_bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}

/// Half to float by integers, where the compiler has no instruction for it.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION float half_by_integers(std::uint16_t half) {
  const std::uint32_t magnitude = (half & 0x7fffU) << 13, sign = (half & 0x8000U) << 16;
  // Exponents of 0 (no leading one), of 1 to 30, and of 31 (infinity, no number).
  const float small = same_bits<float>(magnitude + (113U << 23)) - same_bits<float>(113U << 23);
  const std::uint32_t bits = magnitude < 0x00800000U   ? same_bits<std::uint32_t>(small)
                             : magnitude < 0x0f800000U ? magnitude + (112U << 23)
                                                       : magnitude + (224U << 23);
  return same_bits<float>(bits | sign);
}

/// Float to half, to the nearest, to the even one of two; beyond 65,504 to infinity.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint16_t half_by_integers(float value) {
  const auto all = same_bits<std::uint32_t>(value);
  const std::uint32_t bits = all & 0x7fffffffU, sign = all >> 16 & 0x8000U;
  std::uint32_t half = 0;
  if (bits > 0x7f800000U) {
    half = 0x7e00;
  } else if (bits >= 143U << 23) {
    half = 0x7c00;
  } else if (bits < 113U << 23) {  // the sum's last place is the least half
    half = same_bits<std::uint32_t>(same_bits<float>(bits) + 0.5F) - (126U << 23);
  } else {
    half = (bits - (112U << 23) + 0xfffU + (bits >> 13 & 1U)) >> 13;
  }
  return static_cast<std::uint16_t>(half | sign);
}

}  // namespace detail

/// IEEE half precision.
struct Half {
  [[nodiscard]] static KOKKOS_FORCEINLINE_FUNCTION float decode(std::uint16_t bits) {
#if defined(__CUDACC__)
    return __half2float(__ushort_as_half(bits));
#elif defined(__HIP_DEVICE_COMPILE__)
    return static_cast<float>(detail::same_bits<_Float16>(bits));
#elif defined(__F16C__)
    return _cvtsh_ss(bits);
#else
    return detail::half_by_integers(bits);
#endif
  }
  [[nodiscard]] static KOKKOS_FORCEINLINE_FUNCTION std::uint16_t encode(float value) {
#if defined(__CUDACC__)
    return __half_as_ushort(__float2half_rn(value));
#elif defined(__HIP_DEVICE_COMPILE__)
    return detail::same_bits<std::uint16_t>(static_cast<_Float16>(value));
#elif defined(__F16C__)
    return _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT);
#else
    return detail::half_by_integers(value);
#endif
  }
};

/// bfloat16: the upper half of a float.
struct BHalf {
  [[nodiscard]] static KOKKOS_FORCEINLINE_FUNCTION float decode(std::uint16_t bits) {
    return detail::same_bits<float>(static_cast<std::uint32_t>(bits) << 16);
  }
  [[nodiscard]] static KOKKOS_FORCEINLINE_FUNCTION std::uint16_t encode(float value) {
    const auto bits = detail::same_bits<std::uint32_t>(value);
    if ((bits & 0x7fffffffU) > 0x7f800000U) return 0x7fc0;
    return static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16);
  }
};

/// The upper 24 bits of a float.
struct Float24 {
  [[nodiscard]] static KOKKOS_FORCEINLINE_FUNCTION float decode(std::uint16_t high,
                                                                std::uint8_t low) {
    return detail::same_bits<float>(static_cast<std::uint32_t>(high) << 16 |
                                    static_cast<std::uint32_t>(low) << 8);
  }
  /// Both parts, from bit 8 on. What is no number stays none: its leading digit is not rounded off.
  [[nodiscard]] static KOKKOS_FORCEINLINE_FUNCTION std::uint32_t encode(float value) {
    const auto bits = detail::same_bits<std::uint32_t>(value);
    const bool number = (bits & 0x7fffffffU) <= 0x7f800000U;
    return number ? bits + 0x7fU + (bits >> 8 & 1U) : bits;
  }
};

/// Where a field's values lie: 16 bits of each and, in the formats that have more, what lies beside
/// them, by the byte: the low 8 bits of each, or an exponent for a block of kBlockCells.
struct StoredAddress {
  std::uint16_t* bits = nullptr;
  std::uint8_t* beside = nullptr;
};

/// Address of values in a format: what `const float*` and `float*` are of floats.
template <class Format>
struct Packed {
  std::uint16_t* bits = nullptr;

  Packed() = default;
  KOKKOS_FORCEINLINE_FUNCTION explicit Packed(std::uint16_t* at) : bits(at) {}
  explicit Packed(const StoredAddress& at) : bits(at.bits) {}

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION float operator[](std::int64_t i) const {
    return Format::decode(bits[i]);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION float operator*() const { return (*this)[0]; }
  [[nodiscard]] friend KOKKOS_FORCEINLINE_FUNCTION Packed operator+(Packed a, std::int64_t i) {
    return Packed(a.bits + i);
  }
  [[nodiscard]] friend KOKKOS_FORCEINLINE_FUNCTION Packed operator-(Packed a, std::int64_t i) {
    return Packed(a.bits - i);
  }
};

/// The lower bits of values apart, so that copies and vectors of both are aligned.
template <>
struct Packed<Float24> {
  std::uint16_t* bits = nullptr;
  std::uint8_t* low = nullptr;

  Packed() = default;
  KOKKOS_FORCEINLINE_FUNCTION Packed(std::uint16_t* high, std::uint8_t* rest)
      : bits(high), low(rest) {}
  explicit Packed(const StoredAddress& at) : bits(at.bits), low(at.beside) {}

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION float operator[](std::int64_t i) const {
    return Float24::decode(bits[i], low[i]);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION float operator*() const { return (*this)[0]; }
  [[nodiscard]] friend KOKKOS_FORCEINLINE_FUNCTION Packed operator+(Packed a, std::int64_t i) {
    return {a.bits + i, a.low + i};
  }
  [[nodiscard]] friend KOKKOS_FORCEINLINE_FUNCTION Packed operator-(Packed a, std::int64_t i) {
    return {a.bits - i, a.low - i};
  }
};

/// Address of 16-bit steps of one size: float = step * bits.
struct Linear16 {
  std::uint16_t* bits = nullptr;
  float step = 0;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION float decode(std::uint16_t at) const {
#if defined(__CUDA_ARCH__)
    // By the last bits of 2^23: the unit that converts integers is a quarter as wide as the others.
    // Exact but for the last rounding, as the product is.
    return multiply_add(step, detail::same_bits<float>(0x4b000000U | at), -8388608.0F * step);
#else
    return step * static_cast<float>(at);
#endif
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION float operator[](std::int64_t i) const {
    return decode(bits[i]);
  }
  [[nodiscard]] friend KOKKOS_FORCEINLINE_FUNCTION Linear16 operator+(Linear16 a, std::int64_t i) {
    return {a.bits + i, a.step};
  }
};

/// at[i] = value.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION void put(Real* at, std::int64_t i, Real value) {
  at[i] = value;
}
template <class Format>
KOKKOS_FORCEINLINE_FUNCTION void put(Packed<Format> at, std::int64_t i, float value) {
  at.bits[i] = Format::encode(value);
}
KOKKOS_FORCEINLINE_FUNCTION void put(Packed<Float24> at, std::int64_t i, float value) {
  const std::uint32_t all = Float24::encode(value);
  at.bits[i] = static_cast<std::uint16_t>(all >> 16);
  at.low[i] = static_cast<std::uint8_t>(all >> 8);
}

/// The Pack of the values whose 16 bits `bits` are, by a format or a Linear16.
template <int N, class Decoder>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Pack<float, N> decode_pack(
    const Pack<std::uint16_t, N>& bits, const Decoder& by) {
  return make_pack<float, N>([&](int i) { return by.decode(lane(bits, i)); });
}
template <int N, class Format>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Pack<float, N> load_pack(Packed<Format> at) {
  return decode_pack<N>(load_pack<N>(static_cast<const std::uint16_t*>(at.bits)), Format{});
}
template <int N>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Pack<float, N> load_pack(Packed<Float24> at) {
  const auto high = load_pack<N>(static_cast<const std::uint16_t*>(at.bits));
  const auto low = load_pack<N>(static_cast<const std::uint8_t*>(at.low));
  return make_pack<float, N>([&](int i) { return Float24::decode(lane(high, i), lane(low, i)); });
}

/// The bits of a Pack's values.
template <class Format, int N>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Vec<std::uint16_t, N> encode_pack(
    const Vec<float, N>& value) {
  Vec<std::uint16_t, N> bits;
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<Format, Half> && N > 1) {  // two by one instruction
    static_for<N / 2>([&](auto i) {
      const __half2 two = __floats2half2_rn(value[2 * i], value[2 * i + 1]);
      memcpy(&bits[2 * i], &two, sizeof(two));
    });
    return bits;
  }
#endif
  static_for<N>([&](auto i) { bits[i] = Format::encode(value[i]); });
  return bits;
}

/// Stores a whole vector past the caches.
template <class Format, int N>
KOKKOS_FORCEINLINE_FUNCTION void store_pack_streaming(Packed<Format> at,
                                                      const Vec<float, N>& value) {
  encode_pack<Format>(value).store_streaming(at.bits);
}
template <int N>
KOKKOS_FORCEINLINE_FUNCTION void store_pack_streaming(Packed<Float24> at,
                                                      const Vec<float, N>& value) {
  Vec<std::uint16_t, N> high;
  Vec<std::uint8_t, N> low;
  static_for<N>([&](auto i) {
    const std::uint32_t all = Float24::encode(value[i]);
    high[i] = static_cast<std::uint16_t>(all >> 16), low[i] = static_cast<std::uint8_t>(all >> 8);
  });
  high.store_streaming(at.bits);
  low.store_streaming(at.low);
}

}  // namespace tessera
