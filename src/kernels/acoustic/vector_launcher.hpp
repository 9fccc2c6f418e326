// SPDX-License-Identifier: Apache-2.0
// Plan and launch of the acoustic variants whose threads own vectors of cells and stream along z.
#pragma once

#include "device/native_launch.hpp"
#include "device/scratch_limit.hpp"
#include "kernels/acoustic/streaming.hpp"
#include "kernels/acoustic/variant.hpp"
#include "registry/configuration_text.hpp"
#include "support/error.hpp"
#include "tile/tiling.hpp"

#include <concepts>
#include <cstddef>
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
  { Kernel::scratch_bytes() } -> std::convertible_to<std::size_t>;
  Kernel::count(plan);  // adds its scratch traffic a cell
};

/// Launches Kernel<Real, Threads, V, update>{fields, box, hole, tiling}, a team a tile of V x Tx by
/// Ty cells that is streamed along z by `chunk` planes (0: all of the region), with the scratch of
/// a native launch. Vectors (V > 1) are for devices, single cells (V = 1) for hosts.
template <template <class, class, int, Update> class Kernel, class Real, class Threads, int V>
requires VectorKernel<Kernel<Real, Threads, V, Update::inner>, Real>
struct VectorLauncher {
  int chunk;  // planes that a team streams
  static constexpr int kTeams =
      sizeof(Real) == 4 && Threads::kCells <= 512 ? 512 / Threads::kCells : 1;
  // 227 KiB, the most scratch of a team on any device, hold so many cells' values.
  static constexpr bool kFits = !kOnDevice || (V > 1 && sizeof(Real) * V * Threads::kCells <= 8192);

  /// On a region thinner than the tile along x the same threads take a tile of 32 cells.
  using Thin = std::conditional_t<kOnDevice, Tile<8, Threads::kCells / 8>, Threads>;
  [[nodiscard]] static bool thin(const Box& box) { return kOnDevice && box.nx() <= V * 8; }

  template <class Chosen>
  [[nodiscard]] Tiling tiling(Box box) const {
    const int start = V == 1 ? 1 : thin(box) ? kSector : kLine;
    box.x0 = box.x0 / start * start;
    return {box, V * Chosen::kNx, Chosen::kNy, chunk == 0 ? box.nz() : chunk};
  }

  [[nodiscard]] Plan plan(const Region& region, int bytes) const {
    return bytes == 4 ? plan_of<float>(region) : plan_of<double>(region);
  }

  void step(const ExecSpace& exec, const Fields<Real>& fields, const Region& region) const {
    if constexpr (kFits && (kOnDevice || V == 1)) {
      if (thin(region.box)) {
        launch<Thin>(exec, fields, region);
      } else {
        launch<Threads>(exec, fields, region);
      }
    }
  }

 private:
  template <class Chosen>
  void launch(const ExecSpace& exec, const Fields<Real>& fields, const Region& region) const {
    const Tiling tiles = tiling<Chosen>(region.box);
    with_update(region.update, [&](auto update) {
      using Shaped = Kernel<Real, Chosen, V, update()>;
      native_launch<Chosen::kCells, kTeams>(exec, Shaped::kLabel, static_cast<int>(tiles.league()),
                                            Shaped::scratch_bytes(),
                                            Shaped{fields, region.box, region.hole, tiles});
    });
  }

  template <class Value>
  [[nodiscard]] Plan plan_of(const Region& region) const {
    return thin(region.box) ? plan_with<Value, Thin>(region) : plan_with<Value, Threads>(region);
  }

  template <class Value, class Chosen>
  [[nodiscard]] Plan plan_with(const Region& region) const {
    if (kOnDevice && V == 1)
      return unsupported("a host tile: one cell a thread, over 1024 threads");
    if (!kOnDevice && V > 1) return unsupported("a device tile: vectors of cells a thread");
    Plan p;
    p.league = tiling<Chosen>(region.box).league();
    p.team = kOnDevice ? Chosen::kCells : 1;
    count_streaming<Tile<V * Chosen::kNx, Chosen::kNy>>(p, pml_share(region));
    p.tile[0] = V * Chosen::kNx, p.tile[1] = Chosen::kNy, p.tile[2] = tiling<Chosen>(region.box).nz;
    p.planes_per_thread = p.tile[2];
    with_update(region.update, [&](auto update) {
      using Shaped = Kernel<Value, Chosen, V, update()>;
      p.scratch_bytes = static_cast<std::int64_t>(Shaped::scratch_bytes());
      Shaped::count(p);
    });
    if (std::string why = scratch_shortage(p.scratch_bytes, max_native_scratch_bytes());
        !why.empty()) {
      return unsupported(std::move(why));
    }
    return p;
  }
};

/// Offers VectorLauncher with Tx x Ty threads in every precision that is built.
template <template <class, class, int, Update> class Kernel, int V, int Tx, int Ty>
void offer_vectors(AcousticVariant& variant, int chunk, const char* note = "") {
  const std::string text =
      extents_text({V * Tx, Ty}) + parameter_text("v", V, 1) + parameter_text("chunk", chunk);
  variant.offer({text, Origin::ours, note}, [chunk](auto real) {
    return VectorLauncher<Kernel, decltype(real), Tile<Tx, Ty>, V>{chunk};
  });
}

}  // namespace tessera::acoustic
