// SPDX-License-Identifier: Apache-2.0
// directional/vec: x or y with vectors of 1, 2 or 4 cells a thread (AMD, optimization 1).
//
// Formula:  out = (c_0 u + sum_m c_m (u_{+m} + u_{-m})) / h^2 along x or y, m = 1 ... R.
// Idea:     a thread owns V neighbouring cells along x. Along x it loads its vector and those
//           beside it, which hold the R cells on either side (the paper's x_reg), along y one
//           vector of each of 2R + 1 rows; all through the cache.
// Minimal:  8 B a cell (float).
// Width:    nothing depends on how many threads a wave has: neighbours come from the cache, not
//           from other lanes, and a vector that the region cuts is stored cell by cell.
#include "variants/directional/kernels/launcher.hpp"
#include "variants/directional/vectors.hpp"

namespace tessera {
namespace {

using namespace directional;

template <class Real, int R, Directions D, class ShapeType>
struct VecKernel {
  static constexpr int V = ShapeType::kV;
  static constexpr std::size_t kScratch = kNeverThroughKokkos;
  using TeamHandle = TeamWith<kScratch>;
  static constexpr const char* kLabel = "tessera::directional::vec::step";
  [[nodiscard]] static constexpr bool fits(MachineKind) { return true; }

  Cubes<Real> f;
  Box box;
  Tiling tiling;

  KOKKOS_FUNCTION void operator()(const TeamHandle& team) const {
    const TilePlace place = tiling.place(team.league_rank());
    const std::int64_t first = f.offset(place.z0, place.y0, place.x0);
    const Real* in = f.in + first;
    Real* out = f.out + first;
    const int row = f.row, left = place.extent.nx;
    const TileExtent vectors{1, place.extent.ny, (left + V - 1) / V};
    for_each_cell(team, typename ShapeType::Threads{}, vectors, [&](const Cell& c) {
      const int i = c.y * row + V * c.x;
      const Real* u = in + i;
      if constexpr (D == Directions::x) {
        const RowAround<Real, V, R> x(u);
        store_vector<V, false>(out + i, derivative<R, D>(f.k, x, x, x), left - V * c.x);
      } else {
        const auto y = [&](auto m) { return load_pack<V>(u + m * row); };
        store_vector<V, false>(out + i, derivative<R, D>(f.k, y, y, y), left - V * c.x);
      }
    });
  }

  [[nodiscard]] static Tiling cut(const Box& region, int, const MachineLimits&) {
    return {region, ShapeType::kNx, ShapeType::kNy, 1};
  }
  [[nodiscard]] static std::size_t scratch_bytes(MachineKind = kThisKind) { return 0; }
  static void count(Plan& plan, const Tiling&) {
    const bool x = D == Directions::x;
    plan.halo_cells = 2LL * R * (x ? ShapeType::kNy : ShapeType::kNx);
    plan.loads = x ? kRowLoads<R, V> : 2 * R + 1;
    plan.misaligned_loads = x && V == 1 ? 2 * R : 0;
  }
};

template <TeamShape kShape, class RadiiType = AllRadii>
void offer(auto&& variant, Origin origin) {
  offer_shape<VecKernel, kShape, Along<Directions::x, Directions::y>, RadiiType>(variant, origin);
}

}  // namespace

void register_directional_vec(Registry& registry) {
  auto v = std::make_unique<DirectionalVariant>(
      VariantFacts{
          .name = "vec",
          .summary = "x or y, vectors of 1, 2 or 4 cells a thread",
          .source = "AMD, optimization 1",
          .memory = "neighbours of a vector in registers along x, through the cache along y",
          .loses = "along y, where L1 serves 2R + 1 vectors a vector",
          .launch = kLaunchOfShortTeams,
          .tags = {"paper", "vector"},
      },
      std::vector<Directions>{Directions::x, Directions::y});
  offer<TeamShape{.v = 1, .tx = 64, .ty = 4}>(*v, Origin::paper);
  offer<TeamShape{.v = 4, .tx = 64, .ty = 4}>(*v, Origin::paper);
  auto&& more = beyond_few(*v);
  offer<paper_block(1, 1), Radii<1>>(more, Origin::paper);
  offer<paper_block(2, 1), Radii<2>>(more, Origin::paper);
  offer<paper_block(3, 1), Radii<3>>(more, Origin::paper);
  offer<TeamShape{.v = 2, .tx = 64, .ty = 4}>(more, Origin::paper);
  offer<paper_block(1, 2), Radii<1>>(more, Origin::paper);
  offer<paper_block(2, 2), Radii<2>>(more, Origin::paper);
  offer<paper_block(3, 2), Radii<3>>(more, Origin::paper);
  offer<paper_block(1, 4), Radii<1>>(more, Origin::paper);
  offer<paper_block(2, 4), Radii<2, 4>>(more, Origin::paper);
  offer<paper_block(3, 4), Radii<3>>(more, Origin::paper);
  offer<TeamShape{.v = 4, .tx = 32, .ty = 8}, Radii<4>>(more, Origin::ours);
  registry.add(std::move(v));
}

}  // namespace tessera
