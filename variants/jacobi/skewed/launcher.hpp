// SPDX-License-Identifier: Apache-2.0
// Plan and launch of the streams in skewed tiles, on hosts: a resident league whose threads follow
// each other from tile to tile.
#pragma once

#include "base/device/native_launch.hpp"
#include "base/registry/scratch_refusal.hpp"
#include "variants/jacobi/kernels/variant.hpp"
#include "variants/jacobi/skewed/row_tile.hpp"
#include "variants/jacobi/skewed/tiles.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tessera::jacobi {

/// What a kernel offers its launcher. It is made of the fields, its tile, the tiles of the grid,
/// the time steps a pass, memory for the halo exchange and the counters of the chain.
template <class Kernel, class Real>
concept SkewedKernel = std::invocable<const Kernel&, const NativeTeam&> &&
    requires(const Fields<Real>& fields, const RowTile& tile, const SkewedTiles& tiles, int steps,
             int planes, Real* exchange, TeamChain::Counters chain, Plan& plan, double redundant) {
  Kernel{fields, tile, tiles, steps, exchange, chain};
  { Kernel::label() } -> std::convertible_to<const char*>;
  { Kernel::limits(tile) } -> std::same_as<TileLimits>;
  { Kernel::scratch_bytes(tile, steps) } -> std::convertible_to<std::size_t>;
  /// Elements of `exchange`, for streams of so many planes.
  { Kernel::exchange_elements(tile, tiles, steps, planes) } -> std::same_as<std::int64_t>;
  /// Adds the traffic of scratch, `redundant` being cells computed for each one stored.
  Kernel::count(plan, redundant);
};

template <class Kernel, class Real>
requires SkewedKernel<Kernel, Real>
struct SkewedLauncher {
  RowTile tile;   ///< the largest that the kernel can have
  int steps = 1;  ///< time steps a pass

  [[nodiscard]] Plan plan(const Extents& n, const MachineLimits& machine) const {
    Plan p;
    p.scratch_bytes = static_cast<std::int64_t>(Kernel::scratch_bytes(tile, steps));
    refuse_scratch_beyond(p, machine.native_scratch_bytes, machine.kind);
    if (!p.supported()) return p;
    const SkewedTiles tiles = tiles_of(n, steps, machine.units);
    const TileLimits limits = Kernel::limits(tile);
    const int radius = limits.radius, radius_y = limits.radius_y;
    p.launch = Launch::resident;
    p.team = 1;
    p.league = tiles.league();
    p.temporal_depth = steps;
    const int nx = tiles.x.tile, ny = tiles.y.tile;
    p.tile[0] = nx, p.tile[1] = ny, p.tile[2] = n.nz;
    // What a pass loads: each tile with its halo, and the planes before a share. The halos of its
    // time steps but the last are exchanged: loaded and stored.
    const double cells = double(nx) * ny;
    const double tile_cells =
        double(nx + (tiles.x.periodic ? 0 : 2 * radius)) * (ny + 2 * radius_y);
    const double stored = double(n.ny) * n.nx / tiles.count();
    const double share = tiles.share(n.nz);
    const double exchanged = (tiles.x.count() > 1 ? 2.0 * radius / nx : 0) +  //
                             (tiles.y.count() > 1 ? 2.0 * radius_y / ny : 0);
    p.halo_cells = static_cast<std::int64_t>(tile_cells - cells);
    p.loads = tile_cells / stored / steps * (share + 2 * steps * radius) / share;
    p.stores = 1.0 / steps;
    p.loads += exchanged * (steps - 1) / steps;
    p.stores += exchanged * (steps - 1) / steps;
    p.valid_share = stored / cells;
    if (tiles.groups > 1) p.valid_share *= share / (share + (steps - 1) * radius);
    Kernel::count(p, 1 / p.valid_share);
    return p;
  }

  int step(const ExecSpace& exec, const Fields<Real>& f, int left,
           const Resident<Real>& resident) const {
    const int now = std::min(left, steps);
    const SkewedTiles tiles = tiles_of({f.ns, f.ny, f.nx}, now, multiprocessors());
    resident.chain.reset(exec);
    persistent_launch<1>(exec, Kernel::label(), tiles.league(), Kernel::scratch_bytes(tile, now),
                         Kernel{f, tile, tiles, now, resident.exchange, resident.chain.counters()});
    return now;
  }

  [[nodiscard]] std::int64_t exchange_elements(const Extents& n) const {
    std::int64_t most = 0;
    for (int now = 1; now <= steps; ++now) {
      most = std::max(
          most, Kernel::exchange_elements(tile, tiles_of(n, now, multiprocessors()), now, n.nz));
    }
    return most;
  }

 private:
  [[nodiscard]] SkewedTiles tiles_of(const Extents& n, int steps_of_pass, int threads) const {
    return skewed_tiles(n, Kernel::limits(tile), steps_of_pass, threads);
  }
};

}  // namespace tessera::jacobi
