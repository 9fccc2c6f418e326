// SPDX-License-Identifier: Apache-2.0
// The traditional scheme (Fang V.A): 2R + 1 planes on chip, each output gathers all of its points.
#pragma once

#include "base/tile/cornered_ring.hpp"
#include "base/tile/wrapped_slot.hpp"
#include "variants/ete/kernels/launcher.hpp"

namespace tessera::ete {

/// Streams a tile along z: planes z - R ... z + R and two more, which are on their way, lie in a
/// ring in team scratch with their halos. The coefficients of a cell are loaded together, from
/// where kHome says, then its classes of points are summed one after the other.
template <class Label, class Real, class ShapeType, class TileType, Home kHome, Layout kLayout>
struct GatherKernel {
  static constexpr const char* kLabel = Label::kText;
  static constexpr Rows kRowKind = ShapeType::kRowKind;
  static constexpr int kMostThreads = sizeof(Real) == 4 ? 1024 : 512;  // 64 and 93 registers
  static constexpr int kAhead = 2;  // planes on their way while one is computed
  static constexpr int kSlots = 2 * kR + 1 + kAhead;
  using Ring = CorneredRing<Real, TileType, kR, kSlots>;
  using Table = Coefficients<Real, ShapeType, kHome, kLayout>;

  // A table in scratch has as many columns as there are velocities.
  static constexpr std::size_t kScratch =
      kHome == Home::scratch ? kScratchOfRunTime : Ring::kBytes + kScratchSlack;
  using TeamHandle = TeamWith<kScratch>;

  Fields<Real> f;
  Tiling tiling;

  [[nodiscard]] static std::size_t scratch_bytes(int columns, MachineKind = kThisKind) {
    return Ring::scratch_bytes() + Table::scratch_bytes(columns) + kScratchSlack;
  }

  static void count(Plan& plan, double halo) {
    const bool scratch = kHome == Home::scratch;
    plan.loads = 2 + halo + 2.0 / sizeof(Real) + (scratch ? 0 : ShapeType::kClasses);
    if (kHome == Home::gmem) plan.l2_table = padded_rows<Real>(ShapeType::kRows);
    plan.stores = 1;
    plan.scratch_stores = 1 + halo;
    plan.scratch_loads = ShapeType::kPoints + (scratch ? ShapeType::kClasses : 0);
    gather_table<Real>(plan, kHome, ShapeType::kClasses, ShapeType::kRows, kLayout);
  }

  KOKKOS_FUNCTION void operator()(const TeamHandle& team) const {
    const TilePlace place = tiling.place(team.league_rank());
    const TileType tile;
    TileExtent extent = place.extent;
    const int planes = extent.nz;
    extent.nz = 1;
    const Ring ring(team, f.row, place.extent);
    const Table table(team, f.tables);
    std::int64_t first = f.offset(place.z0, place.y0, place.x0);
    std::int64_t index = f.index_offset(place.z0, place.y0, place.x0);
    // 1. Planes z0 - R ... z0 + R - 1 go to slots 0 ... 2R - 1, then as many as run ahead.
    for (int j = 0; j < 2 * kR; ++j) ring.load(j, f.p + first + (j - kR) * f.plane);
    for (int k = 0; k < kAhead; ++k) {
      if (k < planes) ring.load(2 * kR + k, f.p + first + (kR + k) * f.plane);
      commit_copies();
    }
    // 2. Stream. The slot that plane z - R - 1 has left is filled again. A device thread has its
    // cell's column a plane ahead.
    int slot = 0;  // of plane z - R
    int v_ahead = 0;
    const auto fetch_column = [&] {
      if constexpr (kOnDevice) {
        for_each_cell(team, tile, extent,
                      [&](const Cell& c) { v_ahead = f.index[index + c.y * f.index_row + c.x]; });
      }
    };
    fetch_column();
    for (int z = 0; z < planes; ++z) {
      wait_for_copies<kAhead - 1>();
      team.team_barrier();
      if (z + kAhead < planes) {
        ring.load(wrapped_slot<kSlots>(slot + 2 * kR + kAhead),
                  f.p + first + (kR + kAhead) * f.plane);
      }
      commit_copies();
      const Real* plane[2 * kR + 1];
      static_for<2 * kR + 1>(
          [&](auto j) { plane[j] = ring.at(wrapped_slot<kSlots>(slot + j), 0, 0); });
      const Real* minus = f.next + first;
      Real* next = f.next + first;
      const std::uint16_t* column = f.index + index;
      const int v_here = v_ahead;
      index += f.index_plane;
      if (z + 1 < planes) fetch_column();
      for_each_cell(team, tile, extent, [&](const Cell& c) {
        const int here = c.y * Ring::kPitch + c.x;
        const auto at = [&](auto dz, auto dy, auto dx) {
          return plane[kR + dz][here + (dy * Ring::kPitch + dx)];
        };
        const int v = kOnDevice ? v_here : column[c.y * f.index_row + c.x];
        const Real p_minus = minus[c.y * f.row + c.x];
        Real sum(0);
        if constexpr (kOnDevice) {
          Real k[ShapeType::kRows];
          table.template load<0>(v, k);
          sum = convolve_rows<ShapeType, 0, ShapeType::kRows>(
              sum, [&](auto r) { return k[r]; }, at);
        } else {
          sum = convolve_rows<ShapeType, 0, ShapeType::kRows>(
              sum, [&](auto r) { return table.template one<r>(v); }, at);
        }
        next[c.y * f.row + c.x] = advanced(sum, p_minus);
      });
      first += f.plane;
      slot = wrapped_slot<kSlots>(slot + 1);
    }
  }
};

/// Offers GatherKernel for both stencils in every precision that is built.
template <class Label, class TileType, Home kHome, TableUse kUse = TableUse{}>
void offer_gather(EteVariant& variant, int chunk, const char* note = "") {
  variant.offer(
      {stream_text<TileType>(chunk, kUse), Origin::ours, note, tile_runs_on<TileType>()},
      [chunk](auto real, auto points) {
        using Real = decltype(real);
        using Kernel =
            GatherKernel<Label, Real, Shape<points(), kUse.rows>, TileType, kHome, kUse.layout>;
        return StreamLauncher<Kernel, TileType, Real>{chunk};
      });
}

}  // namespace tessera::ete
