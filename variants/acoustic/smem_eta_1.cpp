// SPDX-License-Identifier: Apache-2.0
// acoustic/smem_eta_1: 3D blocks with eta in scratch, fetched with one conditional (Sai IV.3,
// Algorithm 2).
//
// Formula:  u+ = 2u - u- + vp L(u) inside; PML formula in the layers
//           (variants/acoustic/formula.hpp).
// Idea:     as smem_eta_3, but the halo of eta is fetched by six of the eight z planes of threads,
//           one a face, each tilted into its face: planes 0 and 1 swap x and z, planes 2 and 3 swap
//           y and z, planes 4 and 5 stay. One conditional, and three quarters of an 8x8x8 team work
//           at once. The printed algorithm sets si and gi twice (lines 9 and 12: sk and gk are
//           meant), calls nt bt, and the text has the threads along x select where the algorithm
//           takes z (docs/errata.md). On a host no thread waits, and the fetch is smem_eta_3's.
// Minimal:  16 B a cell inside, 28 B in the PML (float).
#include "base/tile/scratch.hpp"
#include "variants/acoustic/kernels/cells.hpp"
#include "variants/acoustic/kernels/launcher.hpp"

namespace tessera {
namespace {

using namespace acoustic;

/// The cell of the halo that thread (t.z, t.y, t.x) fetches, t.z < 6; in coordinates of the tile,
/// whose far faces are where the clipped `n` ends. `fits` unless it lies beside a clipped face.
struct HaloCell {
  int z, y, x;
  bool fits;

  KOKKOS_FORCEINLINE_FUNCTION HaloCell(const Cell& t, const TileExtent& n) {
    const bool swap_x = t.z <= 1;        // planes 0 and 1: the faces across x
    const bool swap_y = (t.z & 2) != 0;  // planes 2 and 3: the faces across y
    const int far = swap_x ? n.nx : swap_y ? n.ny : n.nz;
    const int face = (t.z & 1) != 0 ? far : -1;
    x = swap_x ? face : t.x;
    y = swap_y ? face : t.y;
    z = swap_x ? t.x : swap_y ? t.y : face;
    fits = (swap_x || x < n.nx) && (swap_y || y < n.ny) && (z < n.nz || !(swap_x || swap_y));
  }
};

template <class Real, class TileType, Update kUpdate>
struct SmemEta1Kernel {
  using Block = ScratchBlock<Real, TileType, 1>;
  static constexpr const char* kLabel = "tessera::acoustic::smem_eta_1::step";
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
    if constexpr (kOnDevice) {
      static_assert(TileType::kNx == TileType::kNz && TileType::kNy == TileType::kNz &&
                    TileType::kNz >= 6);
      // All threads, also those outside a clipped tile: they belong to a face.
      for_each_cell(team, TileType{}, {TileType::kNz, TileType::kNy, TileType::kNx},
                    [&](const Cell& c) {
                      const HaloCell h(c, extent);
                      if (c.z < 6 && h.fits) block(h.z, h.y, h.x) = eta[f.offset(h.z, h.y, h.x)];
                    });
    } else {
      block.load_star_halo(team, eta, f.row, f.plane, extent);
    }
  }
};

}  // namespace

void register_acoustic_smem_eta_1(Registry& registry) {
  auto v = std::make_unique<AcousticVariant>(VariantFacts{
      .name = "smem_eta_1",
      .summary = "3D blocks, eta with its halo in scratch, fetched with one conditional",
      .source = "Sai IV.3",
      .memory = "eta: block and six face halos in team scratch; the rest through the cache",
      .loses = "as smem_eta_3; and where the arithmetic of the tilt costs more than idle threads",
      .tags = {"paper", "3d", "scratch"},
  });
  offer_tiles<SmemEta1Kernel, Tile<8, 8, 8>>(*v, Origin::paper);
  auto&& more = beyond_few(*v);
  offer_tiles<SmemEta1Kernel, Tile<256, 16, 8>>(more, Origin::ours, "host");
  offer_tiles<SmemEta1Kernel, Tile<256, 16, 32>>(*v, Origin::ours, "host");
  registry.add(std::move(v));
}

}  // namespace tessera
