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
//           (device/pacing.hpp), so that device memory delivers a halo once.
// Order:    z is summed in two halves, the nearer plane behind first: equal within the bound, not
//           bitwise (tag `reorders`).
#include "kernels/directional/launcher.hpp"
#include "stencils/directional/vectors.hpp"
#include "tile/plane_ring.hpp"
#include "tile/register_window.hpp"

namespace tessera {
namespace {

using namespace directional;

template <class Real, int R, Directions D, class ShapeType>
struct FusedAsyncKernel {
  static constexpr int V = ShapeType::kV, kRows = ShapeType::kRows, kAhead = ShapeType::kAhead;
  static constexpr int kPlanes = 1 + kAhead;
  static constexpr int kDrain = R;  // planes above its own that a team walks
  using Threads = typename ShapeType::Threads;
  using Value = Pack<Real, V>;
  using Ring = PlaneRing<Real, V, Threads, R, kPlanes, kRows>;
  using Queue = RegisterWindow<Value, R, Threads>;
  // Paced, it asks the runtime how many teams are resident: no question for Kokkos.
  static constexpr std::size_t kScratch = kScratchOfRunTime;
  using TeamHandle = NativeTeam;
  static constexpr const char* kLabel = "tessera::directional::fused_async::step";
  static constexpr int kQueueBytes = 2 * R * kRows * V * static_cast<int>(sizeof(Real));
  static constexpr int kMinTeams = kQueueBytes <= 4 * 64 ? ShapeType::kMinTeams : 1;
  // Of 255 registers, or what MinTeams leave, some 60 go to addresses and to the sum under way.
  [[nodiscard]] static constexpr bool fits(MachineKind kind) {
    return kind == MachineKind::host ||
           (kQueueBytes <= (sizeof(Real) == 4 ? 4 * 128 : 4 * 64) &&
            Threads::kCells * kMinTeams * (kQueueBytes / 4 + 60) <= 65536);
  }

  Cubes<Real> f;
  Box box;
  Tiling tiling;
  Pacer pacer = {};

  /// What a thread keeps of its columns, a queue for each row: planes p - R ... p - 1, and their
  /// cells' sums so far.
  struct Columns {
    Queue behind[kRows], begun[kRows];
  };

  /// Inline in the kernel, or clang calls it for the large radii, which costs a stack frame.
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const NativeTeam& team) const {
    const TilePlace place = tiling.place(team.league_rank());
    const Ring ring(team, f.row, place.extent);
    stream(team, place, ring, make_columns(team, std::make_integer_sequence<int, kRows>{}));
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
    return Ring::scratch_bytes() + 2 * kRows * Queue::scratch_bytes(kind);
  }
  static void count(Plan& plan, const Tiling& tiles) {
    plan.halo_cells = 2LL * R * (ShapeType::kNx + ShapeType::kNy);  // of a plane
    const double halo = static_cast<double>(plan.halo_cells) / (ShapeType::kNx * ShapeType::kNy);
    plan.loads = 1 + halo + 2.0 * R / std::min(tiles.nz, tiles.box.nz());
    plan.planes_per_thread = std::min(tiles.nz, tiles.box.nz());
    plan.scratch_stores = plan.loads;
    plan.scratch_loads = 1 + 2.0 * kSide<R, V> / V + 2.0 * R / kRows;
  }

 private:
  template <int... J>
  KOKKOS_FORCEINLINE_FUNCTION static Columns make_columns(const NativeTeam& team,
                                                          std::integer_sequence<int, J...>) {
    return {{(static_cast<void>(J), Queue(team))...}, {(static_cast<void>(J), Queue(team))...}};
  }

