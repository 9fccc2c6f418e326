// SPDX-License-Identifier: Apache-2.0
// jacobi/overlapped: N.5D temporal blocking as the libraries do it that EBISU compares with.
//
// Formula:  u+(c) = sum_j w_j u(c + d_j), t times (stencils/jacobi/formula.hpp).
// Memory:   spatial tiles with redundant halos, streamed along s, a ring of planes in scratch for
//           each step (EBISU 2.1.3; STENCILGEN, and AN5D with scratch for its registers). One cell
//           a thread, as many teams on a multiprocessor as fit: parallelism comes from occupancy.
// Minimal:  2 / t elements a cell and step, and the halos: a tile loses t R cells at each cut.
// Loses:    with depth: small tiles are soon all halo, and each step costs two barriers.
#include "kernels/jacobi/ladder.hpp"

namespace tessera {
namespace {

using namespace jacobi;

/// 64 registers a thread: 1024 threads on a multiprocessor.
template <int MinTeams>
struct Stage {
  static constexpr const char* kLabel = "tessera::jacobi::overlapped::stream";
  static constexpr int kMinTeams = MinTeams;
};
template <int MinTeams>
using Policy = QueuePolicy<Stage<MinTeams>, ShiftedAddresses, false, false, false>;
using Tile2d = SharedTile<512, 1, kOnDevice ? 512 : 1>;
using Tile3d = SharedTile<32, 32, kOnDevice ? 1024 : 1>;

}  // namespace

void register_jacobi_overlapped(Registry& registry) {
  auto v = std::make_unique<JacobiVariant>(VariantFacts{
      .name = "overlapped",
      .summary = "N.5D blocking: overlapping tiles, high occupancy",
      .source = "EBISU 2.1.3 and the libraries of 7.3.1",
      .memory = "a circular multi-queue of planes in team scratch, one cell a thread",
      .loses = "with depth: tiles this small are soon all halo",
      .tags = {"paper", "temporal", "scratch", "baseline"},
  });
  offer_queue<Policy<2>, Tile2d>(*v, {"512x1,t=4", Origin::paper, ""}, 4);
  offer_queue<Policy<1>, Tile3d>(*v, {"32x32,t=2", Origin::paper, ""}, 2);
  if constexpr (!kFewConfigurations) {
    offer_queue<Policy<2>, Tile2d>(*v, {"512x1,t=10", Origin::paper, "AN5D's depth for j2d5pt"},
                                   10);
    offer_queue<Policy<1>, Tile3d>(*v, {"32x32,t=4", Origin::paper, ""}, 4);
  }
  registry.add(std::move(v));
}

}  // namespace tessera
