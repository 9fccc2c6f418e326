// SPDX-License-Identifier: Apache-2.0
// Plan and launch of the acoustic variants whose teams take one compile-time tile each.
#pragma once

#include "base/registry/configuration_text.hpp"
#include "base/registry/halo_of_faces.hpp"
#include "base/registry/scratch_refusal.hpp"
#include "base/support/error.hpp"
#include "base/tile/tiling.hpp"
#include "variants/acoustic/kernels/variant.hpp"

#include <concepts>
#include <cstddef>

namespace tessera::acoustic {

/// Threads in 3D blocks that should be resident on a multiprocessor: without reuse in registers
/// only many of them hide the latency of 25 loads. 40 registers a thread, 48 with the PML formula,
/// as in the paper's Table III; 64 where that would spill, in double and beside a shell's branch.
template <class Real, Update kUpdate>
inline constexpr int kBlockThreads = kUpdate == Update::inner                        ? 1536
                                     : sizeof(Real) == 4 && kUpdate != Update::shell ? 1280
                                                                                     : 1024;

/// The same in teams; at least one.
template <class Real, class TileType, Update kUpdate>
inline constexpr int kBlockTeams = TileType::kCells < kBlockThreads<Real, kUpdate>
                                       ? kBlockThreads<Real, kUpdate> / TileType::kCells
                                       : 1;

/// Cells of the halo, `width` cells wide, on the six faces of a block; no edges.
template <class TileType>
[[nodiscard]] constexpr std::int64_t face_cells(int width) {
  return halo_of_faces({TileType::kNx, TileType::kNy, TileType::kNz}, width);
}

/// True where a whole tile lies in `hole`: a team of a shell has nothing to do then, and must not
/// meet a barrier for it.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool in_hole(const TilePlace& p, const Box& hole) {
  return p.z0 >= hole.z0 && p.z0 + p.extent.nz <= hole.z1 && p.y0 >= hole.y0 &&
         p.y0 + p.extent.ny <= hole.y1 && p.x0 >= hole.x0 && p.x0 + p.extent.nx <= hole.x1;
}

/// What a kernel that TiledLauncher launches says: what only it knows.
template <class Kernel, class Real>
concept TiledKernel = requires(const Kernel& kernel, const Team& team, const Fields<Real>& fields,
                               const Box& hole, const Tiling& tiles, Plan& plan, double pml) {
  Kernel{fields, hole, tiles};
  kernel(team);
  { Kernel::kLabel } -> std::convertible_to<const char*>;
  { Kernel::kThreads } -> std::convertible_to<int>;   // threads of a team on a device
  { Kernel::kMinTeams } -> std::convertible_to<int>;  // that should be resident on a multiprocessor
  // From the types that it uses, on a machine of that kind.
  { Kernel::scratch_bytes(MachineKind::device) } -> std::convertible_to<std::size_t>;
  Kernel::count(plan, pml);  // fills in halo cells and the traffic a cell; pml: share of its cells
};

/// Launches Kernel<Real, TileType, update>{fields, hole, tiling}, a team a tile. A TileType that is
/// one plane high is streamed along z, by `chunk` planes a team (0: all of the region).
template <template <class, class, Update> class Kernel, class Real, class TileType>
requires TiledKernel<Kernel<Real, TileType, Update::inner>, Real>
struct TiledLauncher {
  int chunk = 0;

  [[nodiscard]] Tiling tiling(const Box& box) const {
    const int streamed = chunk == 0 ? box.nz() : chunk;
    return {box, TileType::kNx, TileType::kNy, TileType::kNz == 1 ? streamed : TileType::kNz};
  }

  [[nodiscard]] Plan plan(const Region& region, const Problem& problem) const {
    return problem.value_bytes == 4 ? plan_of<float>(region, problem.machine)
                                    : plan_of<double>(region, problem.machine);
  }

  void step(const ExecSpace& exec, const Fields<Real>& fields, const Region& region) const {
    if constexpr (runs_on(kRunsOn, kThisKind)) {
      const Tiling tiles = tiling(region.box);
      with_update(region.update, [&](auto update) {
        using Chosen = Kernel<Real, TileType, update()>;
        launch_teams<Chosen::kThreads, Chosen::kMinTeams>(
            exec, Chosen::kLabel, static_cast<int>(tiles.league()), Chosen::scratch_bytes(),
            Chosen{fields, region.hole, tiles});
      });
    }
  }

  /// A tile of more cells than a team has threads is a host's.
  static constexpr RunsOn kRunsOn =
      Kernel<Real, TileType, Update::inner>::kThreads <= kDeviceTeamSize ? RunsOn::any
                                                                         : RunsOn::hosts;

 private:
  template <class Value>
  [[nodiscard]] Plan plan_of(const Region& region, const MachineLimits& machine) const {
    const Tiling tiles = tiling(region.box);
    Plan p;
    p.league = tiles.league();
    p.tile[0] = TileType::kNx, p.tile[1] = TileType::kNy, p.tile[2] = tiles.nz;
    with_update(region.update, [&](auto update) {
      using Chosen = Kernel<Value, TileType, update()>;
      p.team = machine.on_device() ? Chosen::kThreads : 1;
      p.scratch_bytes = static_cast<std::int64_t>(Chosen::scratch_bytes(machine.kind));
      p.walk.bound_threads = Chosen::kMinTeams > 1 ? Chosen::kMinTeams * Chosen::kThreads : 0;
      Chosen::count(p, pml_share(region));
    });
    if (TileType::kNz == 1) p.planes_per_thread = p.tile[2];
    refuse_scratch_beyond(p, machine.scratch_bytes, machine.kind);
    return p;
  }
};

/// Offers TiledLauncher<Kernel, Real, TileType>{chunk} in every precision that is built.
template <template <class, class, Update> class Kernel, class TileType>
void offer_tiles(auto&& variant, Origin origin, const char* note = "", int chunk = 0) {
  const std::string tile = TileType::kNz == 1
                               ? extents_text({TileType::kNx, TileType::kNy})
                               : extents_text({TileType::kNx, TileType::kNy, TileType::kNz});
  constexpr RunsOn kRunsOn = TiledLauncher<Kernel, float, TileType>::kRunsOn;
  variant.offer({tile + parameter_text("chunk", chunk), origin, note, kRunsOn}, [chunk](auto real) {
    return TiledLauncher<Kernel, decltype(real), TileType>{chunk};
  });
}

}  // namespace tessera::acoustic
