// SPDX-License-Identifier: Apache-2.0
// What one sweep moves, for the variants that make one step a launch and read every point through
// the cache.
#pragma once

#include "base/registry/plan.hpp"
#include "variants/jacobi/formula.hpp"

#include <utility>

namespace tessera::jacobi {

/// Adds the traffic to a plan whose tile is that of streamed() extents, and turns the tile back to
/// the grid's axes: in two dimensions the streamed axis is y.
template <class StencilType>
void describe_sweep(Plan& p) {
  constexpr int kR = StencilType::kR;
  p.loads = StencilType::kPoints;
  p.stores = 1;
  for (const Point& point : StencilType::points()) p.misaligned_loads += point.x != 0;
  ArrayUse read{"u", {kR, StencilType::kDims == 2 ? kR : StencilType::kRy, kR}, true, false};
  read.edges = !StencilType::kStar;
  if constexpr (StencilType::kDims == 2) {
    std::swap(p.tile[1], p.tile[2]);
    read.radius[2] = 0;
  }
  p.arrays = {read, {"u+", {0, 0, 0}, false, true}};
}

}  // namespace tessera::jacobi
