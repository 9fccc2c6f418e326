// SPDX-License-Identifier: Apache-2.0
// directional/fused_async: x, y and z in one pass, planes arriving asynchronously. Ours.
//
// Formula:  out = sum over d = x, y, z of (c_0 u + sum_m c_m (u_{+m} + u_{-m})) / h_d^2, m = 1..R.
// Idea:     a thread owns V neighbouring cells along x in each of `rows` rows and streams along z.
//           A ring in scratch holds the plane p under way with its halo, and the planes that are on
//           their way there. A plane is done with when it has been plane p once: it then completes
//           the cells of plane p - R, and begins those of plane p with what lies behind. R planes
//           behind and R begun sums lie in registers and stay where they are: the loop is unrolled
//           R times, and their roles move. One barrier a plane.
// Minimal:  8 B a cell (float).
// Why:      what separates fused_xyz from the bound is latency, exposed at two barriers a plane,
//           and traffic on the chip: 2R + 1 scratch loads a vector along y. `rows` rows a thread
//           share theirs: (rows + 2R) / rows, less with each. `paced`: teams keep together
//           (device/pacing.hpp), so that device memory delivers a halo once. `copies=bulk`: the
//           copy engine fetches planes, warps never meet, and a team streams tile after tile
//           without a break (fused_async/bulk_stream.hpp).
// Order:    z is summed in two halves, the nearer plane behind first: equal within the bound, not
//           bitwise (tag `reorders`).
#include "base/tile/plane_ring.hpp"
#include "variants/directional/fused_async/bulk_stream.hpp"
#include "variants/directional/fused_async/columns.hpp"
#include "variants/directional/kernels/launcher.hpp"

namespace tessera {
namespace {

using namespace directional;

template <class Real, int R, Directions D, class ShapeType>
struct FusedAsyncKernel {
  static constexpr int V = ShapeType::kV, kRows = ShapeType::kRows, kAhead = ShapeType::kAhead;
  static constexpr int kPlanes = 1 + kAhead;
  static constexpr int kDrain = R;  // planes above its own that a team walks
  using Threads = typename ShapeType::Threads;
  using Ring = PlaneRing<Real, V, Threads, R, kPlanes, kRows>;
  using Columns = FusedColumns<Real, R, ShapeType>;
  // Paced, it queries the runtime for the number of resident teams, which Kokkos does not report.
  static constexpr std::size_t kScratch = kScratchOfRunTime;
  using TeamHandle = NativeTeam;
  static constexpr const char* kLabel = "tessera::directional::fused_async::step";
  static constexpr int kMinTeams = Columns::kMinTeams;
  [[nodiscard]] static constexpr bool fits(MachineKind kind) { return Columns::fits(kind); }

  Cubes<Real> f;
  Box box;
  Tiling tiling;
  Pacer pacer = {};

  /// Inline in the kernel, or clang calls it for the large radii, which costs a stack frame.
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const NativeTeam& team) const {
    const TilePlace place = tiling.place(team.league_rank());
    const Ring ring(team, f.row, place.extent);
    stream(team, place, ring, Columns(team));
  }

