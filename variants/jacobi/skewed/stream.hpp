// SPDX-License-Identifier: Apache-2.0
// The stream of `skewed`: a circular multi-queue of planes in a cache for each thread, and
// blocks of rows in registers (the host's redundant register streaming, EBISU 4.3.3).
//
// What a core loads from L1 for a cell binds long before its multiply-adds do if each point is
// loaded for each cell. So Ks planes x Ky rows are made at a time, vector by vector: a value that
// is loaded is added to the sums of all rows it is a neighbour of. Of two planes made at once the
// planes between are also fetched from L2 once, not twice. The queue's rows are lifted
// (tile/transposed_row.hpp), since a load that straddles two cache lines counts twice.
//
// Tiles are skewed (variants/jacobi/skewed/tiles.hpp): step l's rows begin R cells further left
// than those of step l - 1, so that all neighbours of a row's cells lie in the row it is made from
// and 2R vectors that lead it; and R rows further up, so that 2R rows lead a plane. What leads them
// are the last cells and rows of the tiles made before, which these have left in `edges`; a row
// that goes round leads itself.
//
// Round j: Ks planes enter queue 0; then step l makes, R planes behind step l - 1, as many of them
// from queue l - 1 for queue l, or, the last, for memory. The Ks planes of a round lie together, a
// set; between rounds a queue holds as few sets as have 2R planes. What step l makes takes the
// place of the oldest set that it is made from, cell by cell, from the last row and vector to the
// first: all that the cells before them need lies before them. So a line that is written has just
// been read, and a queue takes no more than its sets (the compressed grids of Kowarschik, Ruede,
// Weiss and Karl, "Cache-aware multigrid methods for solving Poisson's equation in two dimensions",
// 2000, for planes).
#pragma once

#include "device/native_launch.hpp"
#include "device/scratch_pointer.hpp"
#include "device/space.hpp"
#include "device/streaming_row.hpp"
#include "device/team_chain.hpp"
#include "registry/registry.hpp"
#include "tile/transposed_row.hpp"
#include "variants/jacobi/skewed/queues.hpp"
#include "variants/jacobi/skewed/row_tile.hpp"
#include "variants/jacobi/skewed/sums.hpp"
#include "variants/jacobi/skewed/tiles.hpp"

#include <algorithm>
#include <cstdint>

namespace tessera::jacobi {

template <class StencilType, class Real, RowTile kRowTile>
struct RowsKernel {
  using Stencil = StencilType;
  static constexpr RowTile kTile = kRowTile;
  using Value = Real;
  static constexpr int kR = StencilType::kR, kRy = StencilType::kRy;
  static constexpr int kKs = kTile.planes, kKy = kTile.rows;
  static constexpr int kLeads = 2 * kR;  ///< vectors that lead a row
  static constexpr int kLine = kHostLine<Real>, kLanes = kHostLanes<Real>;
  static constexpr int kLead = kLeads * kLanes;
  static constexpr int kPitch = kLead + kTile.nx;
  static constexpr int kPlane = kPitch * (kTile.ny + 2 * kRy);
  static constexpr int kFirst = 2 * kRy * kPitch + kLead;  ///< of a plane: the tile's first vector
  static constexpr int kSet = kKs * kPlane;                ///< elements of a set of planes
  static constexpr int kOldSets = (2 * kR + kKs - 1) / kKs;  ///< of a queue, between rounds
  static constexpr int kGrainX = std::max(kLanes, kLine);    ///< a narrower tile: in these
  static constexpr int kLeastX = kLeads * kLanes;            ///< and at least this
  static constexpr int kGrainY = kKy;                        ///< the same of its height
  static constexpr int kLeastY = kRy > 0 ? 2 * kRy : 1;
  static_assert(kTile.nx % kLanes == 0 && kTile.ny % kKy == 0);

  Fields<Real> f;
  SkewedTiles tiles;
  int levels;
  Real* edges;  ///< edge_elements()
  TeamChain::Counters chain;
  /// Cells of a row that are made between two visits to memory.
  int chunk = chunk_of(tiles.x.tile / kLanes) * kLanes;

  [[nodiscard]] static const char* label() { return "tessera::jacobi::skewed::stream"; }
  [[nodiscard]] static std::size_t scratch_bytes(int levels) {
    return Storage::shmem_size(static_cast<std::size_t>(elements(levels) + kLine - 1));
  }
  /// Loads and stores of L1 for a stored cell, `redundant` being cells computed for each one
  /// stored.
  static void count(Plan& plan, double redundant) {
    plan.scratch_loads = redundant * RowSums<StencilType, Real, kKs, kKy>::loads() / (kKs * kKy);
    plan.scratch_stores = redundant;
  }

