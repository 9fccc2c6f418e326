// SPDX-License-Identifier: Apache-2.0
// The configurations that the stages of EBISU's ladder offer: tiles and time steps a pass.
#pragma once

#include "variants/jacobi/kernels/launcher.hpp"
#include "variants/jacobi/kernels/queue_stream.hpp"
#include "variants/jacobi/kernels/variant.hpp"

#include <fmt/core.h>

#include <string>

namespace tessera::jacobi {

/// The tiles of the ladder: 256 threads, four cells each (EBISU 6.1 and Table 1). In two dimensions
/// these are four rows of 256 cells.
inline constexpr TileShape kLadderTile2d{.nx = 256, .ny = 1, .own = 4, .planes = 4};
inline constexpr TileShape kHostLadderTile2d{.nx = 1024, .ny = 1, .own = 4, .planes = 4};
inline constexpr TileShape kLadderTile3d{.nx = 32, .ny = 32, .own = 4};
inline constexpr TileShape kHostLadderTile3d{.nx = 128, .ny = 32, .own = 4};

/// Whether a paper has such a depth with the ladder's tiles: EBISU's Table 3, and its text (t = 7
/// and 15 in two dimensions, 3 and 8 in three).
[[nodiscard]] constexpr bool is_papers_depth(int dims, int steps) {
  if (dims == 2) return steps == 4 || (steps >= 6 && steps <= 8) || steps == 12 || steps == 15;
  return steps == 3 || steps == 5 || steps == 6 || steps == 8;
}

/// Offers a multi-queue stream in `steps` time steps a pass for stencils of the tile's dimensions.
template <class Label, QueuePolicy kPolicy, TileShape kTile, RunsOn kRuns = RunsOn::any>
void offer_queue(auto&& variant, int steps, const char* note = "", DeviceTile device_tile = {}) {
  const std::string text = kTile.text(steps) + device_tile.text();
  constexpr bool kPapersTile =
      kRuns == RunsOn::devices && kTile.nx * kTile.ny * kTile.planes == 1024 && kTile.own == 4;
  const bool papers = kPapersTile && is_papers_depth(kTile.dims(), steps);
  variant.offer(
      {text, papers ? Origin::paper : Origin::ours, note, kRuns}, [=](auto stencil, auto real) {
        using StencilType = decltype(stencil);
        using Real = decltype(real);
        if constexpr (StencilType::kDims == kTile.dims()) {
          using Kernel = MultiQueueKernel<Label, StencilType, Real, SharedTile<kTile>, kPolicy>;
          return StreamLauncher<Kernel, Real, kRuns>{steps, device_tile};
        } else {
          return Unsupported{fmt::format("a tile for stencils of {} dimensions", kTile.dims())};
        }
      });
}

/// The configurations of a stage: Table 1's SM tiling in two dimensions, device tiling in three.
template <class Label, QueuePolicy kPolicy2d, QueuePolicy kPolicy3d>
void offer_ladder(JacobiVariant& variant) {
  const auto offer_2d = [](auto&& to, int steps) {
    offer_queue<Label, kPolicy2d, kLadderTile2d, RunsOn::devices>(to, steps);
    offer_queue<Label, kPolicy2d, kHostLadderTile2d, RunsOn::hosts>(to, steps);
  };
  const auto offer_3d = [](auto&& to, int steps, const char* note = "device tile",
                           DeviceTile tile = {}) {
    offer_queue<Label, kPolicy3d, kLadderTile3d, RunsOn::devices>(to, steps, note, tile);
    if (tile.teams_x > 0) return;  // the paper's, of a device
    offer_queue<Label, kPolicy3d, kHostLadderTile3d, RunsOn::hosts>(to, steps, note);
  };
  offer_2d(variant, 2);
  offer_2d(variant, 4);
  offer_3d(variant, 2);
  offer_3d(variant, 4);
  auto&& more = beyond_few(variant);
  offer_2d(more, 6);
  offer_2d(more, 7);
  offer_2d(more, 12);
  offer_3d(more, 6);
  offer_3d(more, 4, "the paper's device tile", {.teams_y = 9, .teams_x = 12});
}

}  // namespace tessera::jacobi
