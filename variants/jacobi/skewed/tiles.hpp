// SPDX-License-Identifier: Apache-2.0
// Skewed tiles of a plane (tile/skewed_cut.hpp), and which thread makes which of them.
//
// Each time step's cells of a tile lie R cells further left, and in three dimensions R rows further
// up, than those of the step before. All that a tile needs of others are then the last 2R columns
// and rows, of each step, of those that are made before it. Where there are more threads than
// tiles, groups of them share the planes, each a chain of its own; what lies between their shares
// is computed by both.
//
// Where one tile holds whole rows they are periodic: what moves out on the left of the grid comes
// in again on its right, so that no step computes more than another, and nothing is left for
// others.
#pragma once

#include "base/tile/skewed_cut.hpp"
#include "variants/jacobi/kernels/tiles.hpp"

#include <algorithm>
#include <cstdint>

namespace tessera::jacobi {

/// The tiles of a plane, and who makes them: `groups` of `teams` threads each.
struct SkewedTiles {
  SkewedCut y, x;
  int teams = 1, groups = 1;

  [[nodiscard]] int count() const { return y.count() * x.count(); }
  [[nodiscard]] int league() const { return teams * groups; }
  /// Tile i of the chain: those above each other follow each other.
  [[nodiscard]] PlanePlace place(int i) const {
    const int iy = i % y.count();
    const int ix = i / y.count();
    return {y.first(iy), x.first(ix), y.begin(iy), y.end(iy), x.begin(ix), x.end(ix)};
  }
  /// First plane of a group's share of ns.
  [[nodiscard]] int share_begin(int ns, int group) const {
    return static_cast<int>(std::int64_t{ns} * group / groups);
  }
  /// Planes of the largest share.
  [[nodiscard]] int share(int ns) const { return (ns + groups - 1) / groups; }
};

/// What a kernel allows of its tiles, in cells and rows.
struct TileLimits {
  int nx = 0, ny = 1;            ///< at most
  int least_x = 1, least_y = 1;  ///< and at least
  int grain_x = 1, grain_y = 1;  ///< in multiples of these
  int radius = 1, radius_y = 0;  ///< of the stencil
  int round = 1;                 ///< planes of a round
};

/// The tiles of a plane of a grid n, for `steps` time steps a pass and `threads` threads: the
/// fewest that the limits allow, and along the axis whose tiles follow each other (x in two
/// dimensions) as many more as keep all threads busy.
[[nodiscard]] inline SkewedTiles skewed_tiles(const Extents& n, const TileLimits& limits, int steps,
                                              int threads) {
  const int r = limits.radius, ry = limits.radius_y;
  const auto cut_y = [&](int tiles) {
    return skewed(n.ny, tiles, steps * ry, limits.grain_y, limits.least_y);
  };
  const SkewedCut whole = periodic(n.nx, steps, r, limits.grain_x, limits.least_x);
  const bool fits = whole.tile <= limits.nx;
  const auto cut_x = [&](int tiles) {
    if (fits && tiles == 1) return whole;
    return skewed(n.nx, tiles, steps * r, limits.grain_x, limits.least_x);
  };
  const int fewest_y = fewest_tiles(n.ny, limits.ny, steps * ry, limits.grain_y);
  const int fewest_x = fits ? 1 : fewest_tiles(n.nx, limits.nx, steps * r, limits.grain_x);
  SkewedTiles best;
  double least_time = 0;
  for (int more = 0; more < threads; ++more) {
    SkewedTiles tiles{cut_y(fewest_y + (ry > 0 ? more : 0)), cut_x(fewest_x + (ry > 0 ? 0 : more))};
    tiles.groups = std::clamp(threads / tiles.count(), 1, n.nz);
    tiles.teams = std::min(threads / tiles.groups, tiles.count());
    // Rounds of a thread, with what the stream makes before its share and what the chain's last
    // thread waits for, each of a tile and its halo.
    const int turns = (tiles.count() + tiles.teams - 1) / tiles.teams;
    const double planes = double(turns) * (tiles.share(n.nz) + 2 * steps * r) +
                          double(tiles.teams - 1) * limits.round;
    const double time = planes * (tiles.y.tile + 2 * ry) * (tiles.x.tile + 2 * r);
    if (more == 0 || time < least_time) {
      best = tiles;
      least_time = time;
    }
  }
  return best;
}

}  // namespace tessera::jacobi
