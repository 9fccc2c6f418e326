// SPDX-License-Identifier: Apache-2.0
// jacobi/prefetch: circular multi-queue and prefetching (EBISU 4.3.1).
//
// Formula:  u+(c) = sum_j w_j u(c + d_j), t times (variants/jacobi/formula.hpp).
// Memory:   the multi-queue of Table 1 (computed addresses in two dimensions, shifted in three)
//           and slots for a round more, in which the next one's planes arrive (cp.async on CUDA,
//           elsewhere through registers) while this round computes.
// Minimal:  2 / t elements a cell and step.
// Loses:    where the slot costs depth; on hosts, which prefetch anyway.
#include "variants/jacobi/kernels/ladder.hpp"

namespace tessera {
namespace {

using namespace jacobi;

struct Label {
  static constexpr const char* kLabel = "tessera::jacobi::prefetch::stream";
};
constexpr QueuePolicy kPolicy2d{.addressing = Addressing::computed_addresses, .prefetch = true};
constexpr QueuePolicy kPolicy3d{
    .addressing = Addressing::shifted_addresses, .prefetch = true, .device_tiling = true};

}  // namespace

void register_jacobi_prefetch(Registry& registry) {
  auto v = std::make_unique<JacobiVariant>(VariantFacts{
      .name = "prefetch",
      .summary = "circular multi-queue, planes fetched asynchronously one round ahead",
      .source = "EBISU 4.3.1",
      .memory =
          "a circular multi-queue and one arriving plane in team scratch; device tiling in 3D",
      .loses = "where the slot of the arriving plane costs depth; on hosts",
      .launch = kLaunchOfStreams,
      .tags = {"paper", "temporal", "scratch", "ladder"},
  });
  offer_ladder<Label, kPolicy2d, kPolicy3d>(*v);
  registry.add(std::move(v));
}

}  // namespace tessera
