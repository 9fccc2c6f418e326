// SPDX-License-Identifier: Apache-2.0
// acoustic/st_reg_fixed: 2.5D streaming along z, fixed registers with loop unrolling (Sai IV.7).
//
// Formula:  u+ = 2u - u- + vp L(u) inside; PML formula in the layers
//           (variants/acoustic/formula.hpp).
// Idea:     the current xy plane with its halo in team scratch; each cell's column of 2R + 1 values
//           along z in registers (on a host: nine small planes in L1 or L2). A value stays in the
//           register it was loaded into; the loop is unrolled 2R + 1 times, so that the rotation is
//           a renaming at compile time. u-, vp, phi and eta are read through the cache.
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
struct StRegFixedKernel {
  using Plane = ScratchPlane<Real, TileType, kR>;
  using Window = RegisterWindow<Real, kColumn, TileType>;
  static constexpr const char* kLabel = "tessera::acoustic::st_reg_fixed::step";
  static constexpr int kThreads = TileType::kCells;
  // A shell's stream in two parts needs a few registers more.
  static constexpr int kResident = kColumnTeams<Real, TileType>;
  static constexpr int kMinTeams =
      kUpdate == Update::shell && kResident > 1 ? kResident / 2 : kResident;

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
    plan.loops.copied = 2 * kR + 1;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void stream(const Team& team, const TilePlace& place,
                                          const Plane& plane, Window& window, int z_begin,
                                          int z_end) const {
    const TileType tile;
    TileExtent extent = place.extent;
    extent.nz = 1;
    std::int64_t first = f.offset(z_begin, place.y0, place.x0);
    // 1. Fill the window with planes z - R ... z + R - 1.
    for_each_cell(team, tile, extent, [&](const Cell& c) {
      const Real* u = f.u + first + c.y * f.row + c.x;
      static_for<kColumn - 1>([&](auto j) { window.at(c, j) = u[(j - kR) * f.plane]; });
    });
    // 2. Stream: each round of 2R + 1 planes returns the registers to their first roles.
    int z = z_begin;
    while (z < z_end) {
      for_each_phase<kColumn>([&](auto phase) {
        advance(phase, team, place, extent, plane, window, z, first);
        first += f.plane;
        return ++z < z_end;
      });
    }
  }

  /// Updates plane z. On entry register (phase + j) % kColumn holds plane z - R + j, j < 2R.
  template <class Phase>
  KOKKOS_FORCEINLINE_FUNCTION void advance(Phase phase, const Team& team, const TilePlace& place,
                                           const TileExtent& extent, const Plane& plane,
                                           Window& window, int z, std::int64_t first) const {
    const TileType tile;
    // 1. The leading plane goes to the register that the plane z - R - 1 has left.
    for_each_cell(team, tile, extent, [&](const Cell& c) {
      const Real* u = f.u + first + c.y * f.row + c.x;
      window.at(c, rotate<kColumn>(phase, Constant<2 * kR>{})) = u[kR * f.plane];
      plane(c.y, c.x) = window.at(c, rotate<kColumn>(phase, Constant<kR>{}));
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
          [&](auto m) { return window.at(c, rotate<kColumn>(phase, Constant<kR + m>{})); });
    });
    team.team_barrier();
  }
};

}  // namespace

void register_acoustic_st_reg_fixed(Registry& registry) {
  auto v = std::make_unique<AcousticVariant>(VariantFacts{
      .name = "st_reg_fixed",
      .summary = "2.5D streaming, plane in scratch, column in fixed registers",
      .source = "Sai IV.7",
      .memory = "xy plane with halo in team scratch; 2R + 1 values along z in registers",
      .loses = "on tiles small against the halo, with 64 registers a thread, and on hosts",
      .tags = {"paper", "2.5d", "streaming", "scratch"},
  });
  offer_tiles<StRegFixedKernel, Tile<16, 8>>(*v, Origin::paper);
  offer_tiles<StRegFixedKernel, Tile<32, 16>>(*v, Origin::paper);
  auto&& more = beyond_few(*v);
  offer_tiles<StRegFixedKernel, Tile<8, 8>>(more, Origin::paper);
  offer_tiles<StRegFixedKernel, Tile<16, 16>>(more, Origin::paper);
  offer_tiles<StRegFixedKernel, Tile<32, 32>>(more, Origin::paper,
                                              "64 registers a thread, as in the paper");
  offer_tiles<StRegFixedKernel, Tile<32, 16>>(more, Origin::ours, "", 128);
  offer_tiles<StRegFixedKernel, Tile<64, 8>>(more, Origin::ours, "", 128);
  offer_tiles<StRegFixedKernel, Tile<128, 16>>(more, Origin::ours, "host");
  offer_tiles<StRegFixedKernel, Tile<512, 8>>(more, Origin::ours, "host");
  offer_tiles<StRegFixedKernel, Tile<256, 16>>(*v, Origin::ours, "host");
  registry.add(std::move(v));
}

}  // namespace tessera
