// SPDX-License-Identifier: Apache-2.0
// The kernel of ete/gather_columns: each thread's own columns in registers.
//
//   for each plane z of the chunk                     # unrolled 2R + 1 times: roles move, values
//   stay
//     plane z + reach + 2 of all columns on its way to scratch; p at z + R of the own ones, p- and
//     the velocity at z + 1 on their way to registers
//     for each of the thread's rows of cells
//       k = the velocity's coefficients, from scratch
//       p+ = 2 sum_j k_j p(x + dx_j) - p-           # own columns: registers; the others: scratch
#pragma once

#include "base/tile/cornered_ring.hpp"
#include "base/tile/register_window.hpp"
#include "base/tile/wrapped_slot.hpp"
#include "variants/ete/kernels/launcher.hpp"

namespace tessera::ete {

/// A thread of ThreadTile makes kRowsOf rows of cells, one above the other along y.
template <class Real, class ShapeType, class ThreadTile, int kRowsOf>
struct ColumnsKernel {
  static constexpr const char* kLabel = "tessera::ete::gather_columns::step";
  static constexpr Rows kRowKind = ShapeType::kRowKind;
  static constexpr int kThreads = ThreadTile::kCells;
  static constexpr int kMostThreads = sizeof(Real) == 4 ? 768 : 512;  // 80 and 128 registers
  static constexpr int kReach = ShapeType::kDiagonals;  // planes to either side that scratch holds
  static constexpr int kAhead = 2;                      // planes on their way
  static constexpr int kSlots = 2 * kReach + 1 + kAhead;
  static constexpr int kDepth = 2 * kR + 1;
  using CellTile = Tile<ThreadTile::kNx, ThreadTile::kNy * kRowsOf>;
  using Ring = CorneredRing<Real, CellTile, kR, kSlots, kThreads>;
  using Table = Coefficients<Real, ShapeType, Home::scratch>;
  using Window = RegisterWindow<Real, kDepth, ThreadTile>;
  static constexpr std::size_t kScratch = kScratchOfRunTime;  // as many columns as velocities
  using TeamHandle = TeamWith<kScratch>;

  Fields<Real> f;
  Tiling tiling;

  /// What a thread keeps of its columns: p at z - R ... z + R, a window for each row.
  struct Columns {
    Window row[kRowsOf];
  };

  /// What a thread's cells of a plane need from memory: p at z + R, p- and the velocity.
  struct Arrived {
    Real p[kRowsOf], minus[kRowsOf];
    int v[kRowsOf];
  };

  [[nodiscard]] static std::size_t scratch_bytes(int columns, MachineKind kind = kThisKind) {
    return Ring::scratch_bytes() + Table::scratch_bytes(columns) +
           kRowsOf * Window::scratch_bytes(kind) + kScratchSlack;
  }

  static void count(Plan& plan, double halo) {
    plan.loads = 3 + halo + 2.0 / sizeof(Real);
    plan.stores = 1;
    plan.scratch_stores = 1 + halo;
    plan.scratch_loads = ShapeType::kPoints - 2 * kR - (kRowsOf > 1 ? 8 : 1) + ShapeType::kClasses;
    gather_table<Real>(plan, Home::scratch, ShapeType::kClasses, ShapeType::kRows,
                       Layout::velocity);
  }

  KOKKOS_FUNCTION void operator()(const TeamHandle& team) const {
    stream(team, make_columns(team, std::make_integer_sequence<int, kRowsOf>{}));
  }

 private:
  template <int... J>
  KOKKOS_FORCEINLINE_FUNCTION static Columns make_columns(const TeamHandle& team,
                                                          std::integer_sequence<int, J...>) {
    return {{(static_cast<void>(J), Window(team))...}};
  }

