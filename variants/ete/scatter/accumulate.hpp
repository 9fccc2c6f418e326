// SPDX-License-Identifier: Apache-2.0
// The cache-friendly design on a host (Fang V.B): a layer of p is read once, and adds its part to
// nine layers of the next grid, where the sums lie.
#pragma once

#include "base/tile/for_each_cell.hpp"
#include "variants/ete/kernels/launcher.hpp"

namespace tessera::ete {

/// A thread walks the planes k of its block, long along x and narrow along y, and R planes more on
/// either side:
///
///     for each plane k, each row, each x:
///         A_m = the four points at distance m on the axes of plane k,  m = 1 ... R
///         next(k + R)  = 2 (z_R p + d_R A_R) - next(k + R)      opens it: it holds p-
///         next(k +- m) += 2 (z_m p + d_m A_m)                   the other seven, each with the
///         next(k)     += 2 (rows of the plane)                  coefficients of its own cell
///
/// Nothing is staged and no sum has a place of its own: of p the cache has to hold one layer of the
/// block with its halo rows. The nine layers of next pass by too, which (8) does not count.
template <class Label, class Real, class ShapeType>
struct AccumulateKernel {
  Fields<Real> f;
  Tiling tiling;
  RuntimeTile tile;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TilePlace place = tiling.place(team.league_rank());
    const Table table(team, f.tables);
    const int planes = place.extent.nz;
    for (int k = -kR; k < planes + kR; ++k) {
      const bool all = k >= kR && k < planes - kR;  // nine outputs, of which none lies outside
      for (int y = 0; y < place.extent.ny; ++y) {
        const Row row(f, place, k, y);
        const Box cells{0, 1, y, y + 1, 0, place.extent.nx};
        if (all) {
          for_each_cell_in(tile, cells, [&](const Cell& c) { add_all(row, table, c.x); });
          continue;
        }
        static_for<2 * kR + 1>([&](auto i) {
          constexpr int kD = kR - decltype(i)::value;
          if (k + kD < 0 || k + kD >= planes) return;
          for_each_cell_in(tile, cells, [&](const Cell& c) { add<kD>(row, table, c.x); });
        });
      }
    }
  }

 private:
  using Table = Coefficients<Real, ShapeType, Home::ro>;
  static constexpr int kMiddle = ShapeType::kInPlane;

  /// Row y of plane k: p, and the outputs and columns of the same cells.
  struct Row {
    const Real* p;
    Real* next;
    const std::uint16_t* index;
    int pitch, plane, index_plane;
    KOKKOS_FORCEINLINE_FUNCTION Row(const Fields<Real>& f, const TilePlace& place, int k, int y)
        : p(f.p + f.offset(place.z0 + k, place.y0 + y, place.x0)),
          next(f.next + f.offset(place.z0 + k, place.y0 + y, place.x0)),
          index(f.index + f.index_offset(place.z0 + k, place.y0 + y, place.x0)),
          pitch(f.row),
          plane(f.plane),
          index_plane(f.index_plane) {}
  };

  /// The four points at distance M on the axes of the plane.
  template <int M>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Real around(const Row& row, const Real* here) {
    return (here[M] + here[-M]) + (here[M * row.pitch] + here[-M * row.pitch]);
  }

  /// Adds `part` to output D planes away; opens it where D says that it is the first.
  template <int D>
  KOKKOS_FORCEINLINE_FUNCTION static void put(const Row& row, int x, Real part) {
    Real* next = row.next + D * row.plane + x;
    *next = D == kR ? advanced(part, *next) : multiply_add(Real(2), part, *next);
  }

  /// What a plane gives to the output D != 0 planes away, of p and A_|D|.
  template <int D>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Real part_of(const Row& row, const Table& table,
                                                                int x, Real p, Real around_m) {
    constexpr int kM = D < 0 ? -D : D;
    constexpr int kRow = ShapeType::z_row(kM);
    const int v = row.index[D * row.index_plane + x];
    const Real part = table.template one<kRow>(v) * p;
    if constexpr (kM <= ShapeType::kDiagonals) {
      return multiply_add(table.template one<kRow + 1>(v), around_m, part);
    } else {
      return part;
    }
  }

