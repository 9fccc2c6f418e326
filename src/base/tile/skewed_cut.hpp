// SPDX-License-Identifier: Apache-2.0
// Skewed tiles: how a kernel of hosts that blocks in time cuts an axis without computing anything
// twice, and in which order threads make the tiles.
//
// Each time step's cells of a tile lie a stencil's radius further left than those of the step
// before (McCalpin and Wonnacott, "Time skewing: a value-based approach to optimizing for memory
// locality", 1999): all that a tile needs of others has been made by those on its left. Threads
// make tiles in turn, in one chain: tile i + 1 is streamed a round behind tile i, so that no thread
// repeats what another has made (the pipelined wavefront of Wellein, Hager, Zeiser, Wittmann and
// Fehske, "Efficient temporal blocking for stencil computations by multicore-aware wavefront
// parallelization", 2009).
#pragma once

#include "base/device/team_chain.hpp"

#include <algorithm>

namespace tessera {

/// One axis of n cells in skewed tiles of `tile` cells, which have moved to the left by `skew`
/// cells after the last time step.
struct SkewedCut {
  int n = 1, tile = 1, skew = 0;
  bool periodic = false;  ///< one tile, with the fixed cells beside the grid: its rows wrap around

  [[nodiscard]] int count() const { return periodic ? 1 : (n + skew + tile - 1) / tile; }
  /// First cell of tile i in its last time step; may lie before the grid.
  [[nodiscard]] int first(int i) const { return i * tile - skew; }
  /// The cells that tile i stores: [begin, end), perhaps none; or those of a time step whose tiles
  /// lie `ahead` cells further right.
  [[nodiscard]] int begin(int i, int ahead = 0) const {
    return periodic ? 0 : std::clamp(first(i) + ahead, 0, n);
  }
  [[nodiscard]] int end(int i, int ahead = 0) const {
    return periodic ? n : std::clamp(first(i + 1) + ahead, 0, n);
  }
  /// Where cell x, updated or fixed, lies in a row whose first cell is x0. It is not in the row
  /// where that is less than 0 or not less than `tile`.
  [[nodiscard]] int place(int x, int x0) const {
    const int at = x - x0;
    return periodic && at >= tile ? at % tile : at;
  }
};

/// n cells in about `tiles` skewed tiles, no more, that move by at least `skew` cells: as narrow as
/// they then can be, in multiples of `grain` and at least `least`. What a tile stores begins at a
/// multiple of `grain`.
[[nodiscard]] inline SkewedCut skewed(int n, int tiles, int skew, int grain, int least) {
  const auto whole = [grain](int cells) { return (cells + grain - 1) / grain * grain; };
  skew = whole(skew);
  return {n, whole(std::max((n + skew + tiles - 1) / tiles, least)), skew};
}

/// n cells and `fixed` ones on each side in one tile whose rows are periodic, and begin with the
/// first fixed one before the first of `steps` time steps, in each of which they move by `fixed`
/// cells.
[[nodiscard]] inline SkewedCut periodic(int n, int steps, int fixed, int grain, int least) {
  const int tile = std::max((n + 2 * fixed + grain - 1) / grain * grain, least);
  return {n, tile, (steps + 1) * fixed, true};
}

/// The fewest tiles of at most `tile` cells that skewed() can make.
[[nodiscard]] inline int fewest_tiles(int n, int tile, int skew, int grain) {
  const int widest = tile / grain * grain;
  return (n + (skew + grain - 1) / grain * grain + widest - 1) / widest;
}

/// For team `link` of a chain of `teams`, the first of which is team `first` of the league: calls
/// stream(i, wait, finish) for each of its tiles, of `tiles` in all, dealt out in turn. The stream
/// makes `rounds` rounds, and calls wait() before each of them and finish() after it: tile i - 1,
/// of the team before, is then a round ahead at least.
template <class Stream>
void for_each_tile_in_chain(const TeamChain::Counters& chain, int first, int teams, int link,
                            int tiles, int rounds, const Stream& stream) {
  for (int i = link, turn = 0; i < tiles; i += teams, ++turn) {
    // The tile before is the same turn of the team before, and the first team's the last one of
    // the turn before.
    const int before = first + (link > 0 ? link : teams) - 1;
    const int done = (link > 0 ? turn : turn - 1) * rounds;
    int round = 0;
    stream(
        i, [&] { chain.wait(before, done + ++round); }, [&] { chain.finish(first + link); });
  }
}

}  // namespace tessera
