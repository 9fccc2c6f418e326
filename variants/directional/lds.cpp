// SPDX-License-Identifier: Apache-2.0
// directional/lds: y through team scratch, with vectors (AMD, optimization 2).
//
// Formula:  out = (c_0 u + sum_m c_m (u_{+m} + u_{-m})) / h_y^2 along y, m = 1 ... R.
// Idea:     a thread owns V neighbouring cells along x. The team copies its Ty rows and R above and
//           below to scratch, waits, and sums from there: each vector passes L1 (Ty + 2R) / Ty
//           times, not 2R + 1.
// Minimal:  8 B a cell (float).
// Width:    the paper fetches with three loads a thread, which takes Ty = R and a first row at y =
//           R; here the rows are dealt out to the threads round by round, whatever Ty and R.
#include "base/tile/scratch_rows.hpp"
#include "variants/directional/kernels/launcher.hpp"
#include "variants/directional/vectors.hpp"

namespace tessera {
namespace {

using namespace directional;

template <class Real, int R, Directions D, class ShapeType>
struct LdsKernel {
  static constexpr int V = ShapeType::kV;
  using Rows = ScratchRows<Real, V, typename ShapeType::Threads, R>;
  static constexpr std::size_t kScratch = kNeverThroughKokkos;
  using TeamHandle = TeamWith<kScratch>;
  static constexpr const char* kLabel = "tessera::directional::lds::step";
  [[nodiscard]] static constexpr bool fits(MachineKind) { return true; }

  Cubes<Real> f;
  Box box;
  Tiling tiling;

  KOKKOS_FUNCTION void operator()(const TeamHandle& team) const {
    const TilePlace place = tiling.place(team.league_rank());
    const Rows rows(team);
    const std::int64_t first = f.offset(place.z0, place.y0, place.x0);
    Real* out = f.out + first;
    const int row = f.row, left = place.extent.nx;
    const TileExtent vectors{1, place.extent.ny, (left + V - 1) / V};
    // 1. The tile's rows, and R above and below.
    rows.load(team, f.in + first, row, vectors);
    team.team_barrier();
    // 2. The sum, from scratch.
    for_each_cell(team, typename ShapeType::Threads{}, vectors, [&](const Cell& c) {
      const Real* u = rows.at(c.y, V * c.x);
      const auto y = [&](auto m) { return load_pack<V>(u + m * Rows::kPitch); };
      store_vector<V, false>(out + c.y * row + V * c.x, derivative<R, D>(f.k, y, y, y),
                             left - V * c.x);
    });
  }

  [[nodiscard]] static Tiling cut(const Box& region, int, const MachineLimits&) {
    return {region, ShapeType::kNx, ShapeType::kNy, 1};
  }
  [[nodiscard]] static std::size_t scratch_bytes(MachineKind = kThisKind) {
    return Rows::scratch_bytes();
  }
  static void count(Plan& plan, const Tiling&) {
    plan.halo_cells = 2LL * R * ShapeType::kNx;
    plan.loads = 1 + 2.0 * R / ShapeType::kNy;
    plan.scratch_stores = plan.loads;
    plan.scratch_loads = 2 * R + 1;
    plan.walk.barriers = 1;
    plan.loops.rows = 2;
  }
};

template <TeamShape kShape, class RadiiType = AllRadii>
void offer(auto&& variant, Origin origin) {
  offer_shape<LdsKernel, kShape, Along<Directions::y>, RadiiType>(variant, origin);
}

}  // namespace

void register_directional_lds(Registry& registry) {
  auto v = std::make_unique<DirectionalVariant>(
      VariantFacts{
          .name = "lds",
          .summary = "y through scratch, with vectors",
          .source = "AMD, optimization 2",
          .memory = "the tile's rows and R above and below in team scratch",
          .loses = "where L1 is as good as scratch, and where Ty is small against 2R",
          .launch = kLaunchOfShortTeams,
          .tags = {"paper", "vector", "scratch"},
      },
      std::vector<Directions>{Directions::y});
  offer<TeamShape{.v = 4, .tx = 64, .ty = 4}>(*v, Origin::paper);
  offer<TeamShape{.v = 1, .tx = 64, .ty = 4}>(*v, Origin::ours);
  auto&& more = beyond_few(*v);
  offer<paper_block(1, 4), Radii<1>>(more, Origin::paper);
  offer<paper_block(2, 4), Radii<2>>(more, Origin::paper);
  offer<paper_block(3, 4), Radii<3>>(more, Origin::paper);
  offer<TeamShape{.v = 4, .tx = 64, .ty = 8}, Radii<4>>(more, Origin::ours);
  offer<TeamShape{.v = 4, .tx = 32, .ty = 16}, Radii<4>>(more, Origin::ours);
  registry.add(std::move(v));
}

}  // namespace tessera
