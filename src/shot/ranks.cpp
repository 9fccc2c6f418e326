// SPDX-License-Identifier: Apache-2.0
#include "shot/ranks.hpp"

#include "cases/acoustic/solver.hpp"
#include "support/error.hpp"

#include <algorithm>
#include <vector>

namespace tessera::acoustic {

comm::RankGrid rank_grid_of(const ShotCase& shot) {
  return shot.value_bytes() == 4 ? Solver<float>::rank_grid(shot.setup, shot.parallel)
                                 : Solver<double>::rank_grid(shot.setup, shot.parallel);
}

void require_fit_for_ranks(const ShotCase& shot) {
  if (shot.parallel.ranks.alone()) return;
  require(!shot.inner, "shot.operator: an operator of the inner region runs on one rank");
  require(!shot.checkpoint_every.wanted(),
          "shot.checkpoint_every: a shot on several ranks writes no checkpoints");
  const comm::RankGrid grid = rank_grid_of(shot);
  std::vector<Box> boxes;
  for (int rank = 0; rank < grid.size(); ++rank) boxes.push_back(grid.domain(rank).box);
  for (const Station& receiver : shot.receivers) {
    const Box cells = spread_of(shot, receiver).box();
    require(std::any_of(boxes.begin(), boxes.end(),
                        [&](const Box& box) { return intersect(cells, box) == cells; }),
            "the receiver at x = {:g}, y = {:g}, z = {:g} m lies between cells of several ranks: "
            "shot.interpolation = \"nearest\", or other parallel.ranks",
            receiver.at.x, receiver.at.y, receiver.at.z);
  }
}

}  // namespace tessera::acoustic
