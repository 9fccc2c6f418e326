// SPDX-License-Identifier: Apache-2.0
// jacobi/lazy: lazy streaming (EBISU 4.3.2): one barrier a round, none a step.
//
// Formula:  u+(c) = sum_j w_j u(c + d_j), t times (variants/jacobi/formula.hpp).
// Memory:   each queue holds a plane more, so that a step reads only planes that were whole before
//           the round began and writes where none reads. The t steps of a round then need no
//           barrier between them, and the plane from memory has a whole round to arrive.
// Minimal:  2 / t elements a cell and step.
// Loses:    where memory is the bound and the planes more cost depth: in three dimensions (7.4.4).
//           In two, with four rows a round, ten rows a step: a multiprocessor then holds fewer
//           teams, and past t = 6 the ring of 2^n rows is more than it has.
#include "variants/jacobi/kernels/ladder.hpp"

namespace tessera {
namespace {

using namespace jacobi;

struct Label {
  static constexpr const char* kLabel = "tessera::jacobi::lazy::stream";
};
constexpr QueuePolicy kPolicy2d{
    .addressing = Addressing::computed_addresses, .prefetch = true, .lazy = true};
constexpr QueuePolicy kPolicy3d{.addressing = Addressing::shifted_addresses,
                                .prefetch = true,
                                .lazy = true,
                                .device_tiling = true};

}  // namespace

void register_jacobi_lazy(Registry& registry) {
  auto v = std::make_unique<JacobiVariant>(VariantFacts{
      .name = "lazy",
      .summary = "lazy streaming: one barrier a round",
      .source = "EBISU 4.3.2, 7.4.4",
      .memory =
          "a circular multi-queue with a plane more a step in team scratch; device tiling in 3D",
      .loses =
          "where the slots more cost depth: in three dimensions (EBISU 7.4.4), and in two, where "
          "ten rows a step end at t = 6",
      .launch = kLaunchOfStreams,
      .tags = {"paper", "temporal", "scratch", "ladder"},
  });
  offer_ladder<Label, kPolicy2d, kPolicy3d>(*v);
  registry.add(std::move(v));
}

}  // namespace tessera
