// SPDX-License-Identifier: Apache-2.0
// ete/gather_ro: 2.5D streaming, coefficients through the read-only cache (Fang VI.A, RO).
//
// Formula:  p+ = 2 sum_j c_j(v) p(x + dx_j) - p-  (variants/ete/formula.hpp).
// Idea:     planes z - R ... z + R with their halos in a ring in team scratch, two more on their
//           way (variants/ete/kernels/gather.hpp): layer condition (7) of the paper, on chip. The
//           table lies in device memory, behind the read-only cache (L1 and texture cache).
// Minimal:  14 B a cell in float: p and p- read, p+ written, 2 B of index.
#include "variants/ete/kernels/gather.hpp"

namespace tessera {
namespace {

using namespace ete;

struct Label {
  static constexpr const char* kText = "tessera::ete::gather_ro::step";
};

}  // namespace

void register_ete_gather_ro(Registry& registry) {
  auto v = std::make_unique<EteVariant>(VariantFacts{
      .name = "gather_ro",
      .summary = "2R + 1 planes in scratch, coefficients through the read-only cache",
      .source = "Fang VI.A, RO",
      .memory =
          "planes z - R ... z + R and two more in a ring in team scratch; the table behind the "
          "read-only cache",
      .loses = "on random velocities: up to 32 lines of the cache a load of a warp",
      .launch = "eleven planes: 42 KiB in float with 16 rows; Kokkos grants those of 8",
      .tags = {"paper", "2.5d", "streaming", "scratch"},
  });
  offer_gather<Label, Tile<32, 16>, Home::ro>(*v, 117);
  offer_gather<Label, Tile<32, 8>, Home::ro>(*v, 117, "double: 64 KiB");
  if constexpr (kAllDeviceTiles) offer_gather<Label, Tile<64, 8>, Home::ro>(*v, 117);
  offer_gather<Label, Tile<256, 16>, Home::ro>(*v, 0, "host");
  registry.add(std::move(v));
}

}  // namespace tessera
