// SPDX-License-Identifier: Apache-2.0
#include "base/grid/domain.hpp"

namespace tessera {

std::vector<Region> cut(const std::vector<Region>& regions, const Box& box) {
  std::vector<Region> parts;
  for (Region region : regions) {
    region.box = intersect(region.box, box);
    region.hole = intersect(region.hole, box);
    if (region.hole.empty()) region.hole = {};
    if (region.box.empty()) continue;
    if (region.update == Update::shell && intersect(region.box, region.hole) == region.box) {
      continue;
    }
    parts.push_back(region);
  }
  return parts;
}

std::vector<Region> cut(const std::vector<Region>& regions, const Domain& domain) {
  std::vector<Region> parts = cut(regions, domain.box);
  for (Region& part : parts) {
    part.box = domain.local(part.box);
    if (!part.hole.empty()) part.hole = domain.local(part.hole);
  }
  return parts;
}

std::vector<Box> shell_of(const Box& outer, const Box& core) {
  const Box slabs[] = {{outer.z0, core.z0, outer.y0, outer.y1, outer.x0, outer.x1},
                       {core.z1, outer.z1, outer.y0, outer.y1, outer.x0, outer.x1},
                       {core.z0, core.z1, outer.y0, core.y0, outer.x0, outer.x1},
                       {core.z0, core.z1, core.y1, outer.y1, outer.x0, outer.x1},
                       {core.z0, core.z1, core.y0, core.y1, outer.x0, core.x0},
                       {core.z0, core.z1, core.y0, core.y1, core.x1, outer.x1}};
  std::vector<Box> boxes;
  for (const Box& slab : slabs) {
    if (!slab.empty()) boxes.push_back(slab);
  }
  return boxes;
}

}  // namespace tessera
