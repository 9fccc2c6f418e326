// SPDX-License-Identifier: Apache-2.0
// jacobi/overlapped: N.5D temporal blocking as the libraries do it that EBISU compares with.
//
// Formula:  u+(c) = sum_j w_j u(c + d_j), t times (variants/jacobi/formula.hpp).
// Memory:   spatial tiles with redundant halos, streamed along s, a ring of planes in scratch for
//           each step (EBISU 2.1.3; STENCILGEN, and AN5D with scratch for its registers). One cell
//           a thread, as many teams on a multiprocessor as fit: parallelism comes from occupancy.
// Minimal:  2 / t elements a cell and step, and the halos: a tile loses (t - 1) R cells at each
//           cut.
// Loses:    with depth: small tiles are soon all halo, and each step costs two barriers.
#include "variants/jacobi/kernels/ladder.hpp"

namespace tessera {
namespace {

using namespace jacobi;

struct Label {
  static constexpr const char* kLabel = "tessera::jacobi::overlapped::stream";
};
/// 64 registers a thread: 1024 threads on a multiprocessor.
constexpr QueuePolicy kPolicy2d{.addressing = Addressing::shifted_addresses, .min_teams = 2};
constexpr QueuePolicy kPolicy3d{.addressing = Addressing::shifted_addresses};
constexpr TileShape kTile2d{.nx = 512, .ny = 1, .own = 1};
constexpr TileShape kTile3d{.nx = 32, .ny = 32, .own = 1};

}  // namespace

void register_jacobi_overlapped(Registry& registry) {
  auto v = std::make_unique<JacobiVariant>(VariantFacts{
      .name = "overlapped",
      .summary = "N.5D blocking: overlapping tiles, high occupancy",
      .source = "EBISU 2.1.3 and the libraries of 7.3.1",
      .memory = "a circular multi-queue of planes in team scratch, one cell a thread",
      .loses = "with depth: tiles this small are soon all halo",
      .launch = "the league is what is resident; scratch grows with the depth",
      .tags = {"paper", "temporal", "scratch"},
  });
  offer_queue<Label, kPolicy2d, kTile2d>(*v, 4);
  offer_queue<Label, kPolicy3d, kTile3d>(*v, 2);
  auto&& more = beyond_few(*v);
  offer_queue<Label, kPolicy2d, kTile2d>(more, 10, "AN5D's depth for j2d5pt");
  offer_queue<Label, kPolicy3d, kTile3d>(more, 4);
  registry.add(std::move(v));
}

}  // namespace tessera
