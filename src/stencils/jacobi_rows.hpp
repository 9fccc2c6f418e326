// SPDX-License-Identifier: Apache-2.0
// The stream of `ebisu` on hosts: a circular multi-queue of planes in L1 or L2 for each thread, and
// blocks of rows in registers (the host's redundant register streaming, EBISU 4.3.3).
//
// What a core loads from L1 for a cell binds long before its multiply-adds do if each point is
// loaded for each cell. So Ks planes x Ky rows are made at a time, vector by vector: a value that
// is loaded is added to the sums of all rows it is a neighbour of. Of two planes made at once the
// planes between are also fetched from L2 once, not twice.
//
// Round j: Ks planes enter queue 0; then step l makes, R planes behind step l - 1, as many of them
// from queue l - 1 for queue l, or, the last, for memory.
#pragma once

#include "stencils/jacobi_launcher.hpp"
#include "tile/host_vector.hpp"
#include "tile/prefetch.hpp"
#include "tile/scratch_pointer.hpp"
#include "tile/streaming_row.hpp"

#include <algorithm>
#include <cstdint>

namespace tessera::jacobi {

/// A tile of Nx x Ny cells of a plane, of which Ky rows in each of Ks planes are made at a time.
template <int Nx, int Ny, int Ks, int Ky>
struct RowTile {
  static constexpr int kNx = Nx, kNy = Ny, kKs = Ks, kKy = Ky;
};

template <class StencilType, class Real, class TileType, class Policy>
struct RowsKernel {
  using Stencil = StencilType;
  using Tile = TileType;
  static constexpr int kThreads = 1, kMinTeams = 1;
  static constexpr bool kDeviceTiling = false;
  static constexpr int kR = StencilType::kR, kRy = StencilType::kRy;
  static constexpr int kKs = TileType::kKs, kKy = TileType::kKy;
  static constexpr int kAround = kR;  ///< cells that are read beside the tile
  static constexpr int kLine = kHostLine<Real>;
  /// Rows begin on a cache line, or most vectors would straddle two.
  static constexpr int kLead = (kR + kLine - 1) / kLine * kLine;
  static constexpr int kPitch = kLead + TileType::kNx + kLead;
  static constexpr int kPlane = kPitch * (TileType::kNy + 2 * kRy);
  static constexpr int kFirst = kRy * kPitch + kLead;  ///< of a plane: the tile's first cell
  static constexpr int kSlots = 2 * kR + kKs;          ///< planes of a queue

  Fields<Real> f;
  PlaneCuts cuts;
  int levels;
  NoExchange exchange;

  [[nodiscard]] static const char* label() { return Policy::label(); }
  [[nodiscard]] static int lost_x(int levels) { return (levels - 1) * kR; }
  [[nodiscard]] static int lost_y(int levels) { return (levels - 1) * kRy; }
  [[nodiscard]] static std::size_t scratch_bytes(int levels) {
    return Storage::shmem_size(static_cast<std::size_t>(elements(levels) + kLine - 1));
  }
  /// Loads and stores of L1 for a stored cell, `redundant` being cells computed for each one
  /// stored.
  static void count(Plan& plan, double redundant) {
    int loads = 0;
    for_each_value<kKs, kKy>([&](auto, auto, auto) { ++loads; });
    plan.scratch_loads = redundant * loads / (kKs * kKy);
    plan.scratch_stores = redundant;
  }

  KOKKOS_FUNCTION void operator()(const NativeTeam& team) const {
    Storage storage(scratch_of(team), elements(levels) + kLine - 1);
    Real* scratch = scratch_pointer(storage.data());
    while (reinterpret_cast<std::uintptr_t>(scratch) % kHostLineBytes != 0) ++scratch;
    // What lies around a tile after the first step is nobody's, but shall be finite.
    for (int i = 0; i < elements(levels); ++i) scratch[i] = Real(0);
    for_each_share(cuts, f.ns, team.league_rank(), team.league_size(),
                   [&](const PlanePlace& place, int s_begin, int s_end) {
                     stream(place, s_begin, s_end, scratch + kFirst);
                   });
    streaming_fence();
  }

