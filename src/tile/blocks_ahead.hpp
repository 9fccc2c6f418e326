// SPDX-License-Identifier: Apache-2.0
// Loops of a host that prefetch: a stencil walks a dozen rows at once, each a few kilobytes long,
// and a hardware prefetcher starts anew at every row's end, when the core already waits.
#pragma once

#include "device/prefetch.hpp"
#include "tile/for_each_cell.hpp"

#include <type_traits>

namespace tessera {

/// How far ahead of the cell under way memory is fetched, in bytes of a row: far enough to cover
/// a memory access, near enough that the line is still in L1 when it is used.
inline constexpr int kPrefetchBytes = 640;

/// Bytes of a row between two rounds of prefetches: two cache lines of each stream.
inline constexpr int kPrefetchBlockBytes = 128;

/// Cells of a block: what for_each_block_ahead hands out at once.
template <class Real>
inline constexpr int kBlockCells = kPrefetchBlockBytes / static_cast<int>(sizeof(Real));

/// Host only: f(i) for i = 0 .. count - 1, vectorised; iterations must be independent.
template <class Count, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_each_lane(Count count, const Body& f) {
#pragma omp simd
  for (int i = 0; i < count; ++i) f(i);
}

/// Host only: walks the part `part` of a tile, in coordinates of the tile, every Planes-th plane,
/// row by row in blocks of cells: calls f(first, count), where first is the block's first cell and
/// count is kBlockCells<Real>, a constant, or what is left of the row. Before each whole block,
/// ahead(cell) is called once a cache line, for a cell of that row kPrefetchBytes further on (past
/// the row's end: somewhere in the next row), to prefetch what f will read there.
template <int Planes, class Real, class Body, class Ahead>
KOKKOS_FORCEINLINE_FUNCTION void for_each_block_ahead(const Box& part, const Body& f,
                                                      const Ahead& ahead) {
  constexpr int kBlock = kBlockCells<Real>;
  constexpr int kAhead = kPrefetchBytes / static_cast<int>(sizeof(Real));
  for (int z = part.z0; z < part.z1; z += Planes) {
    for (int y = part.y0; y < part.y1; ++y) {
      int x = part.x0;
      for (; x + kBlock <= part.x1; x += kBlock) {
        for (int line = x; line < x + kBlock; line += kHostLine<Real>)
          ahead(Cell{z, y, line + kAhead, 0});
        f(Cell{z, y, x, 0}, std::integral_constant<int, kBlock>{});
      }
      if (x < part.x1) f(Cell{z, y, x, 0}, part.x1 - x);
    }
  }
}

}  // namespace tessera
