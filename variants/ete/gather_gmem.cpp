// SPDX-License-Identifier: Apache-2.0
// ete/gather_gmem: 2.5D streaming, coefficients from device memory (Fang VI.A, GMem).
//
// Formula:  p+ = 2 sum_j c_j(v) p(x + dx_j) - p-  (variants/ete/formula.hpp).
// Idea:     planes z - R ... z + R with their halos in a ring in team scratch, two more on their
//           way (variants/ete/kernels/gather.hpp): layer condition (7) of the paper, on chip. The
//           table lies in device memory and is cached in L2 only.
// Minimal:  14 B a cell in float: p and p- read, p+ written, 2 B of index.
#include "variants/ete/kernels/gather.hpp"

namespace tessera {
namespace {

using namespace ete;

struct Label {
  static constexpr const char* kText = "tessera::ete::gather_gmem::step";
};

}  // namespace

void register_ete_gather_gmem(Registry& registry) {
  auto v = std::make_unique<EteVariant>(VariantFacts{
      .name = "gather_gmem",
      .summary = "2R + 1 planes in scratch, coefficients from device memory",
      .source = "Fang VI.A, GMem",
      .memory = "planes z - R ... z + R and two more in a ring in team scratch; the table in "
                "device memory, "
                "cached in L2 only",
      .loses = "on random velocities: each thread of a warp fetches sectors of its own from L2",
      .launch = "eleven planes: 42 KiB in float with 16 rows; Kokkos grants those of 8",
      .tags = {"paper", "2.5d", "streaming", "scratch"},
  });
  offer_gather<Label, Tile<32, 16>, Home::gmem>(*v, 117);
  offer_gather<Label, Tile<32, 8>, Home::gmem>(*v, 117, "double: 64 KiB");
  if constexpr (kAllDeviceTiles) {
    offer_gather<Label, Tile<32, 16>, Home::gmem, TableUse{.rows = Rows::full}>(*v, 117,
                                                                                "a row a point");
  }
  offer_gather<Label, Tile<256, 16>, Home::gmem>(*v, 0, "host");
  registry.add(std::move(v));
}

}  // namespace tessera