  KOKKOS_FUNCTION void operator()(const NativeTeam& team) const {
    Storage storage(scratch_of(team), elements(levels) + kLine - 1);
    Real* scratch = scratch_pointer(storage.data());
    while (reinterpret_cast<std::uintptr_t>(scratch) % kHostLineBytes != 0) ++scratch;
    // What lies around a tile after the first step is nobody's, but shall be finite.
    for (int i = 0; i < elements(levels); ++i) scratch[i] = Real(0);
    const int group = team.league_rank() / tiles.teams;
    const int link = team.league_rank() % tiles.teams;
    const int s_begin = tiles.share_begin(f.ns, group);
    const int s_end = tiles.share_begin(f.ns, group + 1);
    const int all = rounds(levels, s_end - s_begin);
    Real* const own_edges = edges + group * (edge_elements(tiles, f.ns, levels) / tiles.groups);
    for (int i = link, turn = 0; i < tiles.count(); i += tiles.teams, ++turn) {
      // The tile before is the same turn of the team before, and the first team's the last one of
      // the turn before.
      const int before = link > 0 ? team.league_rank() - 1 : team.league_rank() + tiles.teams - 1;
      const int done = (link > 0 ? turn : turn - 1) * all;
      int round = 0;
      stream(
          i, s_begin, s_end, scratch, own_edges, [&] { chain.wait(before, done + ++round); },
          [&] { chain.finish(team.league_rank()); });
    }
    streaming_fence();
  }

  /// Elements of `edges`.
  [[nodiscard]] static std::int64_t edge_elements(const SkewedTiles& tiles, int ns, int levels) {
    return tiles.groups *
           TileEdges<RowsKernel>::elements(tiles, levels, rounds(levels, tiles.share(ns)));
  }
  /// Where the cells of time step `level` begin.
  [[nodiscard]] int x_of(const PlanePlace& place, int level) const {
    return place.x0 + (levels - level) * kR;
  }
  [[nodiscard]] int y_of(const PlanePlace& place, int level) const {
    return place.y0 + (levels - level) * kRy;
  }
  [[nodiscard]] int height() const { return tiles.y.tile; }           ///< of a tile, in rows
  [[nodiscard]] int width() const { return tiles.x.tile; }            ///< of a row, in cells
  [[nodiscard]] int length() const { return tiles.x.tile / kLanes; }  ///< and in vectors
  [[nodiscard]] int chunks_of_row() const { return (width() + chunk - 1) / chunk; }
  /// Chunks that a step makes of a round's rows.
  [[nodiscard]] int chunks() const { return (height() + kKy - 1) / kKy * chunks_of_row(); }

 private:
  using Storage = Kokkos::View<Real*, ScratchSpace, Kokkos::MemoryUnmanaged>;

  /// Sets of planes: those of the queues between rounds, that of new planes, that of the next
  /// round's, that of the last step.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION static int sets(int levels) { return levels * kOldSets + 3; }
  /// Sets, and two rows in their natural order: one that is fetched, one that is stored, and may go
  /// round up to its end.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION static int elements(int levels) {
    return sets(levels) * kSet + kPitch + 2 * kTile.nx;
  }
  using Queues = RowQueues<RowsKernel>;

  /// Rounds before the one whose last step is the first to store, and of a stream.
  [[nodiscard]] static int rounds_ahead(int levels) { return (2 * levels * kR + kKs - 1) / kKs; }
  [[nodiscard]] static int rounds(int levels, int planes) {
    return rounds_ahead(levels) + (planes + kKs - 1) / kKs;
  }

  /// Planes [s_begin, s_end) of tile i. Calls wait() before each round and finish() after it.
  template <class Wait, class Finish>
  void stream(int i, int s_begin, int s_end, Real* scratch, Real* own_edges, const Wait& wait,
              const Finish& finish) const {
    const PlanePlace place = tiles.place(i);
    const int reach = levels * kR;
    const int first = std::max(s_begin - reach, -kR);
    const int end = std::min(s_end + reach, f.ns + kR);
    Real* const fetched_row = scratch + sets(levels) * kSet;
    Queues queues(scratch, levels);
    TileEdges<RowsKernel> edges_of_tile(*this, i, own_edges, rounds(levels, s_end - s_begin));
    Arrivals<RowsKernel> arrivals(*this, place, fetched_row);
    Departures<RowsKernel> departures(*this, place, queues.made(levels), fetched_row + kPitch);
    const auto arrive = [&](int p) {
      const int p_begin = std::max(p, first);
      arrivals.begin(p_begin, std::min(p + kKs, end), queues.next() + (p_begin - p) * kPlane);
    };
    const auto meanwhile = [&] {
      arrivals.some();
      departures.some();
      edges_of_tile.some();
    };
    // The first plane that is stored begins a block of the last step.
    const int p_first = s_begin + reach - rounds_ahead(levels) * kKs;
    arrive(p_first);
    for (int p0 = p_first; p0 < s_end + reach; p0 += kKs) {
      wait();
      arrivals.all();
      queues.enter();
      arrive(p0 + kKs);
      for (int level = 1; level <= levels; ++level) {
        const int margin = (levels - level) * kR;
        const int p = p0 - level * kR;
        const int p_begin = std::max({p, s_begin - margin, -kR});
        const int p_end = std::min({p + kKs, s_end + margin, f.ns + kR});
        if (level == levels) departures.all();
        if (p_end - p_begin == kKs && p_begin >= 0 && p_end <= f.ns) {
          make_planes<kKs>(place, level, p, 0, queues, edges_of_tile, meanwhile);
        } else {
          for (int q = p_begin; q < p_end; ++q) {
            make_planes<1>(place, level, q, q - p, queues, edges_of_tile, meanwhile);
          }
        }
        edges_of_tile.all();
        if (level < levels) {
          edges_of_tile.pass_on(queues.made(level), p_begin - p, p_end - p);
        } else {
          departures.begin(p_begin, p_end, p_begin - p);
        }
        queues.pass(level);
      }
      finish();
    }
    departures.all();
  }

