// SPDX-License-Identifier: Apache-2.0
// jacobi/cmq_shift: circular multi-queue with shifted addresses (EBISU 4.2.2).
//
// Formula:  u+(c) = sum_j w_j u(c + d_j), t times (variants/jacobi/formula.hpp).
// Memory:   as jacobi/base, but the queues lie in a ring and stay where they are: after a round the
//           indices of their heads and tails move on instead of the values, and wrap around.
// Minimal:  2 / t elements a cell and step.
// Loses:    to cmq_compute where the wrapped indices are a chain that addresses wait for.
#include "variants/jacobi/kernels/ladder.hpp"

namespace tessera {
namespace {

using namespace jacobi;

struct Label {
  static constexpr const char* kLabel = "tessera::jacobi::cmq_shift::stream";
};
/// In two dimensions no more than 80 registers a thread, so that they leave the three teams that
/// the scratch of t = 4 allows. Left to the compiler it takes 64 or 88 (sm_90), after small changes
/// elsewhere, and with 88 only two teams are resident.
constexpr QueuePolicy kPolicy2d{.addressing = Addressing::shifted_addresses, .min_teams = 3};
constexpr QueuePolicy kPolicy3d{.addressing = Addressing::shifted_addresses, .device_tiling = true};

}  // namespace

void register_jacobi_cmq_shift(Registry& registry) {
  auto v = std::make_unique<JacobiVariant>(VariantFacts{
      .name = "cmq_shift",
      .summary = "circular multi-queue, shifted addresses",
      .source = "EBISU 4.2.2",
      .memory =
          "a circular multi-queue of planes in team scratch, indices shifted; device tiling in 3D",
      .loses = "where address arithmetic is a chain that loads wait for; at two barriers a step",
      .launch = kLaunchOfStreams,
      .tags = {"paper", "temporal", "scratch", "ladder"},
  });
  offer_ladder<Label, kPolicy2d, kPolicy3d>(*v);
  registry.add(std::move(v));
}

}  // namespace tessera
