// SPDX-License-Identifier: Apache-2.0
// directional/window: z with a sliding window of nw planes a team (AMD, part 2); ours: also y.
//
// Formula:  out = (c_0 u + sum_m c_m (u_{+m} + u_{-m})) / h^2 along z or y, m = 1 ... R.
// Idea:     a thread keeps the 2R + 1 vectors of its column in registers, walks nw planes (along y:
//           nw rows) and loads one vector for each; the window shifts by copying, as in the paper.
//           With `ahead` it loads that many planes before it needs them, and the values stay where
//           they were loaded: the loop is unrolled, and a copy would wait for the load. Windows
//           along z then follow each other along z in bands of y: the 2R planes between two are
//           still in L2 when the second requests them.
// Minimal:  8 B a cell (float); at the start of a window 2R planes more are read: 4 (1 + 2R / nw) +
//           4 B a cell in all, a read/write ratio of 1 + 2R / nw if none of it is in a cache.
#include "base/tile/register_window.hpp"
#include "variants/directional/kernels/launcher.hpp"
#include "variants/directional/vectors.hpp"
#include "variants/directional/window/band_order.hpp"

namespace tessera {
namespace {

using namespace directional;

template <class Real, int R, Directions D, class ShapeType>
struct WindowKernel {
  static constexpr int kV = ShapeType::kV;
  static constexpr bool kAlongZ = D == Directions::z;
  static constexpr int kDepth = 2 * R + 1 + ShapeType::kAhead;
  using Threads = typename ShapeType::Threads;
  using Window = RegisterWindow<Pack<Real, kV>, kDepth, Threads>;
  static constexpr std::size_t kScratch = 0;
  using TeamHandle = TeamWith<kScratch>;
  static constexpr const char* kLabel = "tessera::directional::window::step";
  static constexpr int kRegisters = kDepth * kV * static_cast<int>(sizeof(Real)) / 4;
  [[nodiscard]] static constexpr bool fits(MachineKind kind) {
    return kind == MachineKind::host || kRegisters <= 160;
  }
  // As many teams as there are registers for: only they hide the loads' latency.
  static constexpr int kMinTeams =
      fits(MachineKind::device) ? 65536 / (Threads::kCells * (kRegisters + 44)) : 1;
  // The paper's window shifts. A copy waits for the value that it copies: where loads run ahead the
  // values stay, and the places' roles move.
  static constexpr int kPhases = ShapeType::kAhead == 0 ? 1 : kDepth;
  static constexpr int kBand = 256;  ///< tiles side by side; a device holds two or three times more

  Cubes<Real> f;
  Box box;
  Tiling tiling;
  BandOrder order{tiling, kBand};

  KOKKOS_FUNCTION void operator()(const TeamHandle& team) const {
    const TilePlace place = tiling.place(place_of(team.league_rank()));
    Window window(team);
    // The threads' second axis is the one that is not streamed.
    const int stride = kAlongZ ? f.plane : f.row;
    const int across = kAlongZ ? f.row : f.plane;
    const int planes = kAlongZ ? place.extent.nz : place.extent.ny;
    const int left = place.extent.nx;
    const TileExtent vectors{1, kAlongZ ? place.extent.ny : place.extent.nz, (left + kV - 1) / kV};
    std::int64_t first = f.offset(place.z0, place.y0, place.x0);
    const Threads threads;
    // 1. Prime the window: all but its last plane.
    for_each_cell(team, threads, vectors, [&](const Cell& c) {
      const Real* u = f.in + first + static_cast<std::int64_t>(c.y) * across + kV * c.x;
      static_for<kDepth - 1>([&](auto j) {
        if (j - R < planes + R) window.at(c, j) = load_pack<kV>(u + (j - R) * stride);
      });
    });
    // 2. Slide it.
    int i = 0;
    while (i < planes) {
      for_each_phase<kPhases>([&](auto phase) {
        slide(phase, team, vectors, window, i + ShapeType::kAhead < planes, first, across, stride,
              left);
        first += stride;
        return ++i < planes;
      });
    }
  }

