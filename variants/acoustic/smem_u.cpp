// SPDX-License-Identifier: Apache-2.0
// acoustic/smem_u: 3D blocks with u in scratch (Sai IV.2).
//
// Formula:  u+ = 2u - u- + vp L(u) inside; PML formula in the layers
//           (variants/acoustic/formula.hpp).
// Idea:     the block of u and the halo on its six faces in team scratch. Each thread fetches its
//           own cell; along each axis the first 2R threads fetch the halo, which an 8x8x8 block
//           divides evenly: four fetches a thread. u-, vp, phi and eta are read through the cache.
// Minimal:  16 B a cell inside, 28 B in the PML (float).
#include "base/tile/scratch.hpp"
#include "variants/acoustic/kernels/cells.hpp"
#include "variants/acoustic/kernels/launcher.hpp"

namespace tessera {
namespace {

using namespace acoustic;

template <class Real, class TileType, Update kUpdate>
struct SmemUKernel {
  using Block = ScratchBlock<Real, TileType, kR>;
  static constexpr const char* kLabel = "tessera::acoustic::smem_u::step";
  static constexpr int kThreads = TileType::kCells;
  static constexpr int kMinTeams = kBlockTeams<Real, TileType, kUpdate>;

  Fields<Real> f;
  Box hole;
  Tiling tiling;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TilePlace place = tiling.place(team.league_rank());
    if (kUpdate == Update::shell && in_hole(place, hole)) return;
    const TileType tile;
    const std::int64_t first = f.offset(place.z0, place.y0, place.x0);
    const Block block(team);
    // 1. The block and the halo on its faces.
    for_each_cell(team, tile, place.extent, [&](const Cell& c) {
      block(c.z, c.y, c.x) = f.u[first + f.offset(c.z, c.y, c.x)];
    });
    block.load_star_halo(team, f.u + first, f.row, f.plane, place.extent);
    team.team_barrier();
    // 2. All 25 points from scratch.
    for_each_cell_by_update<kUpdate>(team, tile, place, hole, [&](auto update, const Cell& c) {
      const Real* u = &block(c.z, c.y, c.x);
      update_cell<update()>(
          f, hole, place.z0 + c.z, place.y0 + c.y, place.x0 + c.x,
          first + f.offset(c.z, c.y, c.x),  //
          [&](auto m) { return u[m]; }, [&](auto m) { return u[m * Block::kPitch]; },
          [&](auto m) { return u[m * Block::kPitch * Block::kRows]; });
    });
  }

  [[nodiscard]] static std::size_t scratch_bytes(MachineKind = kThisKind) {
    return Block::scratch_bytes();
  }
  static void count(Plan& plan, double pml) {
    plan.halo_cells = face_cells<TileType>(kR);
    const double halo = static_cast<double>(plan.halo_cells) / TileType::kCells;
    plan.loads = 3 + halo + 8 * pml;  // u, u-, vp and the halo; in the PML phi and eta: 7
    plan.stores = 1 + pml;
    plan.scratch_loads = 6 * kR + 1;
    plan.scratch_stores = 1 + halo;
    plan.walk.trips = 2, plan.walk.barriers = 1;
    plan.walk.scratch_pitch = TileType::kNx + 2 * kR;
  }
};

}  // namespace

void register_acoustic_smem_u(Registry& registry) {
  auto v = std::make_unique<AcousticVariant>(VariantFacts{
      .name = "smem_u",
      .summary = "3D blocks, u with its halo in scratch",
      .source = "Sai IV.2",
      .memory = "u: block and six face halos in team scratch; the rest through the cache",
      .loses = "where the cache is as fast as scratch: on recent devices, on hosts",
      .tags = {"paper", "3d", "scratch"},
  });
  offer_tiles<SmemUKernel, Tile<8, 8, 8>>(*v, Origin::paper);
  auto&& more = beyond_few(*v);
  offer_tiles<SmemUKernel, Tile<128, 8, 8>>(more, Origin::ours, "host");
  offer_tiles<SmemUKernel, Tile<256, 16, 16>>(*v, Origin::ours, "host");
  registry.add(std::move(v));
}

}  // namespace tessera
