// SPDX-License-Identifier: Apache-2.0
// directional/fused_xyz: x, y and z in one pass: vectors, scratch and window (AMD, kernel fusion).
//
// Formula:  out = sum over d = x, y, z of (c_0 u + sum_m c_m (u_{+m} + u_{-m})) / h_d^2, m = 1..R.
// Idea:     a thread owns V neighbouring cells along x and walks nw planes. A plane that arrives
//           gives its x sum from registers and its y sum from scratch; both wait in registers, R +
//           1 planes long, until the plane R further on has come and the 2R + 1 vectors of the
//           window give z. Both windows shift by copying. Results leave by streaming stores.
// Minimal:  8 B a cell (float), for what takes 24 B in three passes; a window reads R planes more
//           below and R above: a read/write ratio of at least 1 + 2R / nw.
#include "base/tile/register_window.hpp"
#include "base/tile/scratch_rows.hpp"
#include "variants/directional/kernels/launcher.hpp"
#include "variants/directional/vectors.hpp"

namespace tessera {
namespace {

using namespace directional;

template <class Real, int R, Directions D, class ShapeType>
struct FusedXyzKernel {
  static constexpr int V = ShapeType::kV;
  using Threads = typename ShapeType::Threads;
  using Value = Pack<Real, V>;
  using Rows = ScratchRows<Real, V, Threads, R>;
  using Window = RegisterWindow<Value, 2 * R + 1, Threads>;
  using Sums = RegisterWindow<Value, R + 1, Threads>;
  static constexpr std::size_t kScratch = kNeverThroughKokkos;
  using TeamHandle = TeamWith<kScratch>;
  static constexpr const char* kLabel = "tessera::directional::fused_xyz::step";
  // Of 255 registers; as many again as these windows take go to addresses and to the sums under
  // way. As many teams as there are registers for.
  static constexpr int kRegisters = (3 * R + 2) * V * static_cast<int>(sizeof(Real)) / 4;
  [[nodiscard]] static constexpr bool fits(MachineKind kind) {
    return kind == MachineKind::host || kRegisters <= 80;
  }
  static constexpr int kTeams = 65536 / (Threads::kCells * (kRegisters + 70));
  static constexpr int kMinTeams = kTeams > 1 ? kTeams : 1;

  Cubes<Real> f;
  Box box;
  Tiling tiling;

  KOKKOS_FUNCTION void operator()(const TeamHandle& team) const {
    const TilePlace place = tiling.place(team.league_rank());
    const Rows rows(team);
    Window window(team);  // planes p - 2R ... p, where p is the plane that arrives
    Sums sums(team);      // x and y sums of the planes p - R ... p
    const Threads threads;
    const int row = f.row, plane = f.plane, left = place.extent.nx;
    const TileExtent vectors{1, place.extent.ny, (left + V - 1) / V};
    std::int64_t first = f.offset(place.z0, place.y0, place.x0);
    constexpr Constant<2 * R> kNewest{};
    // 1. Prime the window with the R planes below the first.
    for_each_cell(team, threads, vectors, [&](const Cell& c) {
      const Real* u = f.in + first + c.y * row + V * c.x;
      // What is shifted out before it is used must be a value too.
      static_for<R>([&](auto j) { window.at(c, j) = Value{}; });
      static_for<R + 1>([&](auto j) { sums.at(c, j) = Value{}; });
      static_for<R>(
          [&](auto j) { window.at(c, Constant<R + j>{}) = load_pack<V>(u + (j - R) * plane); });
    });
    // 2. Planes arrive: those of the tile, then R above, which give z alone.
    for (int p = 0; p < place.extent.nz + R; ++p) {
      const Real* in = f.in + first;
      const bool own = p < place.extent.nz;
      if (own) {
        team.team_barrier();  // everybody has read the plane before
        for_each_cell(team, threads, vectors, [&](const Cell& c) {
          const RowAround<Real, V, R> x(in + c.y * row + V * c.x);
          window.at(c, kNewest) = x(Constant<0>{});
          sums.at(c, Constant<R>{}) = axis_sum<R>(f.k.cx, x);
          put_pack<V>(rows.at(c.y, V * c.x), x(Constant<0>{}));
        });
        rows.load_halo(team, in, row, vectors);
        team.team_barrier();
      } else {
        for_each_cell(team, threads, vectors, [&](const Cell& c) {
          window.at(c, kNewest) = load_pack<V>(in + c.y * row + V * c.x);
        });
      }
      for_each_cell(team, threads, vectors, [&](const Cell& c) {
        // 3. y of the plane that arrived, from scratch.
        if (own) {
          const Real* u = rows.at(c.y, V * c.x);
          const auto y = [&](auto m) { return load_pack<V>(u + m * Rows::kPitch); };
          sums.at(c, Constant<R>{}) = sums.at(c, Constant<R>{}) + axis_sum<R>(f.k.cy, y);
        }
        // 4. z of the plane R below, whose x and y have waited.
        if (p >= R) {
          const auto z = [&](auto m) { return window.at(c, Constant<R + m>{}); };
          const Value sum = sums.at(c, Constant<0>{}) + axis_sum<R>(f.k.cz, z);
          Real* out = f.out + first - std::int64_t{R} * plane + c.y * row + V * c.x;
          store_vector<V, true>(out, with_centre(f.k, Value(z(Constant<0>{})), sum),
                                left - V * c.x);
        }
        window.shift(c);
        sums.shift(c);
      });
      first += plane;
    }
  }

