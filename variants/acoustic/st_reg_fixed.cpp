// SPDX-License-Identifier: Apache-2.0
// acoustic/st_reg_fixed: 2.5D streaming along z, fixed registers with loop unrolling (Sai IV.7).
//
// Formula:  u+ = 2u - u- + vp L(u) inside; PML formula in the layers (stencils/acoustic.hpp).
// Memory:   the current xy plane with its halo in team scratch; each cell's column of 2R + 1 values
//           along z in registers (on a host: nine small planes in L1 or L2). A value stays in the
//           register it was loaded into; the loop is unrolled 2R + 1 times, so that the rotation is
//           a renaming at compile time. u-, vp, phi and eta are read through the cache.
// Minimal:  16 B a cell inside, 28 B in the PML (float).
// Loses:    on tiles small against the halo, at 1024 threads (64 registers: spills), and on hosts,
//           where registers are memory and the copies into window and plane are all there is.
#include "stencils/acoustic_cells.hpp"
#include "stencils/acoustic_variant.hpp"
#include "tile/register_window.hpp"
#include "tile/scratch.hpp"
#include "tile/tiling.hpp"

namespace tessera {
namespace {

using namespace acoustic;

constexpr int kDepth = 2 * kR + 1;

/// Teams that shall be resident on a multiprocessor: 1024 threads have 64 registers each, which
/// hold the window in float; in double they would spill.
template <class Real, class TileType>
constexpr int kMinTeams = sizeof(Real) == 4 && TileType::kCells <= kMaxTeamSize
                              ? 1024 / TileType::kCells
                              : 1;

template <class Real, class TileType, Update kUpdate>
struct StRegFixedKernel {
  using Plane = ScratchPlane<Real, TileType, kR>;
  using Window = RegisterWindow<Real, kDepth, TileType>;

  Fields<Real> f;
  Box hole;
  Tiling tiling;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TilePlace place = tiling.place(team.league_rank());
    const Plane plane(team);
    Window window(team);
    // Over the hole of a shell, a tile streams only the layers above and below it.
    const int z_end = place.z0 + place.extent.nz;
    const bool split = kUpdate == Update::shell && in_hole(place);
    for (int part = 0; part < (split ? 2 : 1); ++part) {
      const int begin = part == 1 && hole.z1 > place.z0 ? hole.z1 : place.z0;
      const int end = split && part == 0 && hole.z0 < z_end ? hole.z0 : z_end;
      if (begin < end) stream(team, place, plane, window, begin, end);
    }
  }

 private:
  [[nodiscard]] KOKKOS_FUNCTION bool in_hole(const TilePlace& p) const {
    return p.x0 >= hole.x0 && p.x0 + p.extent.nx <= hole.x1 && p.y0 >= hole.y0 &&
           p.y0 + p.extent.ny <= hole.y1;
  }

  KOKKOS_FORCEINLINE_FUNCTION void stream(const Team& team, const TilePlace& place,
                                          const Plane& plane, Window& window, int z_begin,
                                          int z_end) const {
    const TileType tile;
    TileExtent extent = place.extent;
    extent.nz = 1;
    std::int64_t first = f.offset(z_begin, place.y0, place.x0);
    // 1. Fill the window with planes z - R ... z + R - 1.
    for_each_cell(team, tile, extent, [&](const Cell& c) {
      const Real* u = f.u + first + c.y * f.row + c.x;
      static_for<kDepth - 1>([&](auto j) { window.at(c, j) = u[(j - kR) * f.plane]; });
    });
    // 2. Stream: each round of 2R + 1 planes returns the registers to their first roles.
    for (int z = z_begin; z < z_end;) {
      for_each_phase<kDepth>([&](auto phase) {
        advance(phase, team, place, extent, plane, window, z, first);
        first += f.plane;
        return ++z < z_end;
      });
    }
  }

  /// Updates plane z. On entry register (phase + j) % kDepth holds plane z - R + j, j < 2R.
  template <class Phase>
  KOKKOS_FORCEINLINE_FUNCTION void advance(Phase phase, const Team& team, const TilePlace& place,
                                           const TileExtent& extent, const Plane& plane,
                                           Window& window, int z, std::int64_t first) const {
    const TileType tile;
    // 1. The leading plane goes to the register that the plane z - R - 1 has left.
    for_each_cell(team, tile, extent, [&](const Cell& c) {
      const Real* u = f.u + first + c.y * f.row + c.x;
      window.at(c, rotate<kDepth>(phase, Constant<2 * kR>{})) = u[kR * f.plane];
      plane(c.y, c.x) = window.at(c, rotate<kDepth>(phase, Constant<kR>{}));
    });
    plane.load_halo(team, f.u + first, f.row, extent);
    team.team_barrier();
    // 2. x and y from scratch, z from the window.
    const TilePlace here_z{z, place.y0, place.x0, extent};
    for_each_cell_by_update<kUpdate>(team, tile, here_z, hole, [&](auto update, const Cell& c) {
      const Real* here = &plane(c.y, c.x);
      update_cell<update()>(
          f, hole, z, place.y0 + c.y, place.x0 + c.x, first + c.y * f.row + c.x,
          [&](auto m) { return here[m]; }, [&](auto m) { return here[m * Plane::kPitch]; },
          [&](auto m) { return window.at(c, rotate<kDepth>(phase, Constant<kR + m>{})); });
    });
    team.team_barrier();
  }
};

template <class Real, class TileType>
struct StRegFixed {
  int chunk = 0;  // planes that a team streams; 0: all of the region