  [[nodiscard]] static Tiling cut(const Box& region, int nw, const MachineLimits&) {
    if (kAlongZ) return {region, ShapeType::kNx, ShapeType::kNy, nw == 0 ? region.nz() : nw};
    return {region, ShapeType::kNx, nw == 0 ? region.ny() : nw, ShapeType::kNy};
  }
  [[nodiscard]] static std::size_t scratch_bytes(MachineKind kind = kThisKind) {
    return Window::scratch_bytes(kind);
  }
  static void count(Plan& plan, const Tiling& tiles) {
    plan.halo_cells = 2LL * R * ShapeType::kNx * ShapeType::kNy;
    const int walked =
        kAlongZ ? std::min(tiles.nz, tiles.box.nz()) : std::min(tiles.ny, tiles.box.ny());
    plan.planes_per_thread = walked;
    plan.loads = 1 + 2.0 * R / walked;
    plan.walk.trips = 1.0 / (1 + ShapeType::kAhead);
    plan.loops.rows = 2;
    // The window and a sum.
    plan.walk.kept_words = words_of<Real>((2 * R + 2 + ShapeType::kAhead) * kV);
    plan.loops.copied = 2 * R + 1;
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int place_of(int rank) const {
    return kAlongZ && ShapeType::kAhead > 0 ? order(rank) : rank;
  }

  /// One plane. Place (phase + j) % kDepth of the window holds the plane j - R further on; the last
  /// one is loaded now, unless it lies past the last plane's neighbours.
  template <class Phase>
  KOKKOS_FORCEINLINE_FUNCTION void slide(Phase phase, const TeamHandle& team,
                                         const TileExtent& vectors, Window& window, bool more,
                                         std::int64_t first, int across, int stride,
                                         int left) const {
    for_each_cell(team, Threads{}, vectors, [&](const Cell& c) {
      const std::int64_t here = first + static_cast<std::int64_t>(c.y) * across + kV * c.x;
      if (more) {
        window.at(c, rotate<kDepth>(phase, Constant<kDepth - 1>{})) =
            load_pack<kV>(f.in + here + std::int64_t{kDepth - 1 - R} * stride);
      }
      const auto along = [&](auto m) {
        return window.at(c, rotate<kDepth>(phase, Constant<R + m>{}));
      };
      store_vector<kV, true>(f.out + here, derivative<R, D>(f.k, along, along, along),
                             left - kV * c.x);
      if constexpr (kPhases == 1) window.shift(c);
    });
  }
};

template <TeamShape kShape, class RadiiType = AllRadii>
void offer(auto&& variant, int nw, Origin origin) {
  offer_shape<WindowKernel, kShape, Along<Directions::z, Directions::y>, RadiiType>(variant, origin,
                                                                                    "", nw);
}

}  // namespace

void register_directional_window(Registry& registry) {
  auto v = std::make_unique<DirectionalVariant>(
      VariantFacts{
          .name = "window",
          .summary = "z (or y) with a sliding window of nw planes a team",
          .source = "AMD, part 2, as recalled in part 3; along y: ours",
          .memory = "2R + 1 vectors of a column in registers",
          .loses = "with small nw, with nw so large that teams are few, and on hosts",
          .tags = {"paper", "vector", "window", "streaming"},
      },
      std::vector<Directions>{Directions::z, Directions::y});
  auto&& more = beyond_few(*v);
  // nw is a run-time number: a longer list costs no kernels.
  for (const int nw : {5, 100}) offer<TeamShape{.v = 1, .tx = 64, .ty = 4}>(*v, nw, Origin::paper);
  for (const int nw : {1, 2, 5, 10, 20, 50, 100, 200, 1000}) {
    constexpr TeamShape kShape{.v = 4, .tx = 64, .ty = 4};
    if (nw == 100) {
      offer<kShape>(*v, nw, Origin::paper);
    } else {
      offer<kShape>(more, nw, Origin::paper);
    }
  }
  for (const int nw : {10, 20, 50, 100, 200}) {
    constexpr TeamShape kShape{.v = 4, .tx = 32, .ty = 4, .ahead = 3};
    if (nw == 10) {
      offer<kShape>(*v, nw, Origin::ours);
    } else {
      offer<kShape>(more, nw, Origin::ours);
    }
  }
  offer<TeamShape{.v = 4, .tx = 32, .ty = 4, .ahead = 5}, Radii<4>>(more, 10, Origin::ours);
  registry.add(std::move(v));
}

}  // namespace tessera