  [[nodiscard]] static Tiling cut(const Box& region, int nw, const MachineLimits&) {
    return {region, ShapeType::kNx, ShapeType::kNy, nw == 0 ? region.nz() : nw};
  }
  [[nodiscard]] static std::size_t scratch_bytes(MachineKind kind = kThisKind) {
    return Rows::scratch_bytes() + Window::scratch_bytes(kind) + Sums::scratch_bytes(kind);
  }
  static void count(Plan& plan, const Tiling& tiles) {
    plan.halo_cells = 2LL * R * (ShapeType::kNx + ShapeType::kNy);  // of a plane
    const double halo = 2.0 * R / ShapeType::kNy;
    plan.loads = kRowLoads<R, V> + halo + 2.0 * R / std::min(tiles.nz, tiles.box.nz());
    plan.misaligned_loads = V == 1 ? 2 * R : 0;
    plan.planes_per_thread = std::min(tiles.nz, tiles.box.nz());
    plan.scratch_stores = 1 + halo;
    plan.scratch_loads = 2 * R;
    // A plane's own vector is on its way a plane ahead; halo rows are not, once for each.
    plan.walk.trips = 0.7 + 1.4 * R / ShapeType::kNy;
    plan.walk.barriers = 2;
    // Window and sums, and a row with its neighbours and its sum under way.
    plan.walk.kept_words = kRegisters + words_of<Real>(2 * V + 2 * R);
    plan.walk.more_planes = R / 2.0;  // those above the tile cost half: no sums of x and y
    plan.loops.vectorised = false;
    plan.loops.rows = 6;
    plan.loops.copied = 3 * R + 1;
  }
};

template <TeamShape kShape, class RadiiType = AllRadii>
void offer(auto&& variant, int nw, Origin origin) {
  offer_shape<FusedXyzKernel, kShape, Along<Directions::xyz>, RadiiType>(variant, origin, "", nw);
}

}  // namespace

void register_directional_fused_xyz(Registry& registry) {
  auto v = std::make_unique<DirectionalVariant>(
      VariantFacts{
          .name = "fused_xyz",
          .summary = "x, y and z in one pass: vectors, scratch and window",
          .source = "AMD, kernel fusion",
          .memory = "a plane's rows in team scratch; 2R + 1 vectors and R + 1 sums in registers",
          .loses = "to its registers and barriers; with small nw and with nw so large that teams "
                   "are few",
          .launch = kLaunchOfShortTeams,
          .tags = {"paper", "vector", "scratch", "window", "streaming", "fused"},
      },
      std::vector<Directions>{Directions::xyz});
  auto&& more = beyond_few(*v);
  // nw is a run-time number: a longer list costs no kernels.
  for (const int nw : {5, 100}) offer<TeamShape{.v = 1, .tx = 64, .ty = 4}>(*v, nw, Origin::ours);
  for (const int nw : {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}) {
    constexpr TeamShape kShape{.v = 4, .tx = 64, .ty = 4};
    if (nw == 100) {
      offer<kShape>(*v, nw, Origin::paper);
    } else {
      offer<kShape>(more, nw, Origin::paper);
    }
  }
  // What AMD's program takes by default for R = 4, 6 and 8, the first in cells of four.
  offer<TeamShape{.v = 4, .tx = 64, .ty = 4}, Radii<4>>(more, 128, Origin::paper);
  offer<TeamShape{.v = 2, .tx = 64, .ty = 4}, Radii<6>>(more, 80, Origin::paper);
  offer<TeamShape{.v = 2, .tx = 64, .ty = 4}, Radii<8>>(more, 160, Origin::paper);
  // Where four cells a thread do not fit.
  offer<TeamShape{.v = 2, .tx = 64, .ty = 4}, Radii<5, 6, 7, 8>>(*v, 100, Origin::ours);
  offer<paper_block(1, 4), Radii<1>>(more, 100, Origin::paper);
  offer<paper_block(2, 4), Radii<2>>(more, 100, Origin::paper);
  offer<paper_block(3, 4), Radii<3>>(more, 100, Origin::paper);
  offer<TeamShape{.v = 4, .tx = 32, .ty = 8}, Radii<4>>(more, 100, Origin::ours);
  offer<TeamShape{.v = 4, .tx = 32, .ty = 16}, Radii<4>>(more, 100, Origin::ours);
  registry.add(std::move(v));
}

}  // namespace tessera
