// SPDX-License-Identifier: Apache-2.0
// The configurations that the stages of EBISU's ladder offer: tiles and depths of the multi-queue.
#pragma once

#include "kernels/jacobi/queue.hpp"

#include <fmt/core.h>

#include <string>
#include <type_traits>

namespace tessera::jacobi {

/// The tiles of the ladder: 256 threads, four cells each (EBISU 6.1). In two dimensions the paper's
/// four rows of 256 cells are one of 1024 here: the same parallelism, and less of it lost at cuts.
using LadderTile2d = SharedTile<1024, 1, kOnDevice ? 256 : 1>;
using LadderTile3d = std::conditional_t<kOnDevice, SharedTile<32, 32, 256>, SharedTile<128, 32, 1>>;

/// Offers a stage of the ladder in `depth` steps a pass for stencils of TileType's dimensions.
template <class Policy, class TileType>
void offer_queue(JacobiVariant& variant, const Configuration& configuration, int depth,
                 DeviceTile device_tile = {}) {
  constexpr int kDims = TileType::kNy == 1 ? 2 : 3;
  variant.offer(configuration, [=](auto stencil, auto real) {
    using StencilType = decltype(stencil);
    using Real = decltype(real);
    if constexpr (StencilType::kDims == kDims) {
      return StreamLauncher<QueueKernel<StencilType, Real, TileType, Policy>, Real>{depth,
                                                                                    device_tile};
    } else {
      return Unsupported{fmt::format("a tile for stencils of {} dimensions", kDims)};
    }
  });
}

/// The configurations of a stage: Table 1's SM tiling in two dimensions, device tiling in three.
template <class Policy2d, class Policy3d>
void offer_ladder(JacobiVariant& variant) {
  const std::string tile = kOnDevice ? "32x32" : "128x32";
  const auto offer_2d = [&](int depth) {
    offer_queue<Policy2d, LadderTile2d>(
        variant, {fmt::format("1024x1,t={}", depth), Origin::paper, "256 x 4 threads x cells"},
        depth);
  };
  const auto offer_3d = [&](int depth) {
    offer_queue<Policy3d, LadderTile3d>(
        variant, {fmt::format("{},t={}", tile, depth), Origin::paper, "device tile"}, depth);
  };
  offer_2d(2);
  offer_2d(4);
  offer_3d(2);
  offer_3d(4);
  if constexpr (!kFewConfigurations) {
    offer_2d(7);
    offer_2d(12);
    offer_3d(6);
    offer_queue<Policy3d, LadderTile3d>(
        variant, {tile + ",t=4,teams=12x9", Origin::paper, "the paper's device tile"}, 4, {9, 12});
  }
}

}  // namespace tessera::jacobi
