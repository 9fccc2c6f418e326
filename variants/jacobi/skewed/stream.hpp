// SPDX-License-Identifier: Apache-2.0
// The skewed-streaming kernel of jacobi/skewed: each thread streams its tiles through a multi-queue
// of planes in a cache, and makes blocks of rows in registers.
//
//   for each tile of this thread
//     for p in planes, k at a time                 # a round, behind the thread before: a pipeline
//       planes p ... p + k - 1 enter queue 0       # loaded and transposed in the last round
//       for l in 1 ... t                           # time steps a pass
//         for rows of planes p - l R ... p - l R + k - 1, from the last ones up, j rows at a time
//           for vectors of the rows, from the last ones down      # a register block of k x j rows
//             sums = w * what queue l - 1 has left of and above them
//             the sums replace the oldest batch of queue l - 1    # in-place update
//         exchange halos; the batch enters queue l                # l = t: it is stored
//
//   k = 2, R = 1, t = 3   p-4  p-3  p-2  p-1  p    p+1
//   queue 0, from memory            o    o    n    n       n: new in this round
//   queue 1                    o    o    n    n            o: kept from the last one; what the next
//   queue 2               o    o    n    n                    step makes of them is written over o
//   to memory                  n    n
//
// What a core loads from L1 for a cell binds long before its multiply-adds do if each point is
// loaded for each cell: hence blocks of rows, and, since a load that straddles two cache lines
// counts twice, transposed rows (tile/transposed_row.hpp). Of two planes made at once the planes
// between are also fetched from L2 once, not twice.
//
// Step l's rows begin R cells further left than those of step l - 1, and R rows further up
// (variants/jacobi/skewed/tiles.hpp): all neighbours of a cell lie in the row and plane that it is
// made from, or in their left and upper halos, none behind. So a batch can be written over
// the oldest one it is made from, from the last row and vector to the first: all that the cells
// before need lies before. A line that is written has just been read, and a queue takes no more
// than its batches (the compressed grids of Kowarschik, Ruede, Weiss and Karl, "Cache-aware
// multigrid methods for solving Poisson's equation in two dimensions", 2000, for planes).
#pragma once

#include "base/device/native_launch.hpp"
#include "base/device/scratch_pointer.hpp"
#include "base/device/space.hpp"
#include "base/device/streaming_row.hpp"
#include "base/device/team_chain.hpp"
#include "base/registry/registry.hpp"
#include "base/tile/skewed_cut.hpp"
#include "base/tile/transposed_row.hpp"
#include "variants/jacobi/skewed/exchange.hpp"
#include "variants/jacobi/skewed/layout.hpp"
#include "variants/jacobi/skewed/pipeline.hpp"
#include "variants/jacobi/skewed/queues.hpp"
#include "variants/jacobi/skewed/row_blocks.hpp"
#include "variants/jacobi/skewed/row_tile.hpp"
#include "variants/jacobi/skewed/sums.hpp"
#include "variants/jacobi/skewed/tiles.hpp"

#include <algorithm>
#include <cstdint>

namespace tessera::jacobi {

template <class StencilType, class Real, RegisterBlock kBlock>
struct SkewedStreamingKernel {
  static constexpr int kR = StencilType::kR, kRy = StencilType::kRy;
  static constexpr int kKs = kBlock.planes, kKy = kBlock.rows;
  static constexpr int kLanes = kHostLanes<Real>, kLine = kHostLine<Real>;

  Fields<Real> f;
  RowTile tile;  ///< the largest
  SkewedTiles tiles;
  int steps;       ///< of this pass
  Real* exchange;  ///< exchange_elements()
  TeamChain::Counters chain;
  TileLayout layout = layout_of(tile, tiles.x.tile, tiles.y.tile);
  /// Cells of a row that are made between two visits to memory.
  int chunk = chunk_of(layout.length) * kLanes;

  [[nodiscard]] static const char* label() { return "tessera::jacobi::skewed::stream"; }
  [[nodiscard]] static TileLimits limits(const RowTile& tile) {
    return {.nx = tile.nx,
            .ny = tile.ny,
            .least_x = 2 * kR * kLanes,
            .least_y = kRy > 0 ? 2 * kRy : 1,
            .grain_x = std::max(kLanes, kLine),
            .grain_y = kKy,
            .radius = kR,
            .radius_y = kRy,
            .round = kKs};
  }
  [[nodiscard]] static std::size_t scratch_bytes(const RowTile& tile, int steps) {
    return Storage::shmem_size(static_cast<std::size_t>(
        elements(layout_of(tile, tile.nx, tile.ny), tile, steps) + kLine - 1));
  }
  [[nodiscard]] static std::int64_t exchange_elements(const RowTile& tile, const SkewedTiles& tiles,
                                                      int steps, int planes) {
    const TileLayout layout = layout_of(tile, tiles.x.tile, tiles.y.tile);
    return tiles.groups *
           Exchange::elements(layout, tiles, steps, rounds(steps, tiles.share(planes)));
  }
  static void count(Plan& plan, double redundant) {
    plan.scratch_loads = redundant * BlockSums<StencilType, Real, kKs, kKy>::loads() / (kKs * kKy);
    plan.scratch_stores = redundant;
  }

