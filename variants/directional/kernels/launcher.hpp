// SPDX-License-Identifier: Apache-2.0
// Plan and launch of the directional variants: a kernel for each radius and direction.
#pragma once

#include "base/device/bulk_copy.hpp"
#include "base/device/native_launch.hpp"
#include "base/device/pacing.hpp"
#include "base/registry/configuration_text.hpp"
#include "base/registry/scratch_refusal.hpp"
#include "base/support/error.hpp"
#include "base/tile/tiling.hpp"
#include "variants/directional/kernels/variant.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tessera::directional {

/// What a team of tx x ty threads takes.
struct TeamShape {
  int v = 1;  ///< neighbouring cells along x of a thread
  int tx = 1, ty = 1;
  int rows = 1;       ///< adjacent rows of a thread
  int ahead = 0;      ///< planes that a stream fetches before it needs them
  int min_teams = 1;  ///< that should be resident on a multiprocessor
  bool host = false;  ///< a host's tile: not for devices
};

/// The paper's thread block for a radius of at most 4 (AMD, part 3): BLOCK_DIM_X = 64 (4 / R),
/// BLOCK_DIM_Y = R; vectors of `v` cells a thread. Beyond 4 the integer division gives 0.
[[nodiscard]] constexpr TeamShape paper_block(int radius, int v) {
  return {.v = v, .tx = 64 * (4 / radius), .ty = radius};
}

/// A TeamShape as kernels use it.
template <TeamShape kOf>
struct Shape {
  using Threads = Tile<kOf.tx, kOf.ty>;
  static constexpr int kV = kOf.v, kRows = kOf.rows, kAhead = kOf.ahead, kMinTeams = kOf.min_teams;
  static constexpr bool kHost = kOf.host;
  static constexpr int kNx = kOf.v * kOf.tx, kNy = kOf.ty * kOf.rows;  ///< cells of a tile
};

/// A type as a value. Not a member of what uses it: nvcc names it in code of its own.
template <class T>
struct KernelTag {
  using Type = T;
};

/// What a kernel that Launcher launches says: what only it knows.
template <class Kernel, class Real>
concept ShapedKernel = requires(const Kernel& kernel, const typename Kernel::TeamHandle& team,
                                const Cubes<Real>& cubes, const Box& box, const Tiling& tiles,
                                Plan& plan, int nw, const MachineLimits& machine) {
  { Kernel::kScratch } -> std::convertible_to<std::size_t>;  // on a device, at most
  Kernel{cubes, box, tiles};
  kernel(team);
  { Kernel::kLabel } -> std::convertible_to<const char*>;
  { Kernel::fits(machine.kind) } -> std::convertible_to<bool>;  // in a thread's registers
  { Kernel::cut(box, nw, machine) } -> std::same_as<Tiling>;    // the region in tiles
  // From the types that it uses.
  { Kernel::scratch_bytes(machine.kind) } -> std::convertible_to<std::size_t>;
  Kernel::count(plan, tiles);  // fills in halo cells and the traffic a cell
};

/// Launches Kernel<Real, R, directions, Shape>{cubes, box, tiling}, a team a tile; what streams
/// takes `nw` planes a team (0: all of the region).
template <template <class, int, Directions, class> class Kernel, class Real, class ShapeType,
          class AlongType, class RadiiType>
struct Launcher {
  int nw = 0;
  bool paced = false;  // teams that run at the same time keep together (device/pacing.hpp)

  /// Vectors are for devices.
  static constexpr RunsOn kRunsOn = ShapeType::kV > 1 || ShapeType::kRows > 1 ? RunsOn::devices
                                    : ShapeType::kHost                        ? RunsOn::hosts
                                                                              : RunsOn::any;
  static_assert(ShapeType::kHost || ShapeType::Threads::kCells <= kDeviceTeamSize);

  [[nodiscard]] Plan plan(const Region& region, const Operator& op, const Problem& problem) const {
    return problem.value_bytes == 4 ? plan_of<float>(region, op, problem.machine)
                                    : plan_of<double>(region, op, problem.machine);
  }

  void step(const ExecSpace& exec, const Cubes<Real>& cubes, const Region& region,
            const Operator& op) const {
    if constexpr (runs_on(kRunsOn, kThisKind)) launch(exec, cubes, region, op);
  }

 private:
  void launch(const ExecSpace& exec, const Cubes<Real>& cubes, const Region& region,
              const Operator& op) const {
    with_kernel<Real>(op, [&](auto kernel) {
      using Chosen = typename decltype(kernel)::Type;
      if constexpr (Chosen::fits(kThisKind) && (kHasBulkCopy || !copies_in_bulk<Chosen>())) {
        const Tiling tiles = Chosen::cut(region.box, nw, this_machine());
        const std::size_t scratch = Chosen::scratch_bytes();
        Chosen kernel_here{cubes, region.box, tiles};
        auto league = static_cast<int>(tiles.league());
        int planes = std::min(tiles.nz, region.box.nz()) + drain<Chosen>();
        if constexpr (requires { Chosen::kPersistent; }) {
          const int teams = std::min(league, together<Chosen>(exec));
          planes *= (league + teams - 1) / teams;
          league = teams;
        }
        if constexpr (requires { kernel_here.map; }) {
          kernel_here.map = Chosen::map_of(cubes, region.box);
        }
        if constexpr (requires { kernel_here.pacer; }) {
          if (paced) kernel_here.pacer = make_pacer(exec, league, together<Chosen>(exec), planes);
        }
        launch_with<typename Chosen::TeamHandle, threads<Chosen>(), min_teams<Chosen>()>(
            exec, Chosen::kLabel, league, scratch, kernel_here);
      }
    });
  }

