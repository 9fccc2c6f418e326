// SPDX-License-Identifier: Apache-2.0
// A host's vector registers and values of fewer bits in memory: loads and stores that convert.
#pragma once

#include "base/device/prefetch.hpp"
#include "base/tile/block16.hpp"
#include "base/tile/host_pack.hpp"
#include "base/tile/packed.hpp"

namespace tessera {

/// kHostLanes<T> values from `at` on.
template <class T>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION HostPack<T> load_lanes(const T* at) {
  return HostPack<T>::load(at);
}
template <class Address>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION HostPack<float> load_lanes(const Address& at) {
  constexpr int kLanes = kHostLanes<float>;
#if defined(__AVX512F__)
  if constexpr (kLanes == 16) {
    const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at.bits));
    if constexpr (std::is_same_v<Address, Packed<Half>>) {
      return HostPack<float>(_mm512_maskz_cvtph_ps(static_cast<__mmask16>(-1), bits));
    } else {
      const __m512i wide = _mm512_maskz_cvtepu16_epi32(static_cast<__mmask16>(-1), bits);
      if constexpr (std::is_same_v<Address, Packed<BHalf>>) {
        return HostPack<float>(_mm512_castsi512_ps(_mm512_slli_epi32(wide, 16)));
      } else {
        const HostPack<float> steps(_mm512_maskz_cvtepi32_ps(static_cast<__mmask16>(-1), wide));
        return at.step * steps;
      }
    }
  }
#elif defined(__AVX2__) && defined(__F16C__)
  if constexpr (kLanes == 8) {
    const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at.bits));
    if constexpr (std::is_same_v<Address, Packed<Half>>) {
      return HostPack<float>(_mm256_cvtph_ps(bits));
    } else {
      const __m256i wide = _mm256_cvtepu16_epi32(bits);
      if constexpr (std::is_same_v<Address, Packed<BHalf>>) {
        return HostPack<float>(_mm256_castsi256_ps(_mm256_slli_epi32(wide, 16)));
      } else {
        const HostPack<float> steps(_mm256_cvtepi32_ps(wide));
        return at.step * steps;
      }
    }
  }
#endif
  float lanes[kLanes];
  for (int i = 0; i < kLanes; ++i) lanes[i] = at[i];
  return HostPack<float>::load(lanes);
}

[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION HostPack<float> load_lanes(const Packed<Float24>& at) {
  float lanes[kHostLanes<float>];
  for (int i = 0; i < kHostLanes<float>; ++i) lanes[i] = Float24::decode(at.bits[i], at.low[i]);
  return HostPack<float>::load(lanes);
}
namespace detail {
/// Of two blocks: rare, and kept out of the rows' loops.
[[nodiscard]] KOKKOS_FUNCTION __attribute__((noinline)) inline HostPack<float> load_lanes_apart(
    Packed<Block16> at) {
  float lanes[kHostLanes<float>];
  for (int i = 0; i < kHostLanes<float>; ++i) lanes[i] = at[i];
  return HostPack<float>::load(lanes);
}
}  // namespace detail
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION HostPack<float> load_lanes(const Packed<Block16>& at) {
  constexpr int kLanes = kHostLanes<float>;
  if (at.cell > kBlockCells - kLanes) return detail::load_lanes_apart(at);
  const float unit = Block16::unit(*at.exponent);
#if defined(__AVX512F__)
  if constexpr (kLanes == 16) {
    const __m512i wide = _mm512_maskz_cvtepi16_epi32(
        static_cast<__mmask16>(-1), _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at.bits)));
    return unit * HostPack<float>(_mm512_maskz_cvtepi32_ps(static_cast<__mmask16>(-1), wide));
  }
#elif defined(__AVX2__)
  if constexpr (kLanes == 8) {
    const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at.bits));
    return unit * HostPack<float>(_mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(bits)));
  }
#endif
  float lanes[kLanes];
  for (int i = 0; i < kLanes; ++i) lanes[i] = static_cast<std::int16_t>(at.bits[i]);
  return unit * HostPack<float>::load(lanes);
}

/// The other way round.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void store_lanes(T* at, HostPack<T> value) {
  value.store(at);
}
template <class Format>
KOKKOS_FORCEINLINE_FUNCTION void store_lanes(Packed<Format> at, HostPack<float> value) {
  constexpr int kLanes = kHostLanes<float>;
#if defined(__AVX512F__)
  if constexpr (kLanes == 16 && std::is_same_v<Format, Half>) {
    _mm256_storeu_si256(
        reinterpret_cast<__m256i*>(at.bits),
        _mm512_maskz_cvtps_ph(static_cast<__mmask16>(-1), value.v, _MM_FROUND_TO_NEAREST_INT));
    return;
  }
#elif defined(__AVX2__) && defined(__F16C__)
  if constexpr (kLanes == 8 && std::is_same_v<Format, Half>) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(at.bits),
                     _mm256_cvtps_ph(value.v, _MM_FROUND_TO_NEAREST_INT));
    return;
  }
#endif
  float lanes[kLanes];
  value.store(lanes);
  for (int i = 0; i < kLanes; ++i) put(at, i, lanes[i]);
}

/// Stores lanes [begin, end) of `value`, those that exist, and touches nothing else.
template <class Format>
KOKKOS_FORCEINLINE_FUNCTION void store_between(Packed<Format> at, int begin, int end,
                                               HostPack<float> value) {
  constexpr int kLanes = kHostLanes<float>;
  float lanes[kLanes];
  value.store(lanes);
  for (int i = begin < 0 ? 0 : begin; i < (end > kLanes ? kLanes : end); ++i) put(at, i, lanes[i]);
}

/// Requests the line of `at` before it is read.
template <class Address, class = decltype(Address::bits)>
KOKKOS_FORCEINLINE_FUNCTION void prefetch(const Address& at) {
  prefetch(static_cast<const std::uint16_t*>(at.bits));
}

}  // namespace tessera