  [[nodiscard]] Tiling tiling(const Box& box) const {
    return {box, TileType::kNx, TileType::kNy, chunk == 0 ? box.nz() : chunk};
  }

  [[nodiscard]] static std::size_t scratch_bytes() {
    using Kernel = StRegFixedKernel<Real, TileType, Update::inner>;
    return Kernel::Plane::scratch_bytes() + Kernel::Window::scratch_bytes();
  }

  [[nodiscard]] Plan plan(const Region& region, int bytes) const {
    if (kOnDevice && TileType::kCells > kMaxTeamSize)
      return unsupported("a host tile: over 1024 threads");
    Plan p;
    p.league = tiling(region.box).league();
    p.team = kOnDevice ? TileType::kCells : 1;
    p.scratch_bytes =
        static_cast<std::int64_t>(bytes == 4 ? StRegFixed<float, TileType>::scratch_bytes()
                                             : StRegFixed<double, TileType>::scratch_bytes());
    if (p.scratch_bytes > max_scratch_bytes()) {
      return unsupported(fmt::format("{} bytes of team scratch; the backend has {}",
                                     p.scratch_bytes, max_scratch_bytes()));
    }
    p.tile[0] = TileType::kNx, p.tile[1] = TileType::kNy, p.tile[2] = tiling(region.box).nz;
    p.halo_cells = 2LL * kR * (TileType::kNx + TileType::kNy);  // of a plane
    const double halo = static_cast<double>(p.halo_cells) / TileType::kCells;
    const bool inner = region.update == Update::inner;
    p.loads = 3 + halo + (inner ? 0 : 8);  // u, u-, vp and the halo; in the PML phi and eta: 7
    p.stores = inner ? 1 : 2;
    p.scratch_loads = 4 * kR;
    p.scratch_stores = 1 + halo;
    return p;
  }

  void step(const ExecSpace& exec, const Fields<Real>& fields, const Region& region) const {
    if constexpr (!kOnDevice || TileType::kCells <= kMaxTeamSize) {
      const Tiling tiles = tiling(region.box);
      with_update(region.update, [&](auto update) {
        launch_teams<TileType::kCells, kMinTeams<Real, TileType>>(
            exec, "tessera::acoustic::st_reg_fixed::step", static_cast<int>(tiles.league()),
            scratch_bytes(),
            StRegFixedKernel<Real, TileType, update()>{fields, region.hole, tiles});
      });
    }
  }
};

template <int Dx, int Dy>
void offer_tile(AcousticVariant& variant, const char* text, Origin origin, int chunk = 0,
                const char* note = "") {
  variant.offer({text, origin, note},
                [chunk](auto real) { return StRegFixed<decltype(real), Tile<Dx, Dy>>{chunk}; });
}

}  // namespace

void register_acoustic_st_reg_fixed(Registry& registry) {
  auto v = std::make_unique<AcousticVariant>(
      "st_reg_fixed", "2.5D streaming, plane in scratch, column in fixed registers");
  v->source = "Sai IV.7";
  v->memory = "xy plane with halo in team scratch; 2R + 1 values along z in registers";
  v->loses = "on tiles small against the halo, with 64 registers a thread, and on hosts";
  v->tags = {"seed", "2.5d", "streaming", "scratch"};
  offer_tile<16, 8>(*v, "16x8", Origin::seed);
  offer_tile<32, 16>(*v, "32x16", Origin::seed);
  if constexpr (!kFewConfigurations) {
    offer_tile<8, 8>(*v, "8x8", Origin::seed);
    offer_tile<16, 16>(*v, "16x16", Origin::seed);
    offer_tile<32, 32>(*v, "32x32", Origin::seed, 0, "64 registers a thread, as in the seed");
    offer_tile<32, 16>(*v, "32x16,chunk=128", Origin::ours, 128);
    offer_tile<64, 8>(*v, "64x8,chunk=128", Origin::ours, 128);
    offer_tile<128, 16>(*v, "128x16", Origin::ours, 0, "host");
    offer_tile<512, 8>(*v, "512x8", Origin::ours, 0, "host");
  }
  offer_tile<256, 16>(*v, "256x16", Origin::ours, 0, "host");
  registry.add(std::move(v));
}

}  // namespace tessera
