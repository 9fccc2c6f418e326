// SPDX-License-Identifier: Apache-2.0
// acoustic/smem_eta_3: 3D blocks with eta in scratch, fetched with three conditionals (Sai IV.3).
//
// Formula:  u+ = 2u - u- + vp L(u) inside; PML formula in the layers
//           (variants/acoustic/formula.hpp).
// Idea:     as gmem, except for the PML formula the block of eta and the halo, one cell wide, on
// its
//           six faces lie in team scratch. Along each axis the first two threads fetch the halo: a
//           conditional an axis, with a quarter of an 8x8x8 team at work in each. u, u-, vp and phi
//           are read through the cache. Inside there is no eta: the kernel is gmem's.
// Minimal:  16 B a cell inside, 28 B in the PML (float).
#include "base/tile/scratch.hpp"
#include "variants/acoustic/kernels/cells.hpp"
#include "variants/acoustic/kernels/launcher.hpp"

namespace tessera {
namespace {

using namespace acoustic;

template <class Real, class TileType, Update kUpdate>
struct SmemEta3Kernel {
  using Block = ScratchBlock<Real, TileType, 1>;
  static constexpr const char* kLabel = "tessera::acoustic::smem_eta_3::step";
  static constexpr int kThreads = TileType::kCells;
  static constexpr int kMinTeams = kBlockTeams<Real, TileType, kUpdate>;

  Fields<Real> f;
  Box hole;
  Tiling tiling;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    constexpr bool kInner = kUpdate == Update::inner;
    const TilePlace place = tiling.place(team.league_rank());
    const std::int64_t first = f.offset(place.z0, place.y0, place.x0);
    const Block block = kInner ? Block(nullptr) : Block(team);
    // 1. Tiles that reach into the PML: the block of eta and its halo.
    if (!kInner && !in_hole(place, hole)) {
      fetch(team, block, place.extent, f.eta + first);
      team.team_barrier();
    }
    // 2. u through the cache, eta from scratch.
    for_each_cell_by_update<kUpdate>(
        team, TileType{}, place, hole, [&](auto update, const Cell& c) {
          const std::int64_t i = first + f.offset(c.z, c.y, c.x);
          const Real* u = f.u + i;
          const auto x = [&](auto m) { return u[m]; };
          const auto y = [&](auto m) { return u[m * f.row]; };
          const auto z = [&](auto m) { return u[m * f.plane]; };
          update_cell<update()>(
              f, hole, place.z0 + c.z, place.y0 + c.y, place.x0 + c.x, i,
              [&] { return laplacian(f.k, x, y, z); }, x, y, z,
              [&](int dz, int dy, int dx) { return block(c.z + dz, c.y + dy, c.x + dx); });
        });
  }

  [[nodiscard]] static std::size_t scratch_bytes(MachineKind = kThisKind) {
    return kUpdate == Update::inner ? 0 : Block::scratch_bytes();
  }
  static void count(Plan& plan, double pml) {
    plan.halo_cells = face_cells<TileType>(kR);
    const double eta_halo = static_cast<double>(face_cells<TileType>(1)) / TileType::kCells;
    plan.loads = kPoints + 2 + (2 + eta_halo) * pml;  // u, u-, vp; in the PML phi, eta and its halo
    plan.stores = 1 + pml;
    plan.scratch_loads = 7 * pml;
    plan.scratch_stores = (1 + eta_halo) * pml;
    if (pml > 0) plan.walk.trips = 2, plan.walk.barriers = 1;
    plan.walk.scratch_pitch = TileType::kNx + 2;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void fetch(const Team& team, const Block& block,
                                         const TileExtent& extent, const Real* eta) const {
    for_each_cell(team, TileType{}, extent,
                  [&](const Cell& c) { block(c.z, c.y, c.x) = eta[f.offset(c.z, c.y, c.x)]; });
    block.load_star_halo(team, eta, f.row, f.plane, extent);
  }
};

}  // namespace

void register_acoustic_smem_eta_3(Registry& registry) {
  auto v = std::make_unique<AcousticVariant>(VariantFacts{
      .name = "smem_eta_3",
      .summary = "3D blocks, eta with its halo in scratch, fetched with three conditionals",
      .source = "Sai IV.3",
      .memory = "eta: block and six face halos in team scratch; the rest through the cache",
      .loses = "to gmem where the cache holds eta as well: on recent devices, on hosts",
      .tags = {"paper", "3d", "scratch"},
  });
  offer_tiles<SmemEta3Kernel, Tile<8, 8, 8>>(*v, Origin::paper);
  auto&& more = beyond_few(*v);
  offer_tiles<SmemEta3Kernel, Tile<256, 16, 8>>(more, Origin::ours, "host");
  offer_tiles<SmemEta3Kernel, Tile<256, 16, 32>>(*v, Origin::ours, "host");
  registry.add(std::move(v));
}

}  // namespace tessera