 private:
  using Storage = Kokkos::View<Real*, ScratchSpace, Kokkos::MemoryUnmanaged>;

  [[nodiscard]] KOKKOS_INLINE_FUNCTION static int elements(int levels) {
    return levels * kSlots * kPlane;
  }
  /// Plane p in the queue of `level`.
  [[nodiscard]] static Real* slot(Real* cells, int level, int p) {
    const int at = p % kSlots;
    return cells + (level * kSlots + (at < 0 ? at + kSlots : at)) * kPlane;
  }

  void stream(const PlanePlace& place, int s_begin, int s_end, Real* cells) const {
    const int reach = levels * kR;
    const int first = std::max(s_begin - reach, -kR);
    const int end = std::min(s_end + reach, f.ns + kR);
    // The first plane that is stored begins a block of the last step.
    const int rounds_ahead = (2 * reach + kKs - 1) / kKs;
    for (int p0 = s_begin + reach - rounds_ahead * kKs; p0 < s_end + reach; p0 += kKs) {
      for (int p = std::max(p0, first); p < std::min(p0 + kKs, end); ++p) {
        fetch(place, p, slot(cells, 0, p));
      }
      for (int level = 1; level <= levels; ++level) {
        const int margin = (levels - level) * kR;
        const int p = p0 - level * kR;
        const int p_begin = std::max({p, s_begin - margin, -kR});
        const int p_end = std::min({p + kKs, s_end + margin, f.ns + kR});
        if (p_begin >= p_end) continue;
        prefetch(place, p0 + kKs, std::min(p0 + 2 * kKs, end), level);
        if (p_end - p_begin == kKs && p_begin >= 0 && p_end <= f.ns) {
          make_planes<kKs>(place, level, p, cells);
        } else {
          for (int q = p_begin; q < p_end; ++q) make_planes<1>(place, level, q, cells);
        }
      }
    }
  }

  /// Copies plane p, with what lies around the tile, to its slot.
  void fetch(const PlanePlace& place, int p, Real* to) const {
    const Real* from = f.from + f.offset(p, place.y0, place.x0);
    const int x_begin = clip(-kR - place.x0, -kR, TileType::kNx + kR);
    const int x_end = clip(f.nx + kR - place.x0, -kR, TileType::kNx + kR);
    const int y_begin = clip(-kRy - place.y0, -kRy, TileType::kNy + kRy);
    const int y_end = clip(f.ny + kRy - place.y0, -kRy, TileType::kNy + kRy);
    for (int y = y_begin; y < y_end; ++y) {
      copy_row(to + y * kPitch, from + static_cast<std::int64_t>(y) * f.row, x_begin, x_end);
    }
  }

  /// Asks for a step's share of the planes [p, p_end) of the next round: some columns of the tile.
  /// Inline, or GCC takes a function that only asks for one that does nothing.
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(const PlanePlace& place, int p, int p_end,
                                            int level) const {
    const int share = (TileType::kNx / kLine + levels - 1) / levels * kLine;
    const int x_begin = clip(place.x0 + (level - 1) * share, 0, f.nx);
    const int x_end = clip(place.x0 + std::min(level * share, TileType::kNx), 0, f.nx);
    const int y_begin = clip(place.y0, -kRy, f.ny + kRy);
    const int y_end = clip(place.y0 + TileType::kNy, -kRy, f.ny + kRy);
    for (; p < p_end; ++p) {
      for (int y = y_begin; y < y_end; ++y) {
        const Real* const from = f.from + f.offset(p, y, 0);
        for (int x = x_begin; x < x_end; x += kLine) prefetch_to_l2(from + x);
      }
    }
  }