  /// Step `level`: Ks planes from p on, the ith and following of its round. Fixed cells are copied.
  /// Calls meanwhile() once a chunk of rows.
  template <int Ks, class Meanwhile>
  void make_planes(const PlanePlace& place, int level, int p, int i, const Queues& queues,
                   TileEdges<RowsKernel>& edges_of_tile, const Meanwhile& meanwhile) const {
    const int y0 = y_of(place, level);
    const int around = level < levels ? kRy : 0;  // fixed rows that the next step reads
    const int y_begin = std::clamp(-around - y0, 0, height());
    const int y_end = std::clamp(f.ny + around - y0, 0, height());
    const auto in = [&](int k) { return queues.plane(level - 1, i + k); };
    Real* const out = queues.made(level) + i * kPlane;
    const bool fixed = p < 0 || p >= f.ns;
    const CellsBeside beside = cells_beside(x_of(place, level));
    const auto lead = [&](int k, int y) {
      if (level < levels) edges_of_tile.lead(out + k * kPlane + y * kPitch, i + k, y);
    };
    for (int y = y_end; y > y_begin;) {
      if (y - kKy < 2 * kRy) edges_of_tile.all();
      const int block = y - kKy;
      if (!fixed && block >= y_begin && y0 + block >= 0 && y0 + y <= f.ny) {
        make_rows<Ks, kKy>(beside, in, out, block, meanwhile);
        y = block;
        for (int k = 0; k < Ks * kKy; ++k) lead(k / kKy, y + k % kKy);
        continue;
      }
      // Less than a block: row by row.
      --y;
      for (int k = 0; k < Ks; ++k) {
        if (fixed || y0 + y < 0 || y0 + y >= f.ny) {
          std::copy_n(in(kR + k) + (y - kRy) * kPitch - kR * kLanes, width(),
                      out + k * kPlane + y * kPitch);
        } else {
          make_rows<1, 1>(
              beside, [&](int j) { return in(k + j); }, out + k * kPlane, y, meanwhile);
        }
        lead(k, y);
      }
    }
  }

  /// The cells beside the grid that a row whose first cell is x0 holds: elements of the row.
  struct CellsBeside {
    int count = 0;
    int at[2 * kR];
  };
  [[nodiscard]] CellsBeside cells_beside(int x0) const {
    CellsBeside cells;
    for (int x = -kR; x < kR; ++x) {
      const int at = tiles.x.place((x < 0 ? 0 : f.nx) + x, x0);
      if (at >= 0 && at < width()) cells.at[cells.count++] = lifted_place<Real>(at, length());
    }
    return cells;
  }

  /// Rows y ... y + Ky - 1 of Ks planes, updated cells and those `beside` them: of set `out`, from
  /// planes in(Constant<0 ... 2R + Ks - 1>), whose rows begin R cells further right, and planes R
  /// rows further down.
  template <int Ks, int Ky, class In, class Meanwhile>
  void make_rows(const CellsBeside& beside, const In& in, Real* out, int y,
                 const Meanwhile& meanwhile) const {
    using Sums = RowSums<StencilType, Real, Ks, Ky>;
    const Real* from[Sums::kPlanes];
    static_for<Sums::kPlanes>([&](auto i) { from[i] = in(i) + (y - kRy) * kPitch; });
    Real* const to = out + y * kPitch;
    // Cells beside the grid are fixed: what is computed there makes way for them. A neighbour along
    // x is the neighbouring vector's, in the same lane.
    Real fixed[2 * kR][Ks * Ky];
    const auto for_each_fixed = [&](const auto& body) {
      for (int i = 0; i < beside.count; ++i) {
        static_for<Ks * Ky>(
            [&](auto block) { body(fixed[i][block], beside.at[i], block / Ky, block % Ky); });
      }
    };
    for_each_fixed([&](Real& cell, int at, int k, int j) {
      cell = from[kR + k][j * kPitch + at - kR * kLanes];
    });
    for (int end = width(); end > 0; end -= chunk) {
      meanwhile();
      Sums::template make<kPlane, kPitch>(from, to, std::max(end - chunk, 0), end);
    }
    for_each_fixed(
        [&](const Real& cell, int at, int k, int j) { to[k * kPlane + j * kPitch + at] = cell; });
  }

  /// Vectors of a row, a whole number of pairs, between two visits to memory: about 8 of `length`.
  [[nodiscard]] static int chunk_of(int length) {
    const int chunks = std::max((length + 4) / 8, 1);
    return (length + 2 * chunks - 1) / (2 * chunks) * 2;
  }
};

}  // namespace tessera::jacobi
