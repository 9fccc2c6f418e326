// SPDX-License-Identifier: Apache-2.0
// The cache-friendly design (Fang V.B): a plane is read once and adds its part to nine outputs.
#pragma once

#include "base/tile/cornered_ring.hpp"
#include "base/tile/register_window.hpp"
#include "variants/ete/kernels/launcher.hpp"

namespace tessera::ete {

/// Streams a tile along z with one plane in team scratch (two more are on their way). A plane k
/// adds c p to the open sums of the outputs k - R ... k + R, each with the coefficients of its own
/// cell: a queue of sums and one of indices travel along, by renaming as the loop is unrolled.
/// Rows below kPlaneRow of the table are loaded from kZHome, the others from kPlaneHome.
template <class Label, class Real, class ShapeType, class TileType, Home kZHome, Home kPlaneHome,
          Layout kLayout, Part kPart>
struct ScatterKernel {
  static constexpr const char* kLabel = Label::kText;
  static constexpr Rows kRowKind = ShapeType::kRowKind;
  static constexpr int kMostThreads = sizeof(Real) == 4 ? 1024 : 512;
  static constexpr bool kInPlane = kPart != Part::out_of_plane;
  static constexpr bool kOut = kPart != Part::in_plane;
  static constexpr int kReach = kOut ? kR : 0;         // planes that a plane adds to, on each side
  static constexpr int kOpen = kOut ? 2 * kR + 1 : 1;  // open sums
  static constexpr int kSlots = 3;                     // two planes on their way, one in use
  static constexpr int kMiddle = ShapeType::kInPlane;
  static constexpr bool kOneTable = kZHome == kPlaneHome && kPart == Part::all;
  using Ring = CorneredRing<Real, TileType, kR, kSlots>;
  using ZTable =
      Coefficients<Real, ShapeType, kZHome, kLayout, 0, kOneTable ? ShapeType::kRows : kMiddle>;
  using PlaneTable = Coefficients<Real, ShapeType, kPlaneHome, kLayout, kMiddle>;
  using Sums = RegisterWindow<Real, kOpen, TileType>;
  using Columns = RegisterWindow<int, kOpen, TileType>;

  // A table in scratch has as many columns as there are velocities.
  static constexpr bool kStaged =
      (kOut && kZHome == Home::scratch) || (kInPlane && kPlaneHome == Home::scratch);
  static constexpr std::size_t kScratch =
      kStaged ? kScratchOfRunTime : Ring::kBytes + 4 * kScratchSlack;
  using TeamHandle = TeamWith<kScratch>;

  Fields<Real> f;
  Tiling tiling;

  [[nodiscard]] static std::size_t scratch_bytes(int columns, MachineKind kind = kThisKind) {
    return Ring::scratch_bytes() + Sums::scratch_bytes(kind) + Columns::scratch_bytes(kind) +
           (kOut ? ZTable::scratch_bytes(columns) : 0) +
           (kInPlane && !kOneTable ? PlaneTable::scratch_bytes(columns) : 0) + 4 * kScratchSlack;
  }

  static void count(Plan& plan, double halo) {
    // Coefficients: the plane's own once, the others for the output above and the one below.
    const double z_rows = kOut ? 2 * ShapeType::kZRows : 0;
    const double plane_rows = kInPlane ? ShapeType::kPlaneRows : 0;
    const double staged =
        (kZHome == Home::scratch ? z_rows : 0) + (kPlaneHome == Home::scratch ? plane_rows : 0);
    const double points = 1 + 4 * (ShapeType::kDiagonals + (kInPlane ? kR : 0));
    plan.loads += 2 + halo + 2.0 / sizeof(Real) + z_rows + plane_rows - staged;
    if (kZHome == Home::gmem) plan.l2_table = 2 * padded_rows<Real>(ShapeType::kRows);
    plan.stores += 1;
    plan.scratch_stores += 1 + halo;
    plan.scratch_loads += points + staged;
    // From scratch by single elements. Through the caches by vectors: one for each output beside,
    // those of the plane's own.
    if (staged > 0) {
      gather_rows<Real>(plan, Home::scratch, staged, ShapeType::kRows);
      plan.other_gather = plan.gather;
    }
    if (kOut && kZHome != Home::scratch) {
      const double cached = z_rows + plane_rows - staged;
      gather_table<Real>(plan, kZHome, cached, ShapeType::kRows, kLayout);
      Gather& g = plan.gather;
      g.reads = 2 * kR + std::ceil((cached - z_rows) / g.width);
      g.uses = 2 * kR + 1;  // the cells are the same as those of the plane before
      if (kZHome == Home::gmem) plan.walk.trips = 1 + 0.5 * std::ceil(g.reads / 3);
    } else {
      plan.other_gather = {};
      if (kInPlane && kPlaneHome != Home::scratch) {
        const Gather staged_gather = plan.gather;
        gather_table<Real>(plan, kPlaneHome, plane_rows, ShapeType::kRows - kMiddle, kLayout);
        plan.other_gather = plan.gather;
        plan.gather = staged_gather;
      }
    }
    plan.loops.rows = 3;
    plan.loops.gathered = 1.3 * (plan.gather.elements + plan.other_gather.elements);
  }

