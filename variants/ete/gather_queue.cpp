// SPDX-License-Identifier: Apache-2.0
// ete/gather_queue: the traditional scheme: the plane in team scratch, columns in register queues
// (Fang V.A).
//
// Formula:  p+ = 2 sum_j c_j(v) p(x + dx_j) - p-  (stencils/ete/formula.hpp).
// Loop:     for each plane z of the stream:
//               load p at z + R of the own column, at z + m of the four columns m cells away
//               sum the points of plane z from scratch, those above and below from the queues
//               p+ = 2 sum - p-
//               each queue takes a value of plane z in and lets its last one go
// Queues:   own column      z-4 z-3 z-2 z-1 | z | z+1 z+2 z+3 (z+4)    8 values
//           column m away   z-m ... z-1     | z |         (z+m)        m values, see
//           gather_queue/column_queues.hpp: 12 a cell for 37 points, as the paper counts, 48 for 73
// Memory:   one plane with its halo in team scratch, two more on their way; so is the table. Of p a
//           cell loads 5 values for 37 points, 17 for 73, beside its plane: the caches serve them.
// Minimal:  14 B a cell in float: p and p- read, p+ written, 2 B of index.
#include "variants/ete/gather_queue/kernel.hpp"

namespace tessera {
namespace {

using namespace ete;

template <class TileType, Home kHome>
void offer_queue(EteVariant& variant, int chunk, const char* note = "") {
  constexpr RunsOn kRunsOn = tile_runs_on<TileType>();
  variant.offer(
      {stream_text<TileType>(chunk) + home_text(kHome, kRunsOn), Origin::ours, note, kRunsOn},
      [chunk](auto real, auto points) {
        using Real = decltype(real);
        using Kernel = GatherQueueKernel<Real, Shape<points()>, TileType, kHome>;
        return StreamLauncher<Kernel, TileType, Real>{chunk};
      });
}

}  // namespace

void register_ete_gather_queue(Registry& registry) {
  auto v = std::make_unique<EteVariant>(VariantFacts{
      .name = "gather_queue",
      .summary = "the plane in scratch, columns in register queues",
      .source = "Fang V.A and VI.A, SMem+traditional",
      .memory = "one plane and the table in team scratch; 12 or 48 values a cell in registers",
      .loses = "with 73 points, whose 17 columns are 17 loads and 48 registers a cell",
      .launch = "a table in scratch is as large as there are velocities; without it (coeff=ro) "
                "Kokkos grants all",
      .tags = {"paper", "2.5d", "streaming", "scratch"},
  });
  offer_queue<Tile<32, 16>, Home::scratch>(*v, 117);
  offer_queue<Tile<32, 8>, Home::scratch>(*v, 117, "73 points, double");
  offer_queue<Tile<32, 8>, Home::ro>(*v, 117, "where the table exceeds the scratch-pad");
  if constexpr (kAllDeviceTiles) offer_queue<Tile<64, 4>, Home::scratch>(*v, 117);
  offer_queue<Tile<256, 8>, Home::ro>(*v, 0, "host");
  registry.add(std::move(v));
}

}  // namespace tessera
