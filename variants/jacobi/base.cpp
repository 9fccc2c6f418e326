// SPDX-License-Identifier: Apache-2.0
// jacobi/base: the first stage of EBISU's ladder (7.4.1): minimal parallelism, naive multi-queue.
//
// Formula:  u+(c) = sum_j w_j u(c + d_j), t times (variants/jacobi/formula.hpp).
// Memory:   a team of 256 threads, four cells each, on as many teams as are resident. A tile
//           streams along s; a queue of planes in scratch for each of the t steps. After each round
//           every value moves one slot on (Listing 5), between two barriers. Two dimensions: tiles
//           overlap (SM tiling). Three: the tiles of the whole device exchange their edges through
//           device memory once a round, behind a barrier of the league (device tiling, 4.1).
// Minimal:  2 / t elements a cell and step.
// Loses:    in three dimensions to every later stage: what is gained from memory is lost moving
//           values in scratch; in two to prefetch, ebisu and warps.
#include "variants/jacobi/kernels/ladder.hpp"

namespace tessera {
namespace {

using namespace jacobi;

struct Label {
  static constexpr const char* kLabel = "tessera::jacobi::base::stream";
};
/// In two dimensions no more than 80 registers a thread, so that they leave the three teams that
/// the scratch of t = 4 allows. Left to the compiler it takes 84 (sm_90).
constexpr QueuePolicy kPolicy2d{.addressing = Addressing::shifted_values, .min_teams = 3};
constexpr QueuePolicy kPolicy3d{.addressing = Addressing::shifted_values, .device_tiling = true};

}  // namespace

void register_jacobi_base(Registry& registry) {
  auto v = std::make_unique<JacobiVariant>(VariantFacts{
      .name = "base",
      .summary = "temporal blocking, minimal parallelism, values shifted through queues",
      .source = "EBISU 6.1, 4.1, 4.2.1, 7.4.1",
      .memory = "a multi-queue of planes in team scratch, shifted by copying; device tiling in 3D",
      .loses = "in 3D to every later stage, since it moves all planes of all queues each round; in "
               "2D to prefetch, ebisu and warps",
      .launch = kLaunchOfStreams,
      .tags = {"paper", "temporal", "scratch", "ladder"},
  });
  offer_ladder<Label, kPolicy2d, kPolicy3d>(*v);
  registry.add(std::move(v));
}

}  // namespace tessera
