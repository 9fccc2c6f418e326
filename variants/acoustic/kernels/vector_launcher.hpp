// SPDX-License-Identifier: Apache-2.0
// Plan and launch of the acoustic variants whose threads own vectors of cells and stream along z.
#pragma once

#include "base/device/native_launch.hpp"
#include "base/device/pacing.hpp"
#include "base/registry/configuration_text.hpp"
#include "base/registry/scratch_refusal.hpp"
#include "base/support/error.hpp"
#include "base/tile/tiling.hpp"
#include "variants/acoustic/kernels/streaming.hpp"
#include "variants/acoustic/kernels/variant.hpp"
#include "variants/acoustic/kernels/vectors.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tessera::acoustic {

/// Tiles start at multiples of this many elements, so that vectors are aligned and a device's
/// 32-byte sectors are read whole; wide ones at whole lines.
inline constexpr int kSector = 8, kLine = 32;

/// What a kernel that VectorLauncher launches says.
template <class Kernel, class Real>
concept VectorKernel = requires(const Kernel& kernel, const NativeTeam& team,
                                const Fields<Real>& fields, const Box& box, const Tiling& tiles,
                                Plan& plan) {
  Kernel{fields, box, box, tiles};
  kernel(team);
  { Kernel::kLabel } -> std::convertible_to<const char*>;
  { Kernel::scratch_bytes(MachineKind::device) } -> std::convertible_to<std::size_t>;
  Kernel::count(plan);  // adds its scratch traffic a cell
};

/// How a tile is streamed along z.
struct Streams {
  int chunk = 0;       ///< planes of a team; 0: all of the region
  bool paced = false;  ///< teams that run at the same time keep together (device/pacing.hpp), and
                       ///< stream all of a region that has as many tiles as that
};

/// Launches Kernel<Real, Threads, V, update, Kept>{fields, box, hole, tiling, pacer}, a team a tile
/// of V x Tx by Ty cells that is streamed along z, with the scratch of a native launch. Kept: Real,
/// uint16_t where vp is read by its index, or a format of 16 bits. Vectors (V > 1) are for devices,
/// single cells (V = 1) for hosts.
template <template <class, class, int, Update, class> class Kernel, class Real, class Threads,
          int V>
requires VectorKernel<Kernel<Real, Threads, V, Update::inner, Real>, Real>
struct VectorLauncher {
  Streams streams;
  /// Teams that a multiprocessor should hold at least: those that have the registers for it.
  template <class Value>
  static constexpr int kTeams = sizeof(Value) == 4 && Threads::kCells <= 512 ? 512 / Threads::kCells
                                                                             : 1;
  static constexpr RunsOn kRunsOn = V > 1 ? RunsOn::devices : RunsOn::hosts;
  // 227 KiB, the most scratch of a team on any device, hold so many cells' values.
  static constexpr bool kFits = V == 1 || sizeof(Real) * V * Threads::kCells <= 8192;
  static constexpr bool kRunsHere = kFits && runs_on(kRunsOn, kThisKind);

  /// On a region thinner than the tile along x the same threads take a tile of 32 cells.
  using Thin = std::conditional_t<(V > 1), Tile<8, Threads::kCells / 8>, Threads>;
  [[nodiscard]] static bool thin(const Box& box) { return V > 1 && box.nx() <= V * 8; }

  /// `wave`: teams that run at the same time. With fewer tiles there is nothing to keep together.
  template <class Chosen>
  [[nodiscard]] Tiling tiling(Box box, int wave) const {
    const int start = V == 1 ? 1 : thin(box) ? kSector : kLine;
    box.x0 = box.x0 / start * start;
    const Tiling whole(box, V * Chosen::kNx, Chosen::kNy, box.nz());
    int planes = streams.chunk == 0 ? box.nz() : streams.chunk;
    // A stream's start costs the 2 kR planes beside it, and as much again twice to wait for them.
    constexpr int kStart = 3 * 2 * kR;
    if (paced(whole, wave))
      planes = balanced_stream(box.nz(), whole.league(), wave, kStart, box.nz());
    return {box, V * Chosen::kNx, Chosen::kNy, planes};
  }
  [[nodiscard]] bool paced(const Tiling& tiles, int wave) const {
    return streams.paced && std::int64_t{tiles.tiles_x} * tiles.tiles_y >= wave;
  }

  /// Teams of kernels on `Value` that run at the same time on a machine.
  template <class Value, class Shaped, class Chosen>
  [[nodiscard]] static int wave(const MachineLimits& machine) {
    if constexpr (kOnDevice && kRunsHere) {
      const auto scratch = static_cast<std::int64_t>(Shaped::scratch_bytes());
      if (machine.here && Kokkos::is_initialized() && scratch <= machine.native_scratch_bytes) {
        static const int kWave = max_resident_league<Chosen::kCells, Shaped, kTeams<Value>>(
            ExecSpace(), Shaped::scratch_bytes());
        return kWave;
      }
    }
    return kTeams<Value> * machine.units;
  }

