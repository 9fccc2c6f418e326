// SPDX-License-Identifier: Apache-2.0
// Stores of whole rows past the caches of a host: a line that is written is not read first, which
// is a third of what a kernel with one input and one output array moves.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace tessera {

/// True where store_row_streaming() has such stores.
#if defined(__SSE2__)
inline constexpr bool kStreamsRows = true;
#else
inline constexpr bool kStreamsRows = false;
#endif

/// Copies `n` elements, `to` aligned to its elements, past the caches where the host can: the whole
/// vectors in between by non-temporal stores, the ends plainly. Weakly ordered: streaming_fence()
/// comes before anybody else may read them.
template <class T>
inline void store_row_streaming(T* to, const T* from, int n) {
#if defined(__AVX512F__)
  constexpr int kBytes = 64;
#elif defined(__AVX__)
  constexpr int kBytes = 32;
#else
  constexpr int kBytes = 16;
#endif
  int i = 0;
  while (i < n && reinterpret_cast<std::uintptr_t>(to + i) % kBytes != 0) {
    to[i] = from[i];
    ++i;
  }
#if defined(__SSE2__)
  constexpr int kElements = kBytes / static_cast<int>(sizeof(T));
  for (; i + kElements <= n; i += kElements) {
#if defined(__AVX512F__)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), _mm512_loadu_si512(from + i));
#elif defined(__AVX__)
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to + i),
                        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i)));
#else
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
#endif
  }
#endif
  for (; i < n; ++i) to[i] = from[i];
}

/// Orders the streaming stores of this thread before whatever it does next.
inline void streaming_fence() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace tessera
