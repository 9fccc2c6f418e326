// SPDX-License-Identifier: Apache-2.0
// The slabs of a grid that surround a box.
#pragma once

#include "base/grid/decomposition.hpp"

#include <vector>

namespace tessera {

/// The cells of a grid outside `box`, as `seven` cuts them: z slabs over all x and y, y slabs over
/// all x of what is left, x slabs of the rest. The inner formula holds in `inner`, of which a slab
/// may have all cells, none or some. Those without cells are left out.
[[nodiscard]] inline std::vector<Region> outer_slabs(const Extents& n, const Box& box,
                                                     const Box& inner) {
  const Box slabs[] = {{0, box.z0, 0, n.ny, 0, n.nx},
                       {box.z1, n.nz, 0, n.ny, 0, n.nx},
                       {box.z0, box.z1, 0, box.y0, 0, n.nx},
                       {box.z0, box.z1, box.y1, n.ny, 0, n.nx},
                       {box.z0, box.z1, box.y0, box.y1, 0, box.x0},
                       {box.z0, box.z1, box.y0, box.y1, box.x1, n.nx}};
  const std::string_view names[] = {"top", "bottom", "front", "back", "left", "right"};
  std::vector<Region> regions;
  for (int i = 0; i < 6; ++i) {
    if (slabs[i].empty()) continue;
    const Box common = intersect(slabs[i], inner);
    if (common == slabs[i]) {
      regions.push_back({names[i], Update::inner, slabs[i], {}});
    } else if (common.empty()) {
      regions.push_back({names[i], Update::pml, slabs[i], {}});
    } else {
      regions.push_back({names[i], Update::branched, slabs[i], inner});
    }
  }
  return regions;
}

}  // namespace tessera
