// SPDX-License-Identifier: Apache-2.0
#include "base/case/rank_regions.hpp"

#include <utility>

namespace tessera {

RankRegions split(std::vector<Region> all, const comm::RankGrid& grid, int rank, const Extents& n,
                  int width, int value_bytes) {
  const auto edge = [&](int dz, int dy, int dx, int thick) {
    return grid.neighbour(rank, dz, dy, dx) >= 0 ? thick : 0;
  };
  const int line = std::max(width, kLineBytes / value_bytes);
  const Box core{edge(-1, 0, 0, width), n.nz - edge(1, 0, 0, width),
                 edge(0, -1, 0, width), n.ny - edge(0, 1, 0, width),
                 edge(0, 0, -1, line),  n.nx - edge(0, 0, 1, line)};
  RankRegions regions{std::move(all), {}, {}};
  if (core.empty()) {
    regions.edges = regions.all;
    return regions;
  }
  regions.core = cut(regions.all, core);
  for (const Box& box : shell_of(whole(n), core)) {
    for (const Region& part : cut(regions.all, box)) regions.edges.push_back(part);
  }
  return regions;
}

}  // namespace tessera