  KOKKOS_FUNCTION void operator()(const TeamHandle& team) const {
    const TilePlace place = tiling.place(team.league_rank());
    const Ring ring(team, f.row, place.extent);
    Sums sums(team);
    Columns columns(team);
    // Outputs before the first have a column too: it is read, and what it gives is dropped.
    for_each_cell(team, TileType{}, {1, place.extent.ny, place.extent.nx},
                  [&](const Cell& c) { static_for<kOpen>([&](auto i) { columns.at(c, i) = 0; }); });
    const ZTable z_table = make_table<ZTable, kOut>(team);
    const auto plane_table = [&] {
      if constexpr (kOneTable) {
        return z_table;
      } else {
        return make_table<PlaneTable, kInPlane>(team);
      }
    }();
    // Planes z0 - reach ... z1 + reach - 1, counted from 0.
    const int z_begin = place.z0 - kReach;
    const int planes = place.extent.nz + 2 * kReach;
    std::int64_t first = f.offset(z_begin, place.y0, place.x0);
    for (int k = 0; k < kSlots - 1; ++k) {
      if (k < planes) ring.load(k, f.p + first + k * f.plane);
      commit_copies();
    }
    TileExtent extent = place.extent;
    extent.nz = 1;
    int slot = 0;
    int k = 0;
    int ahead = column_ahead(team, place, extent, 0);
    while (k < planes) {
      for_each_phase<kOpen>([&](auto phase) {
        wait_for_copies<kSlots - 2>();
        team.team_barrier();
        const int freed = slot == 0 ? kSlots - 1 : slot - 1;
        if (k + kSlots - 1 < planes) ring.load(freed, f.p + first + (kSlots - 1) * f.plane);
        commit_copies();
        for_each_cell(team, TileType{}, extent, [&](const Cell& c) {
          columns.at(c, rotate<kOpen>(phase, Constant<2 * kReach>{})) =
              kOnDevice ? ahead : column_of(place, c, k);
        });
        ahead = column_ahead(team, place, extent, k + 1);
        add_plane(phase, team, extent, ring, slot, sums, columns, z_table, plane_table,
                  k >= 2 * kReach, first);
        first += f.plane;
        slot = slot == kSlots - 1 ? 0 : slot + 1;
        return ++k < planes;
      });
    }
  }

 private:
  template <class Table, bool kUsed>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Table make_table(const TeamHandle& team) const {
    if constexpr (kUsed) {
      return Table(team, f.tables);
    } else {
      return Table();
    }
  }

