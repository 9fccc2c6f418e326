// SPDX-License-Identifier: Apache-2.0
// Plan and launch of the streams in skewed tiles, on hosts: a resident league whose threads follow
// each other from tile to tile.
#pragma once

#include "device/native_launch.hpp"
#include "device/scratch_limit.hpp"
#include "kernels/jacobi/variant.hpp"
#include "variants/jacobi/skewed/tiles.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>

namespace tessera::jacobi {

/// Launches Kernel{fields, tiles, levels, edges, chain}.
///
/// The kernel says, as static members, what only it knows: kTile, the largest it can have;
/// kR and kRy; kKs, planes of a round; kGrainX and kGrainY, a tile's width and height are multiples
/// of them, kLeastX and kLeastY: and at least these; scratch_bytes(levels); edge_elements(tiles,
/// ns, levels), of memory that `edges` shall point to; label(); count(plan, redundant), the traffic
/// of scratch.
template <class Kernel, class Real>
struct SkewedLauncher {
  static constexpr int kR = Kernel::kR, kRy = Kernel::kRy;

  int depth = 1;  ///< steps a pass

  [[nodiscard]] Plan plan(const Extents& n) const {
    Plan p;
    p.scratch_bytes = static_cast<std::int64_t>(Kernel::scratch_bytes(depth));
    if (std::string why = scratch_shortage(p.scratch_bytes, max_native_scratch_bytes());
        !why.empty()) {
      return unsupported(std::move(why));
    }
    const SkewedTiles tiles = tiles_of(n, depth);
    p.team = 1;
    p.league = tiles.league();
    p.temporal_depth = depth;
    const int nx = tiles.x.tile, ny = tiles.y.tile;
    p.tile[0] = nx, p.tile[1] = ny, p.tile[2] = n.nz;
    // What a pass loads: each tile with what leads it, and a share's lead. The edges of its time
    // steps but the last are loaded and stored, too.
    const double cells = double(nx) * ny;
    const double tile_cells = double(nx + (tiles.x.cyclic ? 0 : 2 * kR)) * (ny + 2 * kRy);
    const double stored = double(n.ny) * n.nx / tiles.count();
    const double share = tiles.share(n.nz);
    const double edges = (tiles.x.count() > 1 ? 2.0 * kR / nx : 0) +  //
                         (tiles.y.count() > 1 ? 2.0 * kRy / ny : 0);
    p.halo_cells = static_cast<std::int64_t>(tile_cells - cells);
    p.loads = tile_cells / stored / depth * (share + 2 * depth * kR) / share;
    p.stores = 1.0 / depth;
    p.loads += edges * (depth - 1) / depth;
    p.stores += edges * (depth - 1) / depth;
    p.valid_share = stored / cells;
    if (tiles.groups > 1) p.valid_share *= share / (share + (depth - 1) * kR);
    Kernel::count(p, 1 / p.valid_share);
    return p;
  }

  int step(const ExecSpace& exec, const Fields<Real>& f, int left,
           const Resident<Real>& resident) const {
    const int levels = std::min(left, depth);
    const Extents n{f.ns, f.ny, f.nx};
    const SkewedTiles tiles = tiles_of(n, levels);
    resident.chain.reset(exec);
    persistent_launch<1>(exec, Kernel::label(), tiles.league(), Kernel::scratch_bytes(levels),
                         Kernel{f, tiles, levels, resident.exchange, resident.chain.counters()});
    return levels;
  }

  [[nodiscard]] std::int64_t exchange_elements(const Extents& n) const {
    std::int64_t most = 0;
    for (int levels = 1; levels <= depth; ++levels) {
      most = std::max(most, Kernel::edge_elements(tiles_of(n, levels), n.nz, levels));
    }
    return most;
  }

 private:
  [[nodiscard]] static SkewedTiles tiles_of(const Extents& n, int levels) {
    return skewed_tiles<Kernel>(n, levels, multiprocessors());
  }
};

}  // namespace tessera::jacobi
