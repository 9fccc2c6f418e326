// SPDX-License-Identifier: Apache-2.0
// directional/fused_xy: x and y in one pass, vectors and scratch (AMD, kernel fusion).
//
// Formula:  out = sum over d = x, y of (c_0 u + sum_m c_m (u_{+m} + u_{-m})) / h_d^2, m = 1 ... R.
// Idea:     a thread owns V neighbouring cells along x. It loads its vector and those beside it
//           into registers, puts its own to scratch, and the team adds the R rows above and below;
//           y is summed from scratch, x from registers. Results leave by streaming stores.
// Minimal:  8 B a cell (float), for what takes 16 B in two passes.
#include "base/tile/register_window.hpp"
#include "base/tile/scratch_rows.hpp"
#include "variants/directional/kernels/launcher.hpp"
#include "variants/directional/vectors.hpp"

namespace tessera {
namespace {

using namespace directional;

template <class Real, int R, Directions D, class ShapeType>
struct FusedXyKernel {
  static constexpr int V = ShapeType::kV;
  using Rows = ScratchRows<Real, V, typename ShapeType::Threads, R>;
  using Sum = RegisterWindow<Pack<Real, V>, 1, typename ShapeType::Threads>;
  static constexpr std::size_t kScratch = kNeverThroughKokkos;
  using TeamHandle = TeamWith<kScratch>;
  static constexpr const char* kLabel = "tessera::directional::fused_xy::step";
  [[nodiscard]] static constexpr bool fits(MachineKind) { return true; }

  Cubes<Real> f;
  Box box;
  Tiling tiling;

  KOKKOS_FUNCTION void operator()(const TeamHandle& team) const {
    const TilePlace place = tiling.place(team.league_rank());
    const Rows rows(team);
    Sum x_sum(team);
    const std::int64_t first = f.offset(place.z0, place.y0, place.x0);
    const Real* in = f.in + first;
    Real* out = f.out + first;
    const int row = f.row, left = place.extent.nx;
    const TileExtent vectors{1, place.extent.ny, (left + V - 1) / V};
    const typename ShapeType::Threads threads;
    // 1. The tile to scratch, its x sums to registers, the halo rows to scratch.
    for_each_cell(team, threads, vectors, [&](const Cell& c) {
      const RowAround<Real, V, R> x(in + c.y * row + V * c.x);
      x_sum.at(c, Constant<0>{}) = axis_sum<R>(f.k.cx, x);
      put_pack<V>(rows.at(c.y, V * c.x), x(Constant<0>{}));
    });
    rows.load_halo(team, in, row, vectors);
    team.team_barrier();
    // 2. y from scratch.
    for_each_cell(team, threads, vectors, [&](const Cell& c) {
      const Real* u = rows.at(c.y, V * c.x);
      const auto y = [&](auto m) { return load_pack<V>(u + m * Rows::kPitch); };
      const auto sum = x_sum.at(c, Constant<0>{}) + axis_sum<R>(f.k.cy, y);
      store_vector<V, true>(out + c.y * row + V * c.x, with_centre(f.k, y(Constant<0>{}), sum),
                            left - V * c.x);
    });
  }

  [[nodiscard]] static Tiling cut(const Box& region, int, const MachineLimits&) {
    return {region, ShapeType::kNx, ShapeType::kNy, 1};
  }
  [[nodiscard]] static std::size_t scratch_bytes(MachineKind kind = kThisKind) {
    return Rows::scratch_bytes() + Sum::scratch_bytes(kind);
  }
  static void count(Plan& plan, const Tiling&) {
    plan.halo_cells = 2LL * R * (ShapeType::kNx + ShapeType::kNy);
    plan.loads = kRowLoads<R, V> + 2.0 * R / ShapeType::kNy;
    plan.misaligned_loads = V == 1 ? 2 * R : 0;
    plan.scratch_stores = 1 + 2.0 * R / ShapeType::kNy;
    plan.scratch_loads = 2 * R + 1;
    plan.walk.barriers = 1;
    plan.loops.rows = 3;
  }
};

template <TeamShape kShape, class RadiiType = AllRadii>
void offer(auto&& variant, Origin origin) {
  offer_shape<FusedXyKernel, kShape, Along<Directions::xy>, RadiiType>(variant, origin);
}

}  // namespace

void register_directional_fused_xy(Registry& registry) {
  auto v = std::make_unique<DirectionalVariant>(
      VariantFacts{
          .name = "fused_xy",
          .summary = "x and y in one pass: vectors and scratch",
          .source = "AMD, kernel fusion",
          .memory = "neighbours along x in registers, the rows above and below in team scratch",
          .loses = "where Ty is small against 2R: halo rows are most of what it loads",
          .launch = kLaunchOfShortTeams,
          .tags = {"paper", "vector", "scratch", "fused"},
      },
      std::vector<Directions>{Directions::xy});
  offer<TeamShape{.v = 4, .tx = 64, .ty = 4}>(*v, Origin::paper);
  offer<TeamShape{.v = 1, .tx = 64, .ty = 4}>(*v, Origin::ours);
  auto&& more = beyond_few(*v);
  offer<paper_block(1, 4), Radii<1>>(more, Origin::paper);
  offer<paper_block(2, 4), Radii<2>>(more, Origin::paper);
  offer<paper_block(3, 4), Radii<3>>(more, Origin::paper);
  offer<TeamShape{.v = 4, .tx = 32, .ty = 8}, Radii<4>>(more, Origin::ours);
  offer<TeamShape{.v = 4, .tx = 32, .ty = 16}, Radii<4>>(more, Origin::ours);
  registry.add(std::move(v));
}

}  // namespace tessera