  // Whether a kernel needs a copy engine that copies boxes (device/bulk_copy.hpp).
  template <class Chosen>
  [[nodiscard]] static constexpr bool copies_in_bulk() {
    return requires { Chosen::kCopiesInBulk; };
  }

  // Planes that a team walks beside those of its tile.
  template <class Chosen>
  [[nodiscard]] static constexpr int drain() {
    if constexpr (requires { Chosen::kDrain; }) {
      return Chosen::kDrain;
    } else {
      return 0;
    }
  }

  // Threads of a team: those of its shape, or more that only fetch.
  template <class Chosen>
  [[nodiscard]] static constexpr int threads() {
    if constexpr (requires { Chosen::kThreads; }) {
      return Chosen::kThreads;
    } else {
      return ShapeType::Threads::kCells;
    }
  }

  // Teams that run at the same time.
  template <class Chosen>
  [[nodiscard]] static int together(const ExecSpace& exec) {
    static const int kTeams = max_resident_league<threads<Chosen>(), Chosen, min_teams<Chosen>()>(
        exec, Chosen::scratch_bytes());
    return kTeams;
  }

  // A kernel may know that some radii need more registers than its shape leaves them.
  template <class Chosen>
  [[nodiscard]] static constexpr int min_teams() {
    if constexpr (requires { Chosen::kMinTeams; }) {
      return Chosen::kMinTeams;
    } else {
      return ShapeType::kMinTeams;
    }
  }

  /// Calls body(KernelTag<kernel>) for the kernel of an operator; false where there is none.
  template <class Value, class Body>
  static bool with_kernel(const Operator& op, const Body& body) {
    bool built = false;
    AlongType::with(op.directions, [&](auto d) {
      built = RadiiType::with(op.radius, [&](auto r) {
        using Chosen = Kernel<Value, r(), d(), ShapeType>;
        static_assert(ShapedKernel<Chosen, Value>);
        body(KernelTag<Chosen>{});
      });
    });
    return built;
  }

  template <class Value>
  [[nodiscard]] Plan plan_of(const Region& region, const Operator& op,
                             const MachineLimits& machine) const {
    Plan p;
    const bool built = with_kernel<Value>(op, [&](auto kernel) {
      using Chosen = typename decltype(kernel)::Type;
      if (!Chosen::fits(machine.kind)) {
        p = unsupported("the values of a thread do not fit in its registers");
        return;
      }
      if (copies_in_bulk<Chosen>() && !machine.bulk_copies) {
        p = unsupported(kNoBulkCopies);
        return;
      }
      const Tiling tiles = Chosen::cut(region.box, nw, machine);
      if (launches_natively<Chosen::kScratch>(machine.kind)) p.launch = Launch::native;
      p.league = tiles.league();
      p.team = machine.on_device() ? threads<Chosen>() : 1;
      p.tile[0] = tiles.nx, p.tile[1] = tiles.ny, p.tile[2] = tiles.nz;
      p.scratch_bytes = static_cast<std::int64_t>(Chosen::scratch_bytes(machine.kind));
      p.stores = 1;
      p.walk.width = ShapeType::kV;
      p.walk.bound_threads = min_teams<Chosen>() > 1 ? min_teams<Chosen>() * threads<Chosen>() : 0;
      p.walk.more_planes = drain<Chosen>();
      p.walk.scratch_pitch = ShapeType::kNx;
      Chosen::count(p, tiles);
    });
    if (!built) return unsupported("not compiled for this radius: other tiles are");
    refuse_scratch_beyond(p, machine.native_scratch_bytes, machine.kind);
    return p;
  }
};

/// A shape as configurations are named, "128x16,v=4,rows=2,ahead=2"; nw follows where it is set.
template <class ShapeType>
[[nodiscard]] std::string shape_text(int nw) {
  return extents_text({ShapeType::kNx, ShapeType::kNy}) + parameter_text("v", ShapeType::kV) +
         parameter_text("rows", ShapeType::kRows, 1) + parameter_text("ahead", ShapeType::kAhead) +
         parameter_text("nw", nw);
}

/// Offers Launcher<Kernel, Real, Shape<kShape>, AlongType, RadiiType>{nw} in every precision that
/// is built.
template <template <class, int, Directions, class> class Kernel, TeamShape kShape, class AlongType,
          class RadiiType = AllRadii>
void offer_shape(auto&& variant, Origin origin, const char* note = "", int nw = 0,
                 bool paced = false, const char* copies = "") {
  const std::string text = shape_text<Shape<kShape>>(nw) + copies + (paced ? ",paced" : "");
  constexpr RunsOn kRunsOn = Launcher<Kernel, float, Shape<kShape>, AlongType, RadiiType>::kRunsOn;
  variant.offer({text, origin, note, kRunsOn}, [nw, paced](auto real) {
    return Launcher<Kernel, decltype(real), Shape<kShape>, AlongType, RadiiType>{nw, paced};
  });
}

}  // namespace tessera::directional
