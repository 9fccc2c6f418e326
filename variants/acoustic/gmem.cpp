// SPDX-License-Identifier: Apache-2.0
// acoustic/gmem: 3D blocking using global memory only (Sai IV.1).
//
// Formula:  u+ = 2u - u- + vp L(u) inside; PML formula in the layers
//           (variants/acoustic/formula.hpp).
// Idea:     every one of the 25 points is read through the cache; nothing is staged. On a device a
//           thread owns a cell of a Dx x Dy x Dz block. On a host a thread walks the tile's z
//           planes and y rows with vectorised x loops, so that the 2R + 1 planes of a y block stay
//           in L2.
// Minimal:  16 B a cell inside, 28 B in the PML (float).
// Tiles:    the paper names 3D tiles with the contiguous axis last, here it comes first; each of
//           its asymmetric tiles is offered both ways round, and a note says which mirrors the
//           paper.
#include "base/registry/configuration_text.hpp"
#include "base/registry/halo_of_faces.hpp"
#include "base/tile/tiling.hpp"
#include "variants/acoustic/kernels/cells.hpp"
#include "variants/acoustic/kernels/launcher.hpp"

namespace tessera {
namespace {

using namespace acoustic;

template <class Real, class Format, class TileType, Update kUpdate>
struct GmemKernel {
  Fields<Real, Format> f;
  Box hole;
  Tiling tiling;
  TileType tile;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TilePlace place = tiling.place(team.league_rank());
    const std::int64_t first = f.offset(place.z0, place.y0, place.x0);
    for_each_cell_by_update<kUpdate>(team, tile, place, hole, [&](auto update, const Cell& c) {
      const std::int64_t i = first + f.offset(c.z, c.y, c.x);
      const auto u = f.u + i;
      update_cell<update()>(
          f, hole, place.z0 + c.z, place.y0 + c.y, place.x0 + c.x, i,  //
          [&](auto m) { return u[m]; }, [&](auto m) { return u[m * f.row]; },
          [&](auto m) { return u[m * f.plane]; });
    });
  }
};

template <class Real, class TileType>
struct Gmem {
  TileType wanted;  // an extent of 0 means the region's own

  [[nodiscard]] Plan plan(const Region& region, const Problem& problem) const {
    const TileType tile = fitted(wanted, region.box);
    Plan p;
    p.league = Tiling(region.box, tile.nx(), tile.ny(), tile.nz()).league();
    p.team = problem.machine.on_device() ? TileType::kCells : 1;
    p.tile[0] = tile.nx(), p.tile[1] = tile.ny(), p.tile[2] = tile.nz();
    p.halo_cells = halo_of_faces(p.tile, kR);
    const double pml = pml_share(region);
    p.loads = kPoints + 2 + 8 * pml;  // u, u-, vp; in the PML phi and eta: 7
    p.stores = 1 + pml;
    if constexpr (!std::is_same_v<TileType, RuntimeTile>) {
      with_update(region.update, [&](auto update) {
        p.walk.bound_threads = kBlockTeams<Real, TileType, update()> * TileType::kCells;
      });
    }
    return p;
  }

  template <class Format>
  void step(const ExecSpace& exec, const Fields<Real, Format>& fields, const Region& region) const {
    if constexpr (!kOnDevice || !std::is_same_v<TileType, RuntimeTile>) {
      const TileType tile = fitted(wanted, region.box);
      const Tiling tiling(region.box, tile.nx(), tile.ny(), tile.nz());
      with_update(region.update, [&](auto update) {
        launch_teams<TileType::kCells, kBlockTeams<Real, TileType, update()>>(
            exec, "tessera::acoustic::gmem::step", static_cast<int>(tiling.league()), 0,
            GmemKernel<Real, Format, TileType, update()>{fields, region.hole, tiling, tile});
      });
    }
  }
};

template <int Dx, int Dy, int Dz, class Kernels = void>
void offer_tile(auto&& variant, Origin origin, const char* note = "") {
  const std::string text = extents_text({Dx, Dy, Dz});
  variant.offer({text, origin, note},
                [](auto real) { return Gmem<decltype(real), Tile<Dx, Dy, Dz>>{}; });
  if constexpr (!std::is_void_v<Kernels>) {
    variant.offer_stored(text, Gmem<float, Tile<Dx, Dy, Dz>>{}, Kernels{});
  }
}

template <class Kernels = void>
void offer_host_tile(auto&& variant, RuntimeTile tile) {
  const std::string text = extents_text({tile.nx(), tile.ny(), tile.nz()});
  variant.offer({text, Origin::ours, "host", RunsOn::hosts},
                [tile](auto real) { return Gmem<decltype(real), RuntimeTile>{tile}; });
  if constexpr (!std::is_void_v<Kernels>) {
    variant.offer_stored(text, Gmem<float, RuntimeTile>{tile}, Kernels{});
  }
}

}  // namespace

void register_acoustic_gmem(Registry& registry) {
  auto v = std::make_unique<AcousticVariant>(VariantFacts{
      .name = "gmem",
      .summary = "3D blocks, every point read through the cache",
      .source = "Sai IV.1",
      .memory = "u, u-, vp, phi, eta in device memory and its caches; nothing staged",
      .loses = "where caches cannot hold a tile's halo, and on tiles that are narrow along x",
      .tags = {"paper", "3d"},
  });
  offer_tile<8, 8, 8>(*v, Origin::paper);
  offer_tile<32, 32, 1, SingleFormats>(*v, Origin::ours,
                                       "paper's 32x32x1 turned: contiguous axis 32");
  auto&& more = beyond_few(*v);
  offer_tile<4, 4, 4>(more, Origin::paper);
  offer_tile<4, 8, 8>(more, Origin::paper, "mirrors the paper's gmem_8x8x4");
  offer_tile<8, 8, 4>(more, Origin::ours, "paper's 8x8x4 turned");
  offer_tile<4, 16, 16>(more, Origin::paper, "mirrors the paper's gmem_16x16x4");
  offer_tile<16, 16, 4>(more, Origin::ours, "paper's 16x16x4 turned");
  offer_tile<1, 32, 32>(more, Origin::paper, "mirrors the paper's gmem_32x32x1");
  offer_tile<32, 4, 4, SingleFormats>(more, Origin::ours);
  offer_tile<64, 4, 2>(more, Origin::ours);
  offer_host_tile(more, {0, 8, 0});
  offer_host_tile(more, {0, 32, 0});
  offer_host_tile(more, {512, 16, 0});
  offer_host_tile(more, {0, 16, 64});
  offer_host_tile(more, {0, 32, 64});
  offer_host_tile<SingleFormats>(*v, {0, 16, 0});
  registry.add(std::move(v));
}

}  // namespace tessera