  template <int D>
  KOKKOS_FORCEINLINE_FUNCTION static void add(const Row& row, const Table& table, int x) {
    const Real* here = row.p + x;
    if constexpr (D == 0) {
      const Real a[kR] = {around<1>(row, here), around<2>(row, here), around<3>(row, here),
                          around<4>(row, here)};
      put<0>(row, x, plane_part(row, table, x, here, a));
    } else {
      put<D>(row, x, part_of<D>(row, table, x, here[0], around<(D < 0 ? -D : D)>(row, here)));
    }
  }

  /// What a plane gives to its own output.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Real plane_part(const Row& row,
                                                                   const Table& table, int x,
                                                                   const Real* here,
                                                                   const Real (&a)[kR]) {
    const int v = row.index[x];
    Real sum = table.template one<ShapeType::axis_row(1)>(v) * a[0];
    static_for<kR - 1>([&](auto i) {
      sum = multiply_add(table.template one<ShapeType::axis_row(i + 2)>(v), a[i + 1], sum);
    });
    static_for<ShapeType::kDiagonals>([&](auto i) {
      constexpr int kM = decltype(i)::value + 1;
      const Real* up = here + kM * row.pitch;
      const Real* down = here - kM * row.pitch;
      sum = multiply_add(table.template one<ShapeType::diagonal_row(kM)>(v),
                         (up[kM] + up[-kM]) + (down[kM] + down[-kM]), sum);
    });
    return multiply_add(table.template one<ShapeType::kCentreRow>(v), here[0], sum);
  }

  /// All nine at once: each point of the plane is loaded once.
  KOKKOS_FORCEINLINE_FUNCTION static void add_all(const Row& row, const Table& table, int x) {
    const Real* here = row.p + x;
    const Real p = here[0];
    const Real a[kR] = {around<1>(row, here), around<2>(row, here), around<3>(row, here),
                        around<4>(row, here)};
    const Real own = plane_part(row, table, x, here, a);
    static_for<kR>([&](auto i) {
      constexpr int kM = decltype(i)::value + 1;
      put<kM>(row, x, part_of<kM>(row, table, x, p, a[i]));
      put<-kM>(row, x, part_of<-kM>(row, table, x, p, a[i]));
    });
    put<0>(row, x, own);
  }
};

/// Plans and launches AccumulateKernel in blocks of `wanted` cells; an extent of 0 is the region's
/// own.
template <class Label, class Real, class ShapeType>
struct AccumulateLauncher {
  RuntimeTile wanted;

  [[nodiscard]] Plan plan(const Region& region, const Problem& problem) const {
    if (std::string why = unfit_table(ShapeType::kRowKind, problem); !why.empty()) {
      return unsupported(std::move(why));
    }
    const RuntimeTile tile = fitted(wanted, region.box);
    Plan p;
    p.league = Tiling(region.box, tile.nx(), tile.ny(), tile.nz()).league();
    p.team = 1;
    p.tile[0] = tile.nx(), p.tile[1] = tile.ny(), p.tile[2] = tile.nz();
    p.halo_cells = 2LL * kR * tile.nx() * (tile.ny() + tile.nz());
    const double ends = 1 + 2.0 * kR / tile.nz();
    constexpr int kSums = 2 * kR + 1;
    p.loads = (1 + 4 * (kR + ShapeType::kDiagonals)) * ends + kSums + 2 * ShapeType::kZRows +
              ShapeType::kPlaneRows + kSums * 2.0 / sizeof(Real);
    p.stores = kSums;
    // Of p a layer at a time; the sums of R layers on either side of it stay open.
    p.arrays = arrays_of(ShapeType::kPoints, problem, true);
    p.arrays[0].radius[2] = 0;
    p.arrays[1].radius[2] = kR;
    p.cached_bytes =
        std::int64_t{sizeof(Real)} * tile.nx() * (tile.ny() + 2 * kR + kSums * tile.ny());
    return p;
  }

  void step(const ExecSpace& exec, const Fields<Real>& fields, const Region& region) const {
    if constexpr (!kOnDevice) {
      const RuntimeTile tile = fitted(wanted, region.box);
      const Tiling tiling(region.box, tile.nx(), tile.ny(), tile.nz());
      launch_teams<1>(exec, Label::kText, static_cast<int>(tiling.league()), 0,
                      AccumulateKernel<Label, Real, ShapeType>{fields, tiling, tile});
    }
  }
};

}  // namespace tessera::ete