  KOKKOS_FUNCTION void operator()(const NativeTeam& team) const {
    const int count = elements(layout, tile, steps);
    Storage storage(scratch_of(team), count + kLine - 1);
    Real* scratch = scratch_pointer(storage.data());
    while (reinterpret_cast<std::uintptr_t>(scratch) % kHostLineBytes != 0) ++scratch;
    // Cells outside the valid region are never stored; zeroed, they cannot produce NaNs.
    for (int i = 0; i < count; ++i) scratch[i] = Real(0);
    const int group = team.league_rank() / tiles.teams;
    const int link = team.league_rank() % tiles.teams;
    const int s_begin = tiles.share_begin(f.ns, group);
    const int s_end = tiles.share_begin(f.ns, group + 1);
    const int all = rounds(steps, s_end - s_begin);
    Real* const chain_exchange =
        exchange + group * (exchange_elements(tile, tiles, steps, f.ns) / tiles.groups);
    for_each_tile_in_chain(chain, group * tiles.teams, tiles.teams, link, tiles.count(), all,
                           [&](int i, const auto& wait, const auto& finish) {
                             stream(i, s_begin, s_end, scratch, chain_exchange, wait, finish);
                           });
    streaming_fence();
  }

 private:
  using Storage = Kokkos::View<Real*, ScratchSpace, Kokkos::MemoryUnmanaged>;
  using Queues = PlaneQueues<Real, kR, kKs>;
  using Exchange = HaloExchange<Real, kR>;

  [[nodiscard]] static TileLayout layout_of(const RowTile& tile, int width, int height) {
    return TileLayout{.lanes = kLanes,
                      .line = kLine,
                      .radius = kR,
                      .radius_y = kRy,
                      .planes = kKs,
                      .length = width / kLanes,
                      .height = height}
        .allocated_for(tile.nx, tile.ny);
  }
  /// From a row to the next: a constant where rows of a plane are loaded together.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto pitch() const {
    if constexpr (kBlock.nx > 0) {
      return Constant<
          TileLayout{.lanes = kLanes, .radius = kR}.allocated_for(kBlock.nx, 1).pitch>{};
    } else {
      return layout.pitch;
    }
  }
  /// For rows whose first cell is x0.
  [[nodiscard]] auto row_blocks(int x0) const {
    return RowBlocks<StencilType, Real, decltype(pitch())>(layout, pitch(), chunk, tiles.x, x0);
  }
  /// The queues, and two rows in their natural order: one that is loaded, one that is stored, and
  /// may wrap around up to its end.
  [[nodiscard]] static int elements(const TileLayout& layout, const RowTile& tile, int steps) {
    return Queues::batches(steps) * layout.batch() + layout.pitch + 2 * tile.nx;
  }
  /// Rounds before the one whose last step is the first to store, and of a stream.
  [[nodiscard]] static int rounds_ahead(int steps) { return (2 * steps * kR + kKs - 1) / kKs; }
  [[nodiscard]] static int rounds(int steps, int planes) {
    return rounds_ahead(steps) + (planes + kKs - 1) / kKs;
  }
  /// Where the cells of a time step begin.
  [[nodiscard]] int x_of(const PlanePlace& place, int step) const {
    return place.x0 + (steps - step) * kR;
  }
  [[nodiscard]] int y_of(const PlanePlace& place, int step) const {
    return place.y0 + (steps - step) * kRy;
  }
  [[nodiscard]] int width() const { return layout.width(); }
  [[nodiscard]] int height() const { return layout.height; }
  [[nodiscard]] int chunks_of_row() const { return (width() + chunk - 1) / chunk; }
  /// Chunks that a step makes of a round's rows.
  [[nodiscard]] int chunks() const { return (height() + kKy - 1) / kKy * chunks_of_row(); }