  [[nodiscard]] Plan plan(const Region& region, const Problem& problem) const {
    return problem.value_bytes == 4 ? plan_of<float>(region, problem.machine)
                                    : plan_of<double>(region, problem.machine);
  }

  void step(const ExecSpace& exec, const Fields<Real>& fields, const Region& region) const {
    if constexpr (kRunsHere) {
      if (fields.vp_index == nullptr) {
        launch_shaped<Real>(exec, fields, region);
      } else {
        launch_shaped<std::uint16_t>(exec, fields, region);
      }
    }
  }
  template <class Format>
  void step(const ExecSpace& exec, const Fields<float, Format>& fields,
            const Region& region) const {
    if constexpr (kRunsHere) launch_shaped<Format>(exec, fields, region);
  }

 private:
  template <class Kept, class OfFormat>
  void launch_shaped(const ExecSpace& exec, const OfFormat& fields, const Region& region) const {
    if (thin(region.box)) {
      launch<Thin, Kept>(exec, fields, region);
    } else {
      launch<Threads, Kept>(exec, fields, region);
    }
  }

  template <class Chosen, class Kept, class OfFormat>
  void launch(const ExecSpace& exec, const OfFormat& fields, const Region& region) const {
    with_update<typename ReadAs<Real, Kept>::Format>(region.update, [&](auto update) {
      using Shaped = Kernel<Real, Chosen, V, update(), Kept>;
      const int together = wave<Real, Shaped, Chosen>(this_machine());
      const Tiling tiles = tiling<Chosen>(region.box, together);
      Shaped kernel{fields, region.box, region.hole, tiles};
      if (paced(tiles, together))
        kernel.pacer = make_pacer(exec, tiles.league(), together, tiles.nz);
      native_launch<Chosen::kCells, kTeams<Real>>(
          exec, Shaped::kLabel, static_cast<int>(tiles.league()), Shaped::scratch_bytes(), kernel);
    });
  }

  template <class Value>
  [[nodiscard]] Plan plan_of(const Region& region, const MachineLimits& machine) const {
    return thin(region.box) ? plan_with<Value, Thin>(region, machine)
                            : plan_with<Value, Threads>(region, machine);
  }

  template <class Value, class Chosen>
  [[nodiscard]] Plan plan_with(const Region& region, const MachineLimits& machine) const {
    Plan p;
    p.aligned_tiles = machine.on_device();
    p.launch = machine.on_device() ? Launch::native : Launch::teams;
    p.team = machine.on_device() ? Chosen::kCells : 1;
    count_streaming<Tile<V * Chosen::kNx, Chosen::kNy>>(p, pml_share(region));
    with_update(region.update, [&](auto update) {
      using Shaped = Kernel<Value, Chosen, V, update(), Value>;
      const Tiling tiles = tiling<Chosen>(region.box, wave<Value, Shaped, Chosen>(machine));
      p.league = tiles.league();
      p.tile[0] = tiles.nx, p.tile[1] = tiles.ny, p.tile[2] = tiles.nz;
      p.planes_per_thread = tiles.nz;
      p.scratch_bytes = static_cast<std::int64_t>(Shaped::scratch_bytes(machine.kind));
      p.walk.bound_threads = kTeams<Value> > 1 ? kTeams<Value> * Chosen::kCells : 0;
      p.walk.width = V;
      p.walk.scratch_pitch = V * Chosen::kNx + 2 * kR;
      Shaped::count(p);
    });
    refuse_scratch_beyond(p, machine.native_scratch_bytes, machine.kind);
    return p;
  }
};

/// Offers VectorLauncher with Tx x Ty threads in every precision that is built.
template <template <class, class, int, Update, class> class Kernel, int V, int Tx, int Ty,
          class Kernels = void>
void offer_vectors(AcousticVariant& variant, Streams streams, const char* note = "") {
  const std::string text = extents_text({V * Tx, Ty}) + parameter_text("v", V, 1) +
                           parameter_text("chunk", streams.chunk) + (streams.paced ? ",paced" : "");
  constexpr RunsOn kRunsOn = VectorLauncher<Kernel, float, Tile<Tx, Ty>, V>::kRunsOn;
  variant.offer({text, Origin::ours, note, kRunsOn}, [streams](auto real) {
    return VectorLauncher<Kernel, decltype(real), Tile<Tx, Ty>, V>{streams};
  });
  if constexpr (!std::is_void_v<Kernels>) {
    variant.offer_stored(text, VectorLauncher<Kernel, float, Tile<Tx, Ty>, V>{streams}, Kernels{});
  }
}

}  // namespace tessera::acoustic