  KOKKOS_FORCEINLINE_FUNCTION void stream(const NativeTeam& team, const TilePlace& place,
                                          const Ring& ring, Columns columns) const {
    const Threads threads;
    const TileExtent vectors{1, (place.extent.ny + kRows - 1) / kRows,
                             (place.extent.nx + V - 1) / V};
    const int planes = place.extent.nz;
    std::int64_t first = f.offset(place.z0, place.y0, place.x0);
    // Copies of plane p, a group; above the tile only its own column is wanted.
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
    // Sums that are completed before they were begun are not stored, but must be values: a compiler
    // may take what was never set for whatever suits it.
    const TileExtent all = kOnDevice ? TileExtent{1, Threads::kNy, Threads::kNx} : vectors;
    for_each_cell(team, threads, all, [&](const Cell& c) {
      static_for<kRows>([&](auto j) {
        static_for<R>([&](auto k) {
          columns.behind[j].at(c, k) = Value{};
          columns.begun[j].at(c, k) = Value{};
        });
      });
    });
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
          advance(phase, place.extent, ring, columns, c, p >= R, out, slot);
        });
        first += f.plane;
        slot = slot == kAhead ? 0 : slot + 1;
        return ++p < planes + R;
      });
    }
    pace.leave();
  }

  /// Plane p: completes plane p - R, stored to `out` if `complete`, and begins plane p. On entry
  /// place (phase + k) % R of a queue belongs to plane p - R + k. What is computed before plane R
  /// or begun above the tile is never stored: cheaper than to branch in each plane.
  template <class Phase>
  KOKKOS_FORCEINLINE_FUNCTION void advance(Phase phase, const TileExtent& extent, const Ring& ring,
                                           Columns& columns, const Cell& c, bool complete,
                                           Real* out, int slot) const {
    const Real* here = ring.at(slot, c.y * kRows, V * c.x);
    Value centre[kRows];
    static_for<kRows>([&](auto j) { centre[j] = load_pack<V>(here + j * Ring::kPitch); });
    // 1. The planes ahead of plane p - R: the nearest R - 1 lie behind p, the last is p.
    static_for<kRows>([&](auto j) {
      const int y = c.y * kRows + j;
      Value sum = columns.begun[j].at(c, phase_of<0>(phase));
      static_for<R - 1>([&](auto i) {
        sum = multiply_add(f.k.cz[i], columns.behind[j].at(c, phase_of<i + 1>(phase)), sum);
      });
      sum = multiply_add(f.k.cz[R - 1], centre[j], sum);
      sum = with_centre(f.k, columns.behind[j].at(c, phase_of<0>(phase)), sum);
      if (complete && y < extent.ny) {
        store_vector<V, true>(out + y * f.row + V * c.x, sum, extent.nx - V * c.x);
      }
    });
    // 2. x, y, and the planes behind.
    Value sum[kRows];
    static_for<kRows>([&](auto j) {
      sum[j] = axis_sum<R>(f.k.cx, RowAround<Real, V, R>(here + j * Ring::kPitch, centre[j]));
    });
    // A row of the plane serves all rows of the thread that it is a neighbour of.
    static_for<kRows + 2 * R>([&](auto r) {
      constexpr int kY = decltype(r)::value - R;
      if constexpr (kRows > 1 || kY != 0) {
        const Value u = kY >= 0 && kY < kRows ? centre[kY >= 0 && kY < kRows ? kY : 0]
                                              : load_pack<V>(here + kY * Ring::kPitch);
        static_for<kRows>([&](auto j) {
          constexpr int kM = kY > j ? kY - j : j - kY;
          if constexpr (kM > 0 && kM <= R) sum[j] = multiply_add(f.k.cy[kM - 1], u, sum[j]);
        });
      }
    });
    static_for<kRows>([&](auto j) {
      static_for<R>([&](auto i) {
        sum[j] =
            multiply_add(f.k.cz[i], columns.behind[j].at(c, phase_of<R - 1 - i>(phase)), sum[j]);
      });
      // 3. Plane p takes the place of plane p - R.
      columns.behind[j].at(c, phase_of<0>(phase)) = centre[j];
      columns.begun[j].at(c, phase_of<0>(phase)) = sum[j];
    });
  }

  template <int K, class Phase>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static auto phase_of(Phase phase) {
    return rotate<R>(phase, Constant<K>{});
  }
};

template <TeamShape kShape, class RadiiType = AllRadii>
void offer(DirectionalVariant& variant, int nw = 0, bool paced = false, const char* note = "") {
  offer_shape<FusedAsyncKernel, kShape, Along<Directions::xyz>, RadiiType>(variant, Origin::ours,
                                                                           note, nw, paced);
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
          .launch =
              "rings of up to 65 KiB; paced, it asks the runtime how many teams run at a time",
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
  if constexpr (!kFewConfigurations) {
    offer<TeamShape{.v = 4, .tx = 32, .ty = 16, .rows = 2, .ahead = 2}, Radii<1, 2, 3, 4>>(*v, 128);
    offer<TeamShape{.v = 4, .tx = 32, .ty = 8, .rows = 2, .ahead = 2, .min_teams = 2}>(*v, 128);
  }
  offer<TeamShape{.v = 1, .tx = 256, .ty = 4, .ahead = 2, .host = true}>(*v, 0, false, "host");
  registry.add(std::move(v));
}

}  // namespace tessera
