// SPDX-License-Identifier: Apache-2.0
// Rows of a host tile, summed into a buffer that L1 holds and stored from there past the caches.
#pragma once

#include "base/device/prefetch.hpp"
#include "base/device/streaming_row.hpp"
#include "base/tile/tiling.hpp"
#include "variants/directional/formula.hpp"

namespace tessera::directional {

/// One pass over the tile at `place`, in pieces of rows.
///
/// What reads x, y and z goes in two loops, x and y first: one loop would keep 2R + 1 addresses an
/// axis, more than a host has registers for, and load them again for each vector. And it takes
/// kJam planes at a time: their z sums share most of what they read, kJam + 2R rows in place of
/// kJam (2R + 1), which come from L2. The plane R ahead is requested early from memory, one row
/// down: a prefetcher starts anew at every row's end.
template <class Real, int R, Directions D>
class StreamedRows {
 public:
  explicit StreamedRows(const Cubes<Real>& cubes) : f_(cubes) {}

  void pass(const TilePlace& place) const {
    const TileExtent& n = place.extent;
    const int jammed = D == Directions::xyz ? n.nz / kJam * kJam : 0;
    for (int z = 0; z < jammed; z += kJam) {
      for (int y = 0; y < n.ny; ++y) piece_by_piece<kJam>(place, z, y);
    }
    for (int z = jammed; z < n.nz; ++z) {
      for (int y = 0; y < n.ny; ++y) piece_by_piece<1>(place, z, y);
    }
    streaming_fence();
  }

 private:
  static constexpr int kJam = 4;
  static constexpr int kPiece = 128;

  template <int Planes>
  void piece_by_piece(const TilePlace& place, int z, int y) const {
    alignas(64) Real piece[Planes * kPiece];
    const std::int64_t first = f_.offset(place.z0 + z, place.y0 + y, place.x0);
    for (int x = 0; x < place.extent.nx; x += kPiece) {
      const int left = place.extent.nx - x;
      const int cells = left < kPiece ? left : kPiece;
      const Real* in = f_.in + first + x;
      if constexpr (D == Directions::xyz) {
        for (int p = 0; p < Planes; ++p) sum_xy_ahead(piece + p * kPiece, in + p * f_.plane, cells);
        add_z<Planes>(piece, in, cells);
      } else {
        sum_all(piece, in, cells);
      }
      for (int p = 0; p < Planes; ++p) {
        store_row_streaming(f_.out + first + x + std::int64_t{p} * f_.plane, piece + p * kPiece,
                            cells);
      }
    }
  }

  void sum_all(Real* __restrict__ to, const Real* __restrict__ in, int cells) const {
    const int row = f_.row, plane = f_.plane;
    const Coefficients<Real> k = f_.k;
#pragma omp simd
    for (int x = 0; x < cells; ++x) {
      const Real* u = in + x;
      to[x] = derivative<R, D>(
          k, [&](auto m) { return u[m]; }, [&](auto m) { return u[m * row]; },
          [&](auto m) { return u[m * plane]; });
    }
  }

  /// sum_xy() in blocks, each after the lines that the next row's will miss were requested.
  void sum_xy_ahead(Real* to, const Real* in, int cells) const {
    constexpr int kBlock = 128;
    const Real* const ahead = in + f_.row + std::int64_t{R} * f_.plane;
    for (int x = 0; x < cells; x += kBlock) {
      const int block = cells - x < kBlock ? cells - x : kBlock;
      for (int line = x; line < x + block; line += kHostLine<Real>) prefetch(ahead + line);
      sum_xy(to + x, in + x, block);
    }
  }

  void sum_xy(Real* __restrict__ to, const Real* __restrict__ in, int cells) const {
    const int row = f_.row;
    const Coefficients<Real> k = f_.k;
#pragma omp simd
    for (int x = 0; x < cells; ++x) {
      const Real* u = in + x;
      to[x] = axis_sum<R>(k.cx, [&](auto m) { return u[m]; }) +
              axis_sum<R>(k.cy, [&](auto m) { return u[m * row]; });
    }
  }

  template <int Planes>
  void add_z(Real* __restrict__ to, const Real* __restrict__ in, int cells) const {
    const int plane = f_.plane;
    const Coefficients<Real> k = f_.k;
#pragma omp simd
    for (int x = 0; x < cells; ++x) {
      static_for<Planes>([&](auto p) {
        const Real* u = in + x + p * plane;
        Real* sum = to + x + p * kPiece;
        *sum = with_centre(k, u[0], *sum + axis_sum<R>(k.cz, [&](auto m) { return u[m * plane]; }));
      });
    }
  }

  Cubes<Real> f_;
};

}  // namespace tessera::directional
