// SPDX-License-Identifier: Apache-2.0
// The tiles of jacobi/skewed, and which blocks of rows are made at a time in each.
#pragma once

#include "base/registry/registry.hpp"

#include <fmt/core.h>

#include <iterator>
#include <string>

namespace tessera::jacobi {

/// What of a tile its kernel knows at compile time: the register block.
struct RegisterBlock {
  int planes = 1, rows = 1;  ///< made at a time: so many rows in each of so many planes
  int nx = 0;                ///< of the tile, where rows of a plane are loaded together; else 0

  [[nodiscard]] constexpr bool operator==(const RegisterBlock&) const = default;
};

/// A tile of at most nx x ny cells of a plane, of which `rows` rows in each of `planes` planes are
/// made at a time.
struct RowTile {
  int nx = 0, ny = 1;
  int planes = 1, rows = 1;
  int radius = 0;  ///< of the stencils that it is for; 0: of all

  [[nodiscard]] constexpr bool operator==(const RowTile&) const = default;
  [[nodiscard]] constexpr int dims() const { return ny == 1 ? 2 : 3; }
  /// Tiles that differ in ny alone, or in two dimensions in nx alone, share a kernel.
  [[nodiscard]] constexpr RegisterBlock block() const {
    return {.planes = planes, .rows = rows, .nx = dims() == 3 ? nx : 0};
  }
  /// "416x24,k=2x2"
  [[nodiscard]] std::string text() const {
    return fmt::format("{}x{},k={}x{}", nx, ny, planes, rows);
  }
  /// Why a stencil cannot have it; empty where it can.
  template <class StencilType>
  [[nodiscard]] std::string unfit() const {
    if (StencilType::kDims != dims()) {
      return fmt::format("a tile for stencils of {} dimensions", dims());
    }
    if (radius != 0 && StencilType::kR != radius) {
      return fmt::format("a tile for stencils of radius {}", radius);
    }
    return "";
  }
  template <class StencilType>
  [[nodiscard]] constexpr bool fits() const {
    return StencilType::kDims == dims() && (radius == 0 || StencilType::kR == radius);
  }
};

/// A tile with the time steps a pass that it is offered in; 0: none.
struct OfferedTile {
  RowTile tile;
  int steps[2] = {0, 0};
};

/// Short rows where L2 holds the queue. A queue in a core's share of L3 pays just as well for
/// longer ones: whatever comes once a row is then rare, and so is the left halo of a tile. Blocks
/// of twice as many planes, which each plane enters L2 for half as often, pay in two dimensions,
/// and in three where a queue has as many planes of a step anyway.
inline constexpr OfferedTile kBlockedTiles[] = {
    {{.nx = 512, .planes = 4}, {24, 48}},
    {{.nx = 512, .planes = 8}, {24, 48}},
    {{.nx = 2048, .planes = 8}, {48}},
    {{.nx = 96, .ny = 24, .planes = 2, .rows = 2}, {6, 12}},
    {{.nx = 96, .ny = 24, .planes = 4, .rows = 2, .radius = 2}, {6}},
    {{.nx = 416, .ny = 24, .planes = 2, .rows = 2}, {12, 24}},
    {{.nx = 416, .ny = 24, .planes = 4, .rows = 2, .radius = 2}, {12}},
    {{.nx = 416, .ny = 48, .planes = 2, .rows = 2}, {6, 12}},
};
/// Builds with few configurations have no blocks: sanitizers take a quarter of an hour for them.
inline constexpr OfferedTile kSimpleTiles[] = {
    {{.nx = 512}, {8}},
    {{.nx = 144, .ny = 24}, {3}},
};
inline constexpr int kSimpleTileCount = kFewConfigurations ? std::size(kSimpleTiles) : 0;
inline constexpr int kBlockedTileCount = std::size(kBlockedTiles);
/// Tiles that plans are made of: the blocked ones, and in a build of few the simple ones behind.
inline constexpr int kPlannedTileCount = kBlockedTileCount + kSimpleTileCount;

[[nodiscard]] constexpr const OfferedTile& planned_tile(int i) {
  return i < kBlockedTileCount ? kBlockedTiles[i] : kSimpleTiles[i - kBlockedTileCount];
}
/// Whether this build has the kernels of such a tile.
[[nodiscard]] constexpr bool has_kernels(int i) {
  return !kFewConfigurations || i >= kBlockedTileCount;
}

}  // namespace tessera::jacobi