  /// Planes [s_begin, s_end) of tile i. Calls wait() before each round and finish() after it.
  template <class Wait, class Finish>
  void stream(int i, int s_begin, int s_end, Real* scratch, Real* chain_exchange, const Wait& wait,
              const Finish& finish) const {
    const PlanePlace place = tiles.place(i);
    const int reach = steps * kR;
    const int first = std::max(s_begin - reach, -kR);
    const int end = std::min(s_end + reach, f.ns + kR);
    Real* const natural = scratch + Queues::batches(steps) * layout.batch();
    Queues queues(layout, scratch, steps);
    LoadPipeline<Real, kR> loads(layout, f, y_of(place, 0), x_of(place, 0), tiles.x.periodic,
                                 natural, steps * chunks());
    StorePipeline<Real> stores(layout, f, place, tiles.x, queues.target(steps),
                               natural + layout.pitch, std::max(steps - 1, 1) * chunks());
    // The upper halo is needed when the next step comes to the first rows of its planes.
    const int blocks = std::max((height() - layout.halo_rows()) / kKy, 1);
    Exchange halos(layout, tiles, i, steps, rounds(steps, s_end - s_begin), chain_exchange,
                   blocks * chunks_of_row());
    const auto load = [&](int p) {
      const int p_begin = std::max(p, first);
      loads.start(p_begin, std::min(p + kKs, end), queues.next() + (p_begin - p) * layout.plane);
    };
    const auto meanwhile = [&] {
      loads.advance();
      stores.advance();
      halos.advance();
    };
    // The first plane that is stored begins a block of the last step.
    const int p_first = s_begin + reach - rounds_ahead(steps) * kKs;
    load(p_first);
    for (int p0 = p_first; p0 < s_end + reach; p0 += kKs) {
      wait();
      loads.finish();
      queues.enter();
      load(p0 + kKs);
      for (int step = 1; step <= steps; ++step) {
        const int margin = (steps - step) * kR;
        const int p = p0 - step * kR;
        const int p_begin = std::max({p, s_begin - margin, -kR});
        const int p_end = std::min({p + kKs, s_end + margin, f.ns + kR});
        if (step == steps) stores.finish();
        if (p_end - p_begin == kKs && p_begin >= 0 && p_end <= f.ns) {
          make_planes<kKs>(place, step, p, 0, queues, halos, meanwhile);
        } else {
          for (int q = p_begin; q < p_end; ++q) {
            make_planes<1>(place, step, q, q - p, queues, halos, meanwhile);
          }
        }
        halos.finish();
        if (step < steps) {
          halos.start(queues.target(step), p_begin - p, p_end - p);
        } else {
          stores.start(p_begin, p_end, p_begin - p);
        }
        queues.pass(step);
      }
      finish();
    }
    stores.finish();
  }

  /// Time step `step`: Ks planes from p on, the ith and following of its round. Fixed cells are
  /// copied. Calls meanwhile() once a chunk of rows.
  template <int Ks, class Meanwhile>
  void make_planes(const PlanePlace& place, int step, int p, int i, const Queues& queues,
                   Exchange& halos, const Meanwhile& meanwhile) const {
    const int y0 = y_of(place, step);
    const int around = step < steps ? kRy : 0;  // fixed rows that the next step reads
    const int y_begin = std::clamp(-around - y0, 0, height());
    const int y_end = std::clamp(f.ny + around - y0, 0, height());
    const auto in = [&](int k) { return queues.plane(step - 1, i + k); };
    Real* const out = queues.target(step) + i * layout.plane;
    const bool fixed = p < 0 || p >= f.ns;
    const auto rows = row_blocks(x_of(place, step));
    const auto fill_left = [&](int k, int y) {
      if (step < steps) halos.fill_left(out + k * layout.plane + y * pitch(), i + k, y);
    };
    for (int y = y_end; y > y_begin;) {
      if (y - kKy < 2 * kRy) halos.finish();
      const int block = y - kKy;
      if (!fixed && block >= y_begin && y0 + block >= 0 && y0 + y <= f.ny) {
        rows.template make<Ks, kKy>(in, out, block, meanwhile);
        y = block;
        for (int k = 0; k < Ks * kKy; ++k) fill_left(k / kKy, y + k % kKy);
        continue;
      }
      // Less than a block: row by row.
      --y;
      for (int k = 0; k < Ks; ++k) {
        if (fixed || y0 + y < 0 || y0 + y >= f.ny) {
          std::copy_n(in(kR + k) + (y - kRy) * pitch() - kR * kLanes, width(),
                      out + k * layout.plane + y * pitch());
        } else {
          rows.template make<1, 1>([&](int j) { return in(k + j); }, out + k * layout.plane, y,
                                   meanwhile);
        }
        fill_left(k, y);
      }
    }
  }

  /// Vectors of a row, a whole number of pairs, between two visits to memory: about 8 of `length`.
  [[nodiscard]] static int chunk_of(int length) {
    const int chunks = std::max((length + 4) / 8, 1);
    return (length + 2 * chunks - 1) / (2 * chunks) * 2;
  }
};

}  // namespace tessera::jacobi
