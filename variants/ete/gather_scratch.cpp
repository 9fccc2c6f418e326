// SPDX-License-Identifier: Apache-2.0
// ete/gather_scratch: 2.5D streaming, all planes and the coefficients in team scratch (Fang V.A,
// VI.A).
//
// Formula:  p+ = 2 sum_j c_j(v) p(x + dx_j) - p-  (variants/ete/formula.hpp).
// Idea:     planes z - R ... z + R with their halos in a ring in team scratch, two more on their
//           way (variants/ete/kernels/gather.hpp), as the paper's reference [14] keeps all points
//           on chip. A copy of the table lies in scratch too: up to 227 KiB, a native launch.
// Minimal:  14 B a cell in float: p and p- read, p+ written, 2 B of index.
#include "variants/ete/kernels/gather.hpp"

namespace tessera {
namespace {

using namespace ete;

struct Label {
  static constexpr const char* kText = "tessera::ete::gather_scratch::step";
};

}  // namespace

void register_ete_gather_scratch(Registry& registry) {
  auto v = std::make_unique<EteVariant>(VariantFacts{
      .name = "gather_scratch",
      .summary = "2R + 1 planes and the coefficients in scratch",
      .source = "Fang V.A, as its reference [14]; table as SMem of VI.A",
      .memory = "planes z - R ... z + R and two more in a ring in team scratch; so is the table",
      .loses = "where planes and table exceed the scratch-pad",
      .launch = "eleven planes and a table as large as there are velocities",
      .tags = {"paper", "2.5d", "streaming", "scratch"},
  });
  offer_gather<Label, Tile<32, 16>, Home::scratch>(*v, 117);
  if constexpr (kAllDeviceTiles) {
    offer_gather<Label, Tile<32, 8>, Home::scratch>(*v, 117);
    offer_gather<Label, Tile<32, 4>, Home::scratch>(*v, 117, "37 points in float: 64 KiB");
    offer_gather<Label, Tile<32, 16>, Home::scratch, TableUse{.layout = Layout::by_class}>(
        *v, 117, "the velocities of a row beside each other");
    offer_gather<Label, Tile<32, 16>, Home::scratch, TableUse{.rows = Rows::isotropic}>(
        *v, 117, "6 or 9 rows");
  }
  offer_gather<Label, Tile<256, 16>, Home::scratch>(*v, 0, "host");
  registry.add(std::move(v));
}

}  // namespace tessera
