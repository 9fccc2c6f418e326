// SPDX-License-Identifier: Apache-2.0
// The tiles of jacobi/warps: strips of rows, a warp each.
#pragma once

#include "base/device/lanes.hpp"
#include "base/registry/configuration_text.hpp"

#include <string>

namespace tessera::jacobi {

/// Strips of `rows` rows, a warp each, `steps` time steps a pass in `stages` stages: where a
/// barrier a step costs more than what stages take, each step is a stage.
struct WarpStrips {
  int rows = 1;
  int warps = 1;
  int steps = 1;
  int stages = 1;
  int box_teams = 0;  ///< of one warp, where the stencil is a box; 0: as of any stencil

  /// Cells along x that a thread owns.
  [[nodiscard]] constexpr int vector() const { return warps == 1 ? 4 : 2; }
  [[nodiscard]] constexpr int nx() const { return kRowLanes * vector(); }
  [[nodiscard]] constexpr int ny() const { return rows * warps; }
  /// A multiprocessor's registers hold 8 warps of 255, or 16 of 128: in two dimensions those that
  /// hold few sums are 16. Sums of a box need fewer registers than those of a star.
  [[nodiscard]] constexpr int min_teams(int radius, int points) const {
    if (warps > 1) return 1;
    if (box_teams > 0 && points > 4 * radius + 1) return box_teams;
    return radius * steps <= 4 ? 16 : 8;
  }
  /// "64x32,t=3"
  [[nodiscard]] std::string text() const {
    return extents_text({nx(), ny()}) + parameter_text("t", steps);
  }
};

/// WarpStrips as kernels use them: a thread owns kVector neighbouring cells in each of kRows rows.
template <WarpStrips kStrips>
struct WarpTile {
  static constexpr int kVector = kStrips.vector(), kRows = kStrips.rows, kWarps = kStrips.warps;
  static constexpr int kThreads = kRowLanes * kWarps;
  static constexpr int kNx = kStrips.nx(), kNy = kStrips.ny();
};

}  // namespace tessera::jacobi