  /// Column of the output that plane k opens; 0 for those that lie beyond the tile.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int column_of(const TilePlace& place, const Cell& c,
                                                          int k) const {
    const int z = k < place.extent.nz ? place.z0 + k : place.z0;
    return f.index[f.index_offset(z, place.y0 + c.y, place.x0 + c.x)];
  }
  /// The same for a device thread's own cell, which requests a plane ahead.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int column_ahead(const TeamHandle& team,
                                                             const TilePlace& place,
                                                             const TileExtent& extent,
                                                             int k) const {
    int v = 0;
    if constexpr (kOnDevice) {
      for_each_cell(team, TileType{}, extent, [&](const Cell& c) { v = column_of(place, c, k); });
    }
    return v;
  }

  /// Adds plane k to the open sums and closes that of k - reach, if it lies in the tile. The sum of
  /// output k + d lies at (phase + reach + d) % kOpen; `first` is the plane's offset.
  template <class Phase, class PlaneTableType>
  KOKKOS_FORCEINLINE_FUNCTION void add_plane(Phase phase, const TeamHandle& team,
                                             const TileExtent& extent, const Ring& ring, int slot,
                                             Sums& sums, Columns& columns, const ZTable& z_table,
                                             const PlaneTableType& plane_table, bool closes,
                                             std::int64_t first) const {
    const TileType tile;
    Real* next = f.next + first - static_cast<std::int64_t>(kReach) * f.plane;
    Real minus(0);  // a device thread requests it before it sums
    if (kOnDevice && closes) {
      for_each_cell(team, tile, extent, [&](const Cell& c) { minus = next[c.y * f.row + c.x]; });
    }
    for_each_cell(team, tile, extent, [&](const Cell& c) {
      const Real* here = ring.at(slot, c.y, c.x);
      const auto at = [&](auto, auto dy, auto dx) { return here[dy * Ring::kPitch + dx]; };
      if constexpr (kOut) {
        static_for<kR>([&](auto i) {
          constexpr int kM = decltype(i)::value + 1;
          add_out_of_plane<kM, kM == kR>(phase, c, here, sums, columns, z_table);
          add_out_of_plane<-kM, false>(phase, c, here, sums, columns, z_table);
        });
      }
      if constexpr (kInPlane) {
        Real& sum = sums.at(c, rotate<kOpen>(phase, Constant<kReach>{}));
        const int v = columns.at(c, rotate<kOpen>(phase, Constant<kReach>{}));
        if constexpr (!kOut) sum = Real(0);
        if constexpr (kOnDevice) {
          Real w[ShapeType::kPlaneRows];
          plane_table.template load<kMiddle>(v, w);
          sum = convolve_rows<ShapeType, kMiddle, ShapeType::kRows>(
              sum, [&](auto r) { return w[r - kMiddle]; }, at);
        } else {
          sum = convolve_rows<ShapeType, kMiddle, ShapeType::kRows>(
              sum, [&](auto r) { return plane_table.template one<r>(v); }, at);
        }
      }
    });
    if (!closes) return;
    for_each_cell(team, tile, extent, [&](const Cell& c) {
      const Real sum = sums.at(c, rotate<kOpen>(phase, Constant<0>{}));
      Real* cell = next + c.y * f.row + c.x;
      const Real before = kOnDevice ? minus : *cell;
      *cell =
          kPart == Part::out_of_plane ? multiply_add(Real(2), sum, before) : advanced(sum, before);
    });
  }

  /// Adds the points at distance |D| along z of output k + D to its sum; opens it first if kOpens.
  template <int D, bool kOpens, class Phase>
  KOKKOS_FORCEINLINE_FUNCTION void add_out_of_plane(Phase phase, const Cell& c, const Real* here,
                                                    Sums& sums, Columns& columns,
                                                    const ZTable& z_table) const {
    constexpr int kM = D < 0 ? -D : D;
    constexpr int kRow = ShapeType::z_row(kM);
    constexpr bool kDiagonal = kM <= ShapeType::kDiagonals;
    Real& sum = sums.at(c, rotate<kOpen>(phase, Constant<kReach + D>{}));
    const int v = columns.at(c, rotate<kOpen>(phase, Constant<kReach + D>{}));
    Real w[kDiagonal ? 2 : 1];
    if constexpr (kOnDevice) {
      z_table.template load<kRow>(v, w);
    } else {
      w[0] = z_table.template one<kRow>(v);
      if constexpr (kDiagonal) w[1] = z_table.template one<kRow + 1>(v);
    }
    Real part = kOpens ? w[0] * here[0] : multiply_add(w[0], here[0], sum);
    if constexpr (kDiagonal) {
      const Real around =
          (here[kM] + here[-kM]) + (here[kM * Ring::kPitch] + here[-kM * Ring::kPitch]);
      part = multiply_add(w[1], around, part);
    }
    sum = part;
  }
};

}  // namespace tessera::ete
