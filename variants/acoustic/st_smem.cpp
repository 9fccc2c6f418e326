// SPDX-License-Identifier: Apache-2.0
// acoustic/st_smem: 2.5D streaming along z with 2R + 1 planes in scratch (Sai IV.5).
//
// Formula:  u+ = 2u - u- + vp L(u) inside; PML formula in the layers
//           (variants/acoustic/formula.hpp).
// Idea:     the planes z - R ... z + R, each with its x and y halo, in a circular buffer in team
//           scratch; all 25 points are read from it. Where a plane lies follows from the phase of
//           the unrolled loop: no modulus, no copy. u-, vp, phi and eta are read through the cache.
//           One barrier a plane: a plane is loaded R steps before its neighbours in x and y read
//           it, and overwritten R + 1 steps after; in between only its own column reads it, which
//           the same thread has loaded.
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
struct StSmemKernel {
  using Planes = ScratchPlanes<Real, TileType, kR, kColumn>;
  using Plane = typename Planes::Plane;
  static constexpr const char* kLabel = "tessera::acoustic::st_smem::step";
  static constexpr int kThreads = TileType::kCells;
  static constexpr int kMinTeams = 1;  // scratch bounds the resident teams, not registers

  Fields<Real> f;
  Box hole;
  Tiling tiling;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TilePlace place = tiling.place(team.league_rank());
    const Planes planes(team);
    for_each_stream<kUpdate>(
        place, hole, [&](int z_begin, int z_end) { stream(team, place, planes, z_begin, z_end); });
  }

  [[nodiscard]] static std::size_t scratch_bytes(MachineKind = kThisKind) {
    return Planes::scratch_bytes();
  }
  static void count(Plan& plan, double pml) {
    count_streaming<TileType>(plan, pml);
    plan.scratch_loads = 6 * kR + 1;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void stream(const Team& team, const TilePlace& place,
                                          const Planes& planes, int z_begin, int z_end) const {
    TileExtent extent = place.extent;
    extent.nz = 1;
    const Real* u = f.u + f.offset(z_begin, place.y0, place.x0);
    // 1. Planes z - R ... z + R - 1 go to places 0 ... 2R - 1.
    for (int j = 0; j < 2 * kR; ++j) {
      const int ahead = j - kR;
      load(team, extent, planes[j], u + ahead * f.plane, ahead >= 0 && z_begin + ahead < z_end);
    }
    // 2. Stream: after 2R + 1 planes the places have their first roles again.
    int z = z_begin;
    while (z < z_end) {
      for_each_phase<kColumn>([&](auto phase) {
        load(team, extent, planes[rotate<kColumn>(phase, Constant<2 * kR>{})], u + kR * f.plane,
             z + kR < z_end);
        team.team_barrier();
        update_plane(phase, team, place, extent, planes, z);
        u += f.plane;
        return ++z < z_end;
      });
    }
    team.team_barrier();  // the next part of a shell starts at place 0 again
  }

  /// Loads a plane, with its halo if it will be the middle one: not above and below the stream.
  KOKKOS_FORCEINLINE_FUNCTION void load(const Team& team, const TileExtent& extent,
                                        const Plane& plane, const Real* source,
                                        bool with_halo) const {
    for_each_cell(team, TileType{}, extent,
                  [&](const Cell& c) { plane(c.y, c.x) = source[c.y * f.row + c.x]; });
    if (with_halo) plane.load_halo(team, source, f.row, extent);
  }

  /// Updates plane z. Place (phase + j) % kColumn holds plane z - R + j.
  template <class Phase>
  KOKKOS_FORCEINLINE_FUNCTION void update_plane(Phase phase, const Team& team,
                                                const TilePlace& place, const TileExtent& extent,
                                                const Planes& planes, int z) const {
    const Plane middle = planes[rotate<kColumn>(phase, Constant<kR>{})];
    const std::int64_t first = f.offset(z, place.y0, place.x0);
    const TilePlace here_z{z, place.y0, place.x0, extent};
    for_each_cell_by_update<kUpdate>(
        team, TileType{}, here_z, hole, [&](auto update, const Cell& c) {
          const Real* here = &middle(c.y, c.x);
          update_cell<update()>(
              f, hole, z, place.y0 + c.y, place.x0 + c.x, first + c.y * f.row + c.x,
              [&](auto m) { return here[m]; }, [&](auto m) { return here[m * Plane::kPitch]; },
              [&](auto m) { return planes[rotate<kColumn>(phase, Constant<kR + m>{})](c.y, c.x); });
        });
  }
};

}  // namespace

void register_acoustic_st_smem(Registry& registry) {
  auto v = std::make_unique<AcousticVariant>(VariantFacts{
      .name = "st_smem",
      .summary = "2.5D streaming, 2R + 1 planes in scratch",
      .source = "Sai IV.5",
      .memory = "2R + 1 xy planes with halos in team scratch, a circular buffer",
      .loses = "to registers: small tiles, few resident teams, 25 scratch loads; on hosts to gmem",
      .tags = {"paper", "2.5d", "streaming", "scratch"},
  });
  offer_tiles<StSmemKernel, Tile<16, 8>>(*v, Origin::paper);
  offer_tiles<StSmemKernel, Tile<16, 16>>(*v, Origin::paper);
  auto&& more = beyond_few(*v);
  offer_tiles<StSmemKernel, Tile<8, 8>>(more, Origin::paper);
  offer_tiles<StSmemKernel, Tile<8, 16>>(more, Origin::paper);
  offer_tiles<StSmemKernel, Tile<512, 8>>(more, Origin::ours, "host");
  offer_tiles<StSmemKernel, Tile<256, 16>>(*v, Origin::ours, "host");
  registry.add(std::move(v));
}

}  // namespace tessera
