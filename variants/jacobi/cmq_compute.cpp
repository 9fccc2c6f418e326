// SPDX-License-Identifier: Apache-2.0
// jacobi/cmq_compute: circular multi-queue with computed addresses (EBISU 4.2.2, Listing 6).
//
// Formula:  u+(c) = sum_j w_j u(c + d_j), t times (variants/jacobi/formula.hpp).
// Memory:   as jacobi/cmq_shift, in a ring of 2^n slots: a slot is index & (2^n - 1), computed from
//           the number of the round, with no chain of indices from round to round.
// Minimal:  2 / t elements a cell and step.
// Loses:    where the rounding up to 2^n costs depth: 17 planes take 32 slots.
#include "variants/jacobi/kernels/ladder.hpp"

namespace tessera {
namespace {

using namespace jacobi;

struct Label {
  static constexpr const char* kLabel = "tessera::jacobi::cmq_compute::stream";
};
constexpr QueuePolicy kPolicy2d{.addressing = Addressing::computed_addresses};
constexpr QueuePolicy kPolicy3d{.addressing = Addressing::computed_addresses,
                                .device_tiling = true};

}  // namespace

void register_jacobi_cmq_compute(Registry& registry) {
  auto v = std::make_unique<JacobiVariant>(VariantFacts{
      .name = "cmq_compute",
      .summary = "circular multi-queue, computed addresses",
      .source = "EBISU 4.2.2, Listing 6",
      .memory = "a circular multi-queue of 2^n planes in team scratch; device tiling in 3D",
      .loses = "where rounding the ring up to 2^n slots costs depth",
      .launch = kLaunchOfStreams,
      .tags = {"paper", "temporal", "scratch", "ladder"},
  });
  offer_ladder<Label, kPolicy2d, kPolicy3d>(*v);
  registry.add(std::move(v));
}

}  // namespace tessera
