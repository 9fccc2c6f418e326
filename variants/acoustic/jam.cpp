// SPDX-License-Identifier: Apache-2.0
// acoustic/jam: several planes at once (unroll and jam along z), in a host's vector registers.
//
// Formula:  u+ = 2u - u- + vp L(u) inside; PML formula in the layers
//           (variants/acoustic/formula.hpp).
// Idea:     every point is read through the cache; K sums a thread in registers. On a device a
//           thread owns K cells of a Dx x Dy x K block; in the PML and at branches they are updated
//           one after the other. On a host K vectors above each other, layers too.
// Why:      beyond the paper. Where gmem reads 9 values along z for each cell, K cells above each
//           other need K + 8 in all: 5 loads a cell for K = 2, 3 for K = 4, the rest are in
//           registers. On a host that is L2 traffic, since y neighbours sit in L1 and z neighbours
//           in L2; x neighbours are shifted out of three aligned vectors; eta is a sum of profiles;
//           and what comes from memory (the plane kR ahead, u-, vp) is requested a row before it is
//           needed, because a prefetcher starts anew at every row
//           (variants/acoustic/kernels/host_rows.hpp).
// Minimal:  16 B a cell inside, 28 B in the PML (24 on a host; float).
#include "base/registry/configuration_text.hpp"
#include "base/registry/halo_of_faces.hpp"
#include "base/tile/tiling.hpp"
#include "variants/acoustic/kernels/cells.hpp"
#include "variants/acoustic/kernels/host_rows.hpp"
#include "variants/acoustic/kernels/launcher.hpp"

namespace tessera {
namespace {

using namespace acoustic;

template <class Real, class Format, class TileType, int K, Update kUpdate>
struct JamKernel {
  Fields<Real, Format> f;
  Box hole;
  Tiling tiling;
  TileType tile;

  /// One cell by the formula of kUpdate.
  template <class Put>
  KOKKOS_FORCEINLINE_FUNCTION void one(const TilePlace& place, const Cell& c, std::int64_t i,
                                       const Put& put) const {
    const auto u = f.u + i;
    update_cell<kUpdate>(
        f, hole, place.z0 + c.z, place.y0 + c.y, place.x0 + c.x, i, [&](auto m) { return u[m]; },
        [&](auto m) { return u[m * f.row]; }, [&](auto m) { return u[m * f.plane]; }, put);
  }

  /// u around the cell at `i` along an axis of stride `stride`.
  KOKKOS_FORCEINLINE_FUNCTION auto along(std::int64_t i, int stride) const {
    return [u = f.u + i, stride](auto m) { return u[m * stride]; };
  }

  /// K inner cells above each other. Nothing is stored before all is read, so that the compiler may
  /// keep what they share.
  KOKKOS_FORCEINLINE_FUNCTION void jammed(std::int64_t i, Real (&value)[K]) const {
    static_for<K>([&](auto k) {
      const std::int64_t at = i + k * f.plane;
      const Real l = laplacian(f.k, along(at, 1), along(at, f.row), along(at, f.plane));
      const Real u = f.u[at];
      value[k] = inner_value(u, u_minus_of<Format>(u, Real(f.u_minus[at])), f.vp[at], l);
    });
  }

  /// The cells of a thread.
  KOKKOS_FORCEINLINE_FUNCTION void column(const TilePlace& place, const Cell& c,
                                          std::int64_t i) const {
    const int nz = place.extent.nz;
    if (kUpdate == Update::inner && nz == K) {
      Real value[K];
      jammed(i, value);
      static_for<K>([&](auto k) {
        const std::int64_t at = i + k * f.plane;
        PutNext{}(f, at, Format::kDifference ? Real(f.u[at]) : Real(0), value[k]);
      });
      return;
    }
    for (int z = 0; z < nz; ++z) {
      one(place, Cell{z, c.y, c.x, 0}, i + z * std::int64_t{f.plane}, PutNext{});
    }
  }

  /// The same where the threads of a warp, a row of the tile, store a block together. Those past
  /// the grid's end have no cell in it.
  KOKKOS_FORCEINLINE_FUNCTION void column_of_block(const TilePlace& place, const Cell& c,
                                                   std::int64_t i, int rank) const {
    static_assert(TileType::kNx == kBlockCells);
    const int nz = place.extent.nz;
    const bool inside = c.x < place.extent.nx;
    const auto store = [&](int z, Real next) {
      put_block_by_lanes<1>(f.next + (i + z * std::int64_t{f.plane}), next, inside ? 1 : 0, rank);
    };
    if (kUpdate == Update::inner && nz == K) {
      Real value[K] = {};
      if (inside) jammed(i, value);
      static_for<K>([&](auto k) { store(k, value[k]); });
      return;
    }
    for (int z = 0; z < nz; ++z) {
      Real made = 0;
      if (inside) one(place, Cell{z, c.y, c.x, 0}, i + z * std::int64_t{f.plane}, KeepNext{made});
      store(z, made);
    }
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TilePlace place = tiling.place(team.league_rank());
    const std::int64_t first = f.offset(place.z0, place.y0, place.x0);
    if constexpr (kOnDevice) {
      if constexpr (Format::kBlocks) {
        for_each_cell(team, tile, {1, place.extent.ny, TileType::kNx}, [&](const Cell& c) {
          column_of_block(place, c, first + f.offset(0, c.y, c.x), team.team_rank());
        });
      } else {
        for_each_cell(team, tile, {1, place.extent.ny, place.extent.nx},
                      [&](const Cell& c) { column(place, c, first + f.offset(0, c.y, c.x)); });
      }
    } else {
      const TileExtent& n = place.extent;
      const Box box{place.z0,        place.z0 + n.nz, place.y0,
                    place.y0 + n.ny, place.x0,        place.x0 + n.nx};
      if constexpr (kUpdate == Update::shell) {
        for_each_part_by_update<kUpdate>(place, hole, [&](auto, const Box& part) {
          make_rows<K>(f,
                       Box{box.z0 + part.z0, box.z0 + part.z1, box.y0 + part.y0, box.y0 + part.y1,
                           box.x0 + part.x0, box.x0 + part.x1},
                       Box{});
        });
      } else {
        make_rows<K>(f, box, kUpdate == Update::inner ? box : hole);
      }
    }
  }
};

template <class Real, class TileType, int K>
struct Jam {
  TileType wanted;  // an extent of 0 means the region's own

