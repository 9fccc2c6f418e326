// SPDX-License-Identifier: Apache-2.0
// directional/baseline: one cell a thread, every neighbour through the cache (AMD, part 1).
//
// Formula:  out = sum over directions d of (c_0 u + sum_m c_m (u_{+m} + u_{-m})) / h_d^2, m = 1..R.
// Idea:     the thread reads its 2R + 1 cells along each direction through the cache and writes
//           one. The paper's blocks are 256 x 1 cells of a row; on a host a thread walks the planes
//           and rows of a strip with vectorised x loops, so that its 2R + 1 planes stay in L2. With
//           `stream=1` a host's rows leave by a buffer in L1 and stores past the cache.
// Launch:   natively; `launch=teams` through a TeamPolicy, which costs teams that live for a tile
//           (docs/kokkos.md).
// Minimal:  8 B a cell (float): the input read once, the output written once.
#include "base/device/native_launch.hpp"
#include "base/registry/configuration_text.hpp"
#include "base/registry/halo_of_faces.hpp"
#include "base/tile/for_each_cell.hpp"
#include "base/tile/tiling.hpp"
#include "variants/directional/baseline/rows.hpp"
#include "variants/directional/kernels/variant.hpp"

namespace tessera {
namespace {

using namespace directional;

template <class Real, int R, Directions D, class TileType, class TeamHandle>
struct BaselineKernel {
  static constexpr const char* kLabel = "tessera::directional::baseline::step";

  Cubes<Real> f;
  Tiling tiling;
  TileType tile;
  bool stream;  // a host's rows leave past the cache

  KOKKOS_FUNCTION void operator()(const TeamHandle& team) const {
    const TilePlace place = tiling.place(team.league_rank());
    if constexpr (!kOnDevice) {
      if (stream) return StreamedRows<Real, R, D>(f).pass(place);
    }
    const std::int64_t first = f.offset(place.z0, place.y0, place.x0);
    const Real* in = f.in + first;
    Real* out = f.out + first;
    const int row = f.row, plane = f.plane;
    for_each_cell(team, tile, place.extent, [&](const Cell& c) {
      const std::int64_t i = std::int64_t{c.z} * plane + c.y * row + c.x;
      const Real* u = in + i;
      out[i] = derivative<R, D>(
          f.k, [&](auto m) { return u[m]; }, [&](auto m) { return u[m * row]; },
          [&](auto m) { return u[m * plane]; });
    });
  }
};

template <class Real, class TileType, bool kNative = true>
struct Baseline {
  TileType wanted;  // an extent of 0 means the region's own
  bool stream = false;

  [[nodiscard]] TileType tile_in(const Box& box) const {
    if constexpr (std::is_same_v<TileType, RuntimeTile>) {
      const auto or_full = [](int size, int full) { return size == 0 ? full : size; };
      return {or_full(wanted.nx(), box.nx()), or_full(wanted.ny(), box.ny()),
              or_full(wanted.nz(), box.nz())};
    } else {
      return wanted;
    }
  }

  [[nodiscard]] Plan plan(const Region& region, const Operator& op, const Problem& problem) const {
    const TileType tile = tile_in(region.box);
    Plan p;
    p.league = Tiling(region.box, tile.nx(), tile.ny(), tile.nz()).league();
    if (problem.machine.on_device() && kNative) p.launch = Launch::native;
    p.team = problem.machine.on_device() ? tile.nx() * tile.ny() * tile.nz() : 1;
    p.tile[0] = tile.nx(), p.tile[1] = tile.ny(), p.tile[2] = tile.nz();
    const Directions d = op.directions;
    const auto radius_along = [&](Directions axis) { return has(d, axis) ? op.radius : 0; };
    p.halo_cells = halo_of_faces(p.tile, {radius_along(Directions::x), radius_along(Directions::y),
                                          radius_along(Directions::z)});
    p.loads = 2.0 * op.radius * axes(d) + 1;
    p.misaligned_loads = has(d, Directions::x) ? 2.0 * op.radius : 0;
    p.stores = 1;
    p.loops.streaming_stores = stream;
    return p;
  }

  void step(const ExecSpace& exec, const Cubes<Real>& cubes, const Region& region,
            const Operator& op) const {
    if constexpr (!kOnDevice || !std::is_same_v<TileType, RuntimeTile>) {
      const TileType tile = tile_in(region.box);
      const Tiling tiling(region.box, tile.nx(), tile.ny(), tile.nz());
      AllDirections::with(op.directions, [&](auto d) {
        AllRadii::with(op.radius, [&](auto r) {
          using TeamHandle = std::conditional_t<kNative, NativeTeam, Team>;
          using Kernel = BaselineKernel<Real, r(), d(), TileType, TeamHandle>;
          launch_with<TeamHandle, TileType::kCells>(exec, Kernel::kLabel,
                                                    static_cast<int>(tiling.league()), 0,
                                                    Kernel{cubes, tiling, tile, stream});
        });
      });
    }
  }
};

/// A tile of the paper's or ours: on a device one cell a thread, on a host one thread for all.
template <int Dx, int Dy>
void offer_tile(DirectionalVariant& variant, Origin origin, const char* note = "") {
  using TileType = std::conditional_t<kOnDevice, Tile<Dx, Dy, 1>, RuntimeTile>;
  variant.offer({extents_text({Dx, Dy}), origin, note}, [](auto real) {
    if constexpr (kOnDevice) {
      return Baseline<decltype(real), TileType>{};
    } else {
      return Baseline<decltype(real), TileType>{{Dx, Dy, 1}, false};
    }
  });
}

/// The same through a TeamPolicy, for what that costs.
void offer_teams(auto&& variant) {
  variant.offer({"256x1,launch=teams", Origin::ours, "", RunsOn::devices},
                [](auto real) { return Baseline<decltype(real), Tile<256, 1, 1>, false>{}; });
}

void offer_host_tile(auto&& variant, RuntimeTile tile, bool stream = false) {
  const std::string extents = extents_text({tile.nx(), tile.ny(), tile.nz()});
  variant.offer({extents + parameter_text("stream", stream), Origin::ours, "host", RunsOn::hosts},
                [tile, stream](auto real) {
                  return Baseline<decltype(real), RuntimeTile>{tile, stream};
                });
}

}  // namespace

void register_directional_baseline(Registry& registry) {
  auto v = std::make_unique<DirectionalVariant>(
      VariantFacts{
          .name = "baseline",
          .summary = "one cell a thread, every neighbour through the cache",
          .source = "AMD, part 1, as recalled in part 3",
          .memory = "both cubes in device memory and its caches; nothing staged",
          .loses = "on devices: L1 serves 2R + 1 single values a cell and direction",
          .launch = kLaunchOfShortTeams,
          .tags = {"paper", "baseline", "3d"},
      },
      std::vector<Directions>{std::begin(kDirections), std::end(kDirections)});
  offer_tile<256, 1>(*v, Origin::paper);
  offer_teams(beyond_few(*v));
  auto&& more = beyond_few(*v);
  offer_host_tile(more, {0, 8, 0}, true);
  offer_host_tile(more, {0, 32, 0}, true);
  offer_host_tile(more, {0, 16, 64}, true);
  offer_host_tile(more, {512, 16, 0}, true);
  offer_host_tile(*v, {0, 16, 0});
  offer_host_tile(*v, {0, 16, 0}, true);
  registry.add(std::move(v));
}

}  // namespace tessera