  /// Step `level`: planes p ... p + Ks - 1 from the queue before, of which what a stored cell
  /// depends on, in whole lines. Fixed cells are copied.
  template <int Ks>
  void make_planes(const PlanePlace& place, int level, int p, Real* cells) const {
    const int margin = levels - level;
    const int y_begin = clip(place.y_begin - margin * kRy - place.y0, 0, TileType::kNy);
    const int y_end = clip(place.y_end + margin * kRy - place.y0, 0, TileType::kNy);
    const int x_begin = clip(place.x_begin - margin * kR - place.x0, 0, TileType::kNx);
    const int x_end = clip(place.x_end + margin * kR - place.x0, 0, TileType::kNx);
    const Real* in[2 * kR + Ks];
    static_for<2 * kR + Ks>([&](auto i) { in[i] = slot(cells, level - 1, p - kR + i); });
    Real* out[Ks];
    static_for<Ks>([&](auto k) { out[k] = slot(cells, level < levels ? level : 0, p + k); });
    const bool fixed = p < 0 || p >= f.ns;
    for (int y = y_begin; y < y_end;) {
      const int gy = place.y0 + y;
      if (fixed || gy < 0 || gy >= f.ny) {
        if (margin > 0) {
          static_for<Ks>([&](auto k) {
            copy_row(out[k] + y * kPitch, in[kR + k] + y * kPitch, x_begin, x_end);
          });
        }
        ++y;
        continue;
      }
      if constexpr (Ks == kKs) {
        if (y + kKy <= y_end && gy + kKy <= f.ny) {
          make_rows<kKs, kKy>(place, in, out, p, y, x_begin, x_end, margin == 0);
          y += kKy;
          continue;
        }
      }
      // Less than a block: row by row.
      static_for<Ks>([&](auto k) {
        const Real* near[2 * kR + 1];
        static_for<2 * kR + 1>([&](auto i) { near[i] = in[k + i]; });
        make_rows<1, 1>(place, near, {out[k]}, p + k, y, x_begin, x_end, margin == 0);
      });
      ++y;
    }
  }

  /// Rows y ... y + Ky - 1 of those planes, updated cells, into the queue or into memory.
  template <int Ks, int Ky>
  void make_rows(const PlanePlace& place, const Real* const (&in)[2 * kR + Ks],
                 Real* const (&out)[Ks], int p, int y, int x_begin, int x_end, bool stores) const {
    const Real* from[2 * kR + Ks];
    static_for<2 * kR + Ks>([&](auto i) { from[i] = in[i] + y * kPitch; });
    if (stores) {
      alignas(kHostLineBytes) Real made[Ks][Ky * kChunk];
      for (int x = x_begin / kLine * kLine; x < x_end; x += kChunk) {
        const int end = std::min(x + kChunk, x_end), skip = std::max(x_begin - x, 0);
        static_for<2 * kR + Ks>([&](auto i) { from[i] = in[i] + y * kPitch + x; });
        Real* to[Ks];
        static_for<Ks>([&](auto k) { to[k] = made[k]; });
        sum_rows<Ks, Ky>(from, to, kChunk, 0, end - x);
        static_for<Ks>([&](auto k) {
          static_for<Ky>([&](auto j) {
            store_row_streaming(f.to + f.offset(p + k, place.y0 + y + j, place.x0 + x + skip),
                                made[k] + j * kChunk + skip, end - x - skip);
          });
        });
      }
      return;
    }
    Real* to[Ks];
    static_for<Ks>([&](auto k) { to[k] = out[k] + y * kPitch; });
    sum_rows<Ks, Ky>(from, to, kPitch, x_begin / kLine * kLine,
                     (x_end + kLine - 1) / kLine * kLine);
    // Cells beside the grid are fixed: what was computed there makes way for them.
    for (int x = -kR; x < kR; ++x) {
      const int at = (x < 0 ? 0 : f.nx) + x - place.x0;
      if (at < x_begin || at >= x_end) continue;
      static_for<Ks>([&](auto k) {
        static_for<Ky>([&](auto j) { to[k][j * kPitch + at] = from[kR + k][j * kPitch + at]; });
      });
    }
  }

