// SPDX-License-Identifier: Apache-2.0
// A step of one of several ranks: what reads no other rank's cells runs while halos are on their
// way.
//
//   start exchange | core: all but what lies beside cuts
//                  | exchange | edges                     on an instance that devices prefer
//
// A device begins the edges as soon as the halo is there, between the teams of the core; on a host
// they follow it. Core and edges write cells of their own and read what neither writes.
#pragma once

#include "base/comm/halo.hpp"
#include "base/grid/domain.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace tessera {

/// The regions of a rank, whole, and cut in two.
struct RankRegions {
  std::vector<Region> all;
  std::vector<Region> core;   ///< read this rank's cells only
  std::vector<Region> edges;  ///< the rest; empty on one rank
};

/// Cuts the regions of a rank with cells `n`. Edges are `width` cells thick, as many as the stencil
/// reads; along x whole lines of elements of `value_bytes` bytes.
[[nodiscard]] RankRegions split(std::vector<Region> all, const comm::RankGrid& grid, int rank,
                                const Extents& n, int width, int value_bytes);

/// One step by `launch(exec, regions)`, complete on `exec`; `halo` is null on one rank.
/// `arrived(exec)` enqueues what is to be done with a halo before any cell reads it.
template <class Real, class Launch, class Arrived>
void step_beside_exchange(const ExecSpace& exec, comm::HaloExchange<Real>* halo, bool overlap,
                          const Field<Real>& read, const RankRegions& regions, const Launch& launch,
                          const Arrived& arrived) {
  if (halo == nullptr) return launch(exec, regions.all);
  halo->start(exec, read);
  if (!overlap) {
    halo->finish(exec);
    arrived(exec);
    return launch(exec, regions.all);
  }
  launch(exec, regions.core);
  const ExecSpace& urgent = halo->arrive();
  arrived(urgent);
  launch(urgent, regions.edges);
  halo->join(exec);
}

/// The same by `step(exec, region)` for one region after the other.
template <class Real, class Step>
void step_beside_exchange(const ExecSpace& exec, comm::HaloExchange<Real>* halo, bool overlap,
                          const Field<Real>& read, const RankRegions& regions, const Step& step) {
  const auto launch = [&](const ExecSpace& on, const std::vector<Region>& all) {
    for (const Region& region : all) step(on, region);
  };
  step_beside_exchange(exec, halo, overlap, read, regions, launch, [](const ExecSpace&) {});
}

/// A ragged grid for verification, `base` or larger: every rank gets more than `width` cells along
/// the axes that parallel.ranks cuts, or along the slowest one.
[[nodiscard]] inline Extents ragged_for(const comm::Parallel& parallel, Extents base, int width) {
  const bool flat = base.nz == 1;
  const int ranks = parallel.ranks.size();
  const std::array<int, 3> slabs{1, flat ? ranks : 1, flat ? 1 : ranks};
  const std::array<int, 3> parts = parallel.options.parts.value_or(slabs);
  const auto grow = [&](int& cells, int along, int more) {
    if (along > 1) cells = std::max(cells, along * (width + 1) + more);
  };
  grow(base.nx, parts[0], 3);
  grow(base.ny, parts[1], 2);
  grow(base.nz, parts[2], 1);
  return base;
}

}  // namespace tessera