  KOKKOS_FORCEINLINE_FUNCTION void stream(const TeamHandle& team, Columns columns) const {
    const TilePlace place = tiling.place(team.league_rank());
    const int planes = place.extent.nz;
    const Ring ring(team, f.row, place.extent);
    const Table table(team, f.tables);
    const ThreadTile threads;
    const TileExtent extent{1, (place.extent.ny + kRowsOf - 1) / kRowsOf, place.extent.nx};
    std::int64_t first = f.offset(place.z0, place.y0, place.x0);
    std::int64_t index = f.index_offset(place.z0, place.y0, place.x0);
    const auto arrive = [&](const Cell& c, int planes_on) {
      Arrived a{};
      const std::int64_t plane = first + planes_on * f.plane;
      static_for<kRowsOf>([&](auto j) {
        const int y = c.y * kRowsOf + j;
        const Real* at = f.p + plane + y * f.row + c.x;
        a.p[j] = at[kR * f.plane];
        if (kRowsOf == 1 || y < place.extent.ny) {
          a.minus[j] = f.next[plane + y * f.row + c.x];
          a.v[j] = f.index[index + planes_on * f.index_plane + y * f.index_row + c.x];
        }
      });
      return a;
    };
    // 1. Scratch: planes z0 - reach ... z0 + reach - 1, then as many as run ahead. Registers:
    // planes z0 - R ... z0 + R - 1.
    for (int j = 0; j < 2 * kReach; ++j) ring.load(j, f.p + first + (j - kReach) * f.plane);
    for (int k = 0; k < kAhead; ++k) {
      if (k < planes) ring.load(2 * kReach + k, f.p + first + (kReach + k) * f.plane);
      commit_copies();
    }
    Arrived ahead{};
    for_each_cell(team, threads, extent, [&](const Cell& c) {
      static_for<kRowsOf>([&](auto j) {
        const Real* at = f.p + first + (c.y * kRowsOf + j) * f.row + c.x;
        static_for<2 * kR>([&](auto k) { columns.row[j].at(c, k) = at[(k - kR) * f.plane]; });
      });
      if constexpr (kOnDevice) ahead = arrive(c, 0);
    });
    // 2. Stream. The slot that plane z - reach - 1 has left is filled again. A device thread asks
    // memory for the next plane's values before it computes this one.
    int slot = 0;  // of plane z - reach
    int z = 0;
    while (z < planes) {
      for_each_phase<kDepth>([&](auto phase) {
        wait_for_copies<kAhead - 1>();
        team.team_barrier();
        if (z + kAhead < planes) {
          ring.load(wrapped_slot<kSlots>(slot + 2 * kReach + kAhead),
                    f.p + first + (kReach + kAhead) * f.plane);
        }
        commit_copies();
        Real* next = f.next + first;
        for_each_cell(team, threads, extent, [&](const Cell& c) {
          Arrived here = ahead;
          if constexpr (kOnDevice) {
            if (z + 1 < planes) ahead = arrive(c, 1);
          } else {
            here = arrive(c, 0);
          }
          advance(phase, c, place.extent.ny, ring, slot, table, columns, here, next);
        });
        first += f.plane;
        index += f.index_plane;
        slot = wrapped_slot<kSlots>(slot + 1);
        return ++z < planes;
      });
    }
  }

  /// One plane of a thread's cells. Place (phase + k) % kDepth of a window belongs to plane
  /// z - R + k; the last one has just arrived.
  template <class Phase>
  KOKKOS_FORCEINLINE_FUNCTION void advance(Phase phase, const Cell& c, int ny, const Ring& ring,
                                           int slot, const Table& table, Columns& columns,
                                           const Arrived& here, Real* next) const {
    const Real* plane[2 * kReach + 1];
    static_for<2 * kReach + 1>(
        [&](auto k) { plane[k] = ring.at(wrapped_slot<kSlots>(slot + k), c.y * kRowsOf, c.x); });
    Real sum[kRowsOf];
    static_for<kRowsOf>([&](auto j) {
      columns.row[j].at(c, rotate<kDepth>(phase, Constant<kDepth - 1>{})) = here.p[j];
    });
    static_for<kRowsOf>([&](auto j) {
      const auto at = [&](auto dz, auto dy, auto dx) {
        constexpr int kY = decltype(dy)::value + decltype(j)::value;
        if constexpr (decltype(dx)::value == 0 && kY >= 0 && kY < kRowsOf) {
          return Real(columns.row[kY].at(c, rotate<kDepth>(phase, Constant<kR + dz>{})));
        } else {
          return plane[kReach + dz][kY * Ring::kPitch + dx];
        }
      };
      if constexpr (kOnDevice) {
        Real k[ShapeType::kRows];
        table.template load<0>(here.v[j], k);
        sum[j] = convolve_rows<ShapeType, 0, ShapeType::kRows>(
            Real(0), [&](auto r) { return k[r]; }, at);
      } else {
        sum[j] = convolve_rows<ShapeType, 0, ShapeType::kRows>(
            Real(0), [&](auto r) { return table.template one<r>(here.v[j]); }, at);
      }
    });
    static_for<kRowsOf>([&](auto j) {
      const int y = c.y * kRowsOf + j;
      if (kRowsOf == 1 || y < ny) next[y * f.row + c.x] = advanced(sum[j], here.minus[j]);
    });
  }
};

}  // namespace tessera::ete