  /// Calls f(plane, row, dx) for each value that a vector of Ks x Ky cells needs, in the order of
  /// summation: plane -R ... Ks - 1 + R, row -Ry ... Ky - 1 + Ry.
  template <int Ks, int Ky, class Body>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each_value(const Body& body) {
    static_for<2 * kR + Ks>([&](auto a) __attribute__((always_inline)) {
      static_for<2 * kRy + Ky>([&](auto b) __attribute__((always_inline)) {
        static_for<2 * kR + 1>([&](auto c) __attribute__((always_inline)) {
          constexpr int kPlaneOf = a - kR, kRowOf = b - kRy, kDx = c - kR;
          if constexpr (wanted<Ks, Ky>(kPlaneOf, kRowOf, kDx)) {
            body(Constant<kPlaneOf>{}, Constant<kRowOf>{}, Constant<kDx>{});
          }
        });
      });
    });
  }
  template <int Ks, int Ky>
  [[nodiscard]] static constexpr bool wanted(int plane, int row, int dx) {
    for (int k = 0; k < Ks; ++k) {
      for (int j = 0; j < Ky; ++j) {
        if (has(plane - k, row - j, dx)) return true;
      }
    }
    return false;
  }
  [[nodiscard]] static constexpr bool has(int s, int y, int x) {
    return s >= -kR && s <= kR && y >= -kRy && y <= kRy && StencilType::has(s, y, x);
  }

  /// Cells [begin, end) of Ks x Ky rows, in whole vectors; rows of `to` are `pitch` apart.
  template <int Ks, int Ky>
  KOKKOS_FORCEINLINE_FUNCTION static void sum_rows(const Real* const (&from)[2 * kR + Ks],
                                                   Real* const (&to)[Ks], int pitch, int begin,
                                                   int end) {
    constexpr int kStep = kVectors * kHostLanes<Real>;
    int x = begin;
    for (; x + kStep <= end; x += kStep) sum_vectors<Ks, Ky, kVectors>(from, to, pitch, x);
    for (; x < end; x += kHostLanes<Real>) sum_vectors<Ks, Ky, 1>(from, to, pitch, x);
  }

  /// `Vectors` vectors of Ks x Ky rows. Each value is loaded once.
  template <int Ks, int Ky, int Vectors>
  KOKKOS_FORCEINLINE_FUNCTION static void sum_vectors(const Real* const (&from)[2 * kR + Ks],
                                                      Real* const (&to)[Ks], int pitch, int x) {
    constexpr Point kFirstPoint = kPointsOf<StencilType>[0];
    HostVector<Real> sum[Ks * Ky][Vectors];
    for_each_value<Ks, Ky>([&](auto a, auto b, auto dx) __attribute__((always_inline)) {
      HostVector<Real> value[Vectors];
      static_for<Vectors>([&](auto v) __attribute__((always_inline)) {
        value[v] = load_host_vector(from[a + kR] + x + b * kPitch + dx + v * kHostLanes<Real>);
        keep_in_register<Real>(value[v]);
      });
      static_for<Ks>([&](auto k) __attribute__((always_inline)) {
        static_for<Ky>([&](auto j) __attribute__((always_inline)) {
          constexpr int kS = a - k, kY = b - j, kX = dx;
          if constexpr (has(kS, kY, kX)) {
            const Real weight = weight_at<StencilType, Real>(kS, kY, kX);
            static_for<Vectors>([&](auto v) __attribute__((always_inline)) {
              HostVector<Real>& s = sum[k * Ky + j][v];
              if constexpr (kS == kFirstPoint.s && kY == kFirstPoint.y && kX == kFirstPoint.x) {
                s = weight * value[v];
              } else {
                s = multiply_add_lanes<Real>(weight, value[v], s);
              }
            });
          }
        });
      });
    });
    static_for<Ks>([&](auto k) __attribute__((always_inline)) {
      static_for<Ky>([&](auto j) __attribute__((always_inline)) {
        static_for<Vectors>([&](auto v) __attribute__((always_inline)) {
          store_host_vector(to[k] + x + j * pitch + v * kHostLanes<Real>, sum[k * Ky + j][v]);
        });
      });
    });
  }

  static constexpr int kVectors = 2;
  static constexpr int kChunk = 128;

  [[nodiscard]] static int clip(int value, int low, int high) {
    return value < low ? low : value > high ? high : value;
  }
  static void copy_row(Real* to, const Real* from, int begin, int end) {
#pragma omp simd
    for (int x = begin; x < end; ++x) to[x] = from[x];
  }
};

}  // namespace tessera::jacobi