  [[nodiscard]] static Tiling cut(const Box& region, int nw, const MachineLimits& machine) {
    const Tiling whole(region, ShapeType::kNx, ShapeType::kNy, region.nz());
    const int streamed =
        nw > 0 ? nw
               : balanced_stream(region.nz(), whole.league(),
                                 std::int64_t{kMinTeams} * machine.units, 2 * R + kAhead);
    return {region, ShapeType::kNx, ShapeType::kNy, streamed};
  }
  [[nodiscard]] static std::size_t scratch_bytes(MachineKind kind = kThisKind) {
    return Ring::scratch_bytes() + Columns::scratch_bytes(kind);
  }
  static void count(Plan& plan, const Tiling& tiles) {
    plan.halo_cells = 2LL * R * (ShapeType::kNx + ShapeType::kNy);  // of a plane
    const double halo = static_cast<double>(plan.halo_cells) / (ShapeType::kNx * ShapeType::kNy);
    plan.loads = 1 + halo + 2.0 * R / std::min(tiles.nz, tiles.box.nz());
    plan.planes_per_thread = std::min(tiles.nz, tiles.box.nz());
    plan.scratch_stores = plan.loads;
    plan.scratch_loads = 1 + 2.0 * kSide<R, V> / V + 2.0 * R / kRows;
    plan.walk.trips = 1.0 / std::max(ShapeType::kAhead, 1);
    plan.walk.barriers = 1;
    // Columns along z and sums of a thread's rows, and a row with its neighbours under way.
    plan.walk.kept_words = words_of<Real>((2 * R + 1) * kRows * V + V + 2 * kSide<R, V>);
    plan.walk.scratch_pitch = ShapeType::kNx + 2 * kSide<R, V>;
    plan.loops.vectorised = false;
    plan.loops.rows = 6;
    plan.loops.copied = 2 * R;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void stream(const NativeTeam& team, const TilePlace& place,
                                          const Ring& ring, Columns columns) const {
    const Threads threads;
    const TileExtent vectors{1, (place.extent.ny + kRows - 1) / kRows,
                             (place.extent.nx + V - 1) / V};
    const int planes = place.extent.nz;
    std::int64_t first = f.offset(place.z0, place.y0, place.x0);
    // Copies of plane p, a group; above the tile only its own column is needed.
    const auto fetch = [&](int p, std::int64_t at, int slot) {
      if (p < planes) {
        ring.load(slot, f.in + at);
      } else if (p < planes + R) {
        ring.load_tile(slot, f.in + at);
      }
      commit_copies();
    };
    // 1. The planes on their way, and those behind.
    for (int p = 0; p < kAhead; ++p) fetch(p, first + std::int64_t{p} * f.plane, p);
    const TileExtent all = kOnDevice ? TileExtent{1, Threads::kNy, Threads::kNx} : vectors;
    columns.clear(team, all);
    for_each_cell(team, threads, vectors, [&](const Cell& c) {
      static_for<kRows>([&](auto j) {
        const Real* u = f.in + first + (c.y * kRows + j) * f.row + V * c.x;
        static_for<R>(
            [&](auto k) { columns.behind[j].at(c, k) = load_pack<V>(u + (k - R) * f.plane); });
      });
    });
    // 2. Stream. The slot that plane p - 1 has left is filled again. On a device the threads beyond
    // the region take part, on what scratch holds: they store nothing.
    int slot = 0;
    int p = 0;
    Pacer::Stream pace = pacer.join(team);
    while (p < planes + R) {
      for_each_phase<R>([&](auto phase) {
        wait_for_copies<kAhead - 1>();
        pace.next_plane();
        team.team_barrier();
        fetch(p + kAhead, first + std::int64_t{kAhead} * f.plane, slot == 0 ? kAhead : slot - 1);
        Real* out = f.out + first - std::int64_t{R} * f.plane;
        for_each_cell(team, threads, all, [&](const Cell& c) {
          columns.template advance<Ring::kPitch>(phase, f, c, place.extent,
                                                 ring.at(slot, c.y * kRows, V * c.x), p >= R, out);
        });
        first += f.plane;
        slot = slot == kAhead ? 0 : slot + 1;
        return ++p < planes + R;
      });
    }
    pace.leave();
  }
};

template <TeamShape kShape, class RadiiType = AllRadii>
void offer(auto&& variant, int nw = 0, bool paced = false, const char* note = "") {
  offer_shape<FusedAsyncKernel, kShape, Along<Directions::xyz>, RadiiType>(variant, Origin::ours,
                                                                           note, nw, paced);
}

/// Larger radii have no registers for it.
template <TeamShape kShape>
void offer_bulk(DirectionalVariant& variant) {
  offer_shape<FusedBulkKernel, kShape, Along<Directions::xyz>, Radii<1, 2, 3, 4>>(
      variant, Origin::ours, "", 0, true, ",copies=bulk");
}

}  // namespace

void register_directional_fused_async(Registry& registry) {
  auto v = std::make_unique<DirectionalVariant>(
      VariantFacts{
          .name = "fused_async",
          .summary = "x, y and z in one pass: planes arriving asynchronously, two rows a thread",
          .source = "ours: what the paper's fused kernel needs to come near the bound",
          .memory = "the plane under way and two that arrive in a ring in team scratch; R vectors "
                    "behind and R "
                    "begun sums a row in registers",
          .loses = "where scratch is small, on regions thin along x or z, and on hosts",
          .launch = "rings of 64 KiB and more (128 x 32, R = 4, float); paced, it queries the "
                    "runtime for how many teams run at a time",
          .tags = {"vector", "scratch", "streaming", "fused", "async", "reorders"},
      },
      std::vector<Directions>{Directions::xyz});
  for (const bool paced : {false, true}) {
    offer<TeamShape{.v = 4, .tx = 32, .ty = 16, .rows = 2, .ahead = 2}, Radii<1, 2, 3, 4>>(*v, 0,
                                                                                           paced);
    offer<TeamShape{.v = 4, .tx = 32, .ty = 8, .rows = 2, .ahead = 2, .min_teams = 2}>(*v, 0,
                                                                                       paced);
  }
  offer<TeamShape{.v = 2, .tx = 32, .ty = 8, .ahead = 2}>(*v);
  auto&& more = beyond_few(*v);
  offer<TeamShape{.v = 4, .tx = 32, .ty = 16, .rows = 2, .ahead = 2}, Radii<1, 2, 3, 4>>(more, 128);
  offer<TeamShape{.v = 4, .tx = 32, .ty = 8, .rows = 2, .ahead = 2, .min_teams = 2}>(more, 128);
  offer_bulk<TeamShape{.v = 4, .tx = 32, .ty = 16, .rows = 2, .ahead = 3}>(*v);
  offer_bulk<TeamShape{.v = 4, .tx = 32, .ty = 8, .rows = 2, .ahead = 3, .min_teams = 2}>(*v);
  offer<TeamShape{.v = 1, .tx = 256, .ty = 4, .ahead = 2, .host = true}>(*v, 0, false, "host");
  registry.add(std::move(v));
}

}  // namespace tessera