  /// On a device each thread owns a column of cells; a host walks long rows.
  static constexpr RunsOn kRunsOn =
      std::is_same_v<TileType, RuntimeTile> ? RunsOn::hosts : RunsOn::devices;

  [[nodiscard]] Tiling tiling(const Box& box) const {
    const TileType tile = fitted(wanted, box);
    return {box, tile.nx(), tile.ny(), kRunsOn == RunsOn::devices ? K : tile.nz()};
  }

  [[nodiscard]] Plan plan(const Region& region, const Problem& problem) const {
    const Tiling t = tiling(region.box);
    Plan p;
    p.league = t.league();
    p.team = problem.machine.on_device() ? TileType::kCells : 1;
    p.tile[0] = t.nx, p.tile[1] = t.ny, p.tile[2] = t.nz;
    p.halo_cells = halo_of_faces(p.tile, kR);
    const double pml = pml_share(region);
    if (problem.machine.on_device()) {
      // u: 17 in the plane; along z the 2R neighbours, shared by K cells inside; u-, vp.
      p.loads = 4 * kR + 3 + (1 - pml) * (2.0 * kR / K) + pml * (2 * kR + 8);
      if (region.update != Update::inner) p.walk.trips = K;  // cell by cell
    } else {
      p.loads = HostRows<float>::loads(K, pml);
    }
    p.stores = 1 + pml;
    return p;
  }

  template <class Format>
  void step(const ExecSpace& exec, const Fields<Real, Format>& fields, const Region& region) const {
    if constexpr (runs_on(kRunsOn, kThisKind)) {
      const Tiling cut = tiling(region.box);
      with_update<Format>(region.update, [&](auto update) {
        // Several sums and what they share take twice the registers of one.
        constexpr int kTeams = kBlockTeams<Real, TileType, update()>;
        launch_teams<TileType::kCells, (K > 1 && kTeams > 1 ? kTeams / 2 : kTeams)>(
            exec, "tessera::acoustic::jam::step", static_cast<int>(cut.league()), 0,
            JamKernel<Real, Format, TileType, K, update()>{fields, region.hole, cut,
                                                           fitted(wanted, region.box)});
      });
    }
  }
};

template <int K, class Kernels = void, class TileType>
void offer_tile(auto&& variant, TileType tile) {
  constexpr bool kHost = std::is_same_v<TileType, RuntimeTile>;
  const std::string extents = kHost ? extents_text({tile.nx(), tile.ny(), tile.nz()})
                                    : extents_text({tile.nx(), tile.ny()});
  const std::string text = extents + ",nz=" + std::to_string(K);
  variant.offer({text, Origin::ours, kHost ? "host" : "", Jam<float, TileType, K>::kRunsOn},
                [tile](auto real) { return Jam<decltype(real), TileType, K>{tile}; });
  if constexpr (!std::is_void_v<Kernels>) {
    variant.offer_stored(text, Jam<float, TileType, K>{tile}, Kernels{});
  }
}

}  // namespace

void register_acoustic_jam(Registry& registry) {
  auto v = std::make_unique<AcousticVariant>(VariantFacts{
      .name = "jam",
      .summary = "several planes at once in registers, by vectors on a host",
      .source = "beyond the paper: unroll and jam, software prefetch",
      .memory = "u, u-, vp, phi, eta in device memory and its caches; K sums a thread in registers",
      .loses = "on a device to all that streams: x and y neighbours still come through the cache",
      .tags = {"ours", "3d", "host"},
  });
  v->host_eta_by_profiles = true;
  offer_tile<2, AllFormats>(*v, Tile<32, 8, 1>{});
  offer_tile<1>(*v, RuntimeTile{0, 32, 0});
  offer_tile<4, AllFormats>(*v, RuntimeTile{0, 32, 0});
  auto&& more = beyond_few(*v);
  offer_tile<4, AllFormats>(more, Tile<32, 8, 1>{});
  offer_tile<2, AllFormats>(more, RuntimeTile{0, 32, 0});
  offer_tile<2, AllFormats>(more, RuntimeTile{0, 16, 0});
  offer_tile<2>(more, RuntimeTile{0, 64, 0});
  offer_tile<4, AllFormats>(more, RuntimeTile{0, 16, 0});
  offer_tile<4>(more, RuntimeTile{0, 64, 0});
  registry.add(std::move(v));
}

}  // namespace tessera
