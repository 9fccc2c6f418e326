// SPDX-License-Identifier: Apache-2.0
// acoustic/st_reg_shft: 2.5D streaming along z, shifting registers (Sai IV.6).
//
// Formula:  u+ = 2u - u- + vp L(u) inside; PML formula in the layers
//           (variants/acoustic/formula.hpp).
// Idea:     the current xy plane with its halo in team scratch; each cell's column of 2R + 1 values
//           along z in registers (on a host: nine small planes in L1 or L2). Register j always
//           holds the plane z - R + j: from plane to plane the whole column moves down by one copy
//           each, where st_reg_fixed renames. u-, vp, phi and eta are read through the cache. The
//           paper's text fills registers 0 ... 2R - 1 and shifts before the first plane, which
//           would lose plane -R: here registers 1 ... 2R are filled (docs/errata.md).
// Minimal:  16 B a cell inside, 28 B in the PML (float).
#include "base/tile/register_window.hpp"
#include "base/tile/scratch.hpp"
#include "variants/acoustic/kernels/cells.hpp"
#include "variants/acoustic/kernels/launcher.hpp"
#include "variants/acoustic/kernels/streaming.hpp"

namespace tessera {
namespace {

using namespace acoustic;

template <class Real, class TileType, Update kUpdate>
struct StRegShftKernel {
  using Plane = ScratchPlane<Real, TileType, kR>;
  using Window = RegisterWindow<Real, kColumn, TileType>;
  static constexpr const char* kLabel = "tessera::acoustic::st_reg_shft::step";
  static constexpr int kThreads = TileType::kCells;
  // With the PML formula the moves need a few registers more (80 in the paper's Table III).
  static constexpr int kResident = kColumnTeams<Real, TileType>;
  static constexpr int kMinTeams =
      kUpdate != Update::inner && kResident > 1 ? kResident / 2 : kResident;

  Fields<Real> f;
  Box hole;
  Tiling tiling;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TilePlace place = tiling.place(team.league_rank());
    const Plane plane(team);
    Window window(team);
    for_each_stream<kUpdate>(place, hole, [&](int z_begin, int z_end) {
      stream(team, place, plane, window, z_begin, z_end);
    });
  }

  [[nodiscard]] static std::size_t scratch_bytes(MachineKind kind = kThisKind) {
    return Plane::scratch_bytes() + Window::scratch_bytes(kind);
  }
  static void count(Plan& plan, double pml) {
    count_streaming<TileType>(plan, pml);
    plan.scratch_loads = 4 * kR;  // x and y; the centre and z lie in registers
    plan.loops.copied = 4 * kR + 1, plan.loops.rows = 4;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void stream(const Team& team, const TilePlace& place,
                                          const Plane& plane, Window& window, int z_begin,
                                          int z_end) const {
    const TileType tile;
    TileExtent extent = place.extent;
    extent.nz = 1;
    std::int64_t first = f.offset(z_begin, place.y0, place.x0);
    // 1. Fill the window with planes z - R ... z + R - 1, one above where the first shift puts
    // them.
    for_each_cell(team, tile, extent, [&](const Cell& c) {
      const Real* u = f.u + first + c.y * f.row + c.x;
      static_for<kColumn - 1>(
          [&](auto j) { window.at(c, Constant<j + 1>{}) = u[(j - kR) * f.plane]; });
    });
    // 2. Stream.
    for (int z = z_begin; z < z_end; ++z) {
      advance(team, place, extent, plane, window, z, first);
      first += f.plane;
    }
  }

  /// Updates plane z. On entry register j + 1 holds plane z - R + j, j < 2R.
  KOKKOS_FORCEINLINE_FUNCTION void advance(const Team& team, const TilePlace& place,
                                           const TileExtent& extent, const Plane& plane,
                                           Window& window, int z, std::int64_t first) const {
    const TileType tile;
    // 1. The column moves down by one; the leading plane goes to its top.
    for_each_cell(team, tile, extent, [&](const Cell& c) {
      const Real* u = f.u + first + c.y * f.row + c.x;
      window.shift(c);
      window.at(c, Constant<2 * kR>{}) = u[kR * f.plane];
      plane(c.y, c.x) = window.at(c, Constant<kR>{});
    });
    plane.load_halo(team, f.u + first, f.row, extent);
    team.team_barrier();
    // 2. x and y from scratch, z from the window.
    const TilePlace here_z{z, place.y0, place.x0, extent};
    for_each_cell_by_update<kUpdate>(team, tile, here_z, hole, [&](auto update, const Cell& c) {
      const Real* here = &plane(c.y, c.x);
      update_cell<update()>(
          f, hole, z, place.y0 + c.y, place.x0 + c.x, first + c.y * f.row + c.x,
          [&](auto m) { return here[m]; }, [&](auto m) { return here[m * Plane::kPitch]; },
          [&](auto m) { return window.at(c, Constant<kR + m>{}); });
    });
    team.team_barrier();
  }
};

}  // namespace

void register_acoustic_st_reg_shft(Registry& registry) {
  auto v = std::make_unique<AcousticVariant>(VariantFacts{
      .name = "st_reg_shft",
      .summary = "2.5D streaming, plane in scratch, column in shifting registers",
      .source = "Sai IV.6",
      .memory =
          "xy plane with halo in team scratch; 2R + 1 values along z in registers, copied down",
      .loses = "to st_reg_fixed by 2R copies a cell; with 64 registers a thread, and on hosts",
      .tags = {"paper", "2.5d", "streaming", "scratch"},
  });
  constexpr const char* kCapped = "64 registers a thread, as in the paper";
  offer_tiles<StRegShftKernel, Tile<16, 16>>(*v, Origin::paper);
  offer_tiles<StRegShftKernel, Tile<32, 16>>(*v, Origin::paper);
  auto&& more = beyond_few(*v);
  offer_tiles<StRegShftKernel, Tile<8, 8>>(more, Origin::paper);
  offer_tiles<StRegShftKernel, Tile<16, 32>>(more, Origin::paper);
  offer_tiles<StRegShftKernel, Tile<16, 64>>(more, Origin::paper, kCapped);
  offer_tiles<StRegShftKernel, Tile<32, 32>>(more, Origin::paper, kCapped);
  offer_tiles<StRegShftKernel, Tile<64, 16>>(more, Origin::paper, kCapped);
  offer_tiles<StRegShftKernel, Tile<128, 16>>(more, Origin::ours, "host");
  offer_tiles<StRegShftKernel, Tile<256, 16>>(*v, Origin::ours, "host");
  registry.add(std::move(v));
}

}  // namespace tessera
