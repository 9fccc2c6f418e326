// SPDX-License-Identifier: Apache-2.0
// jacobi/skewed: time skewing in a pipelined wavefront of threads, on hosts.
//
// Formula:  u+(c) = sum_j w_j u(c + d_j), t times (variants/jacobi/formula.hpp).
//
//   for each skewed tile of the plane, in a chain of threads     # tile i + 1 a round behind tile i
//     for each round of k planes that enter the queue of step 0, in transposed rows
//       for each time step l = 1 ... t                           # R planes behind step l - 1
//         for each block of rows: k planes x j rows, in vector registers
//           make it from the queue of step l - 1 in place of what is no longer read
//         (the last step's planes go to memory; a tile's last 2R cells to the next tile)
//
// Memory:   a queue of planes a thread, in L2 or in a share of L3
//           (variants/jacobi/skewed/stream.hpp).
// Sources:  skewed tiles: McCalpin and Wonnacott 1999; pipelined wavefront: Wellein et al. 2009;
//           transposed rows: Henretty et al. 2011; planes made in place: Kowarschik et al. 2000.
// Minimal:  2 / t elements a cell and step.
// Loses:    on grids of fewer tiles than threads.
#include "variants/jacobi/kernels/variant.hpp"
#include "variants/jacobi/skewed/instance.hpp"

#include <fmt/core.h>

namespace tessera {
namespace {

using namespace jacobi;

/// `steps` time steps a pass in a tile.
void offer(auto&& variant, const RowTile& tile, int steps) {
  variant.offer(
      {tile.text() + fmt::format(",t={}", steps), Origin::ours, "host", RunsOn::hosts},
      [=](auto stencil, auto real) {
        if constexpr (kOnDevice) {
          return Unsupported{"its blocks follow a host's vectors, which this binary does not know"};
        } else {
          return SkewedInstance<decltype(stencil), decltype(real)>{tile, steps};
        }
      });
}

}  // namespace

void register_jacobi_skewed(Registry& registry) {
  auto v = std::make_unique<JacobiVariant>(VariantFacts{
      .name = "skewed",
      .summary = "time-skewed tiles, threads in a pipeline",
      .source = "McCalpin and Wonnacott 1999; Wellein et al. 2009; Henretty et al. 2011",
      .memory = "a queue of planes a thread in L2 or L3, sums of blocks of rows in registers",
      .loses = "on grids of fewer tiles than threads; on devices",
      .launch = "threads follow each other from tile to tile: one team each, all at once",
      .tags = {"temporal", "scratch", "registers", "host only"},
  });
  for (int i = 0; i < kPlannedTileCount; ++i) {
    for (const int steps : planned_tile(i).steps) {
      if (steps == 0) continue;
      if (has_kernels(i)) {
        offer(*v, planned_tile(i).tile, steps);
      } else {
        offer(beyond_few(*v), planned_tile(i).tile, steps);
      }
    }
  }
  registry.add(std::move(v));
}

}  // namespace tessera
