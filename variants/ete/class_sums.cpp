// SPDX-License-Identifier: Apache-2.0
// ete/class_sums: each plane read once as in scatter, each coefficient once as in gather.
//
// Formula:  p+ = 2 sum_j c_j(v) p(x + dx_j) - p-  (variants/ete/formula.hpp), summed plane by
//           plane.
// Idea:     the points of a class that lie in one plane are the same for the output above as for
//           the one below: A_m(z) = p(x+-m) + p(y+-m) belongs to the diagonal classes of outputs z
//           - m and z + m, and to the axis class of z. So what travels along z is not nine sums
//           with coefficients, but the class sums without: A_m for 2m planes and p for 2R. A
//           coefficient is loaded when its class is complete, once. Short sums are added to each
//           other: 18 terms one after the other may round more than the bound of a step. One plane
//           with its halo lies in team scratch, two more on their way; class sums, four open
//           outputs and their columns in registers (on a host: planes of scratch).
// Minimal:  14 B a cell in float: p and p- read, p+ written, 2 B of index.
#include "variants/ete/class_sums/kernel.hpp"

namespace tessera {
namespace {

using namespace ete;

template <class TileType, Home kHome>
void offer_sums(EteVariant& variant, int chunk, const char* note = "") {
  variant.offer({stream_text<TileType>(chunk), Origin::ours, note, tile_runs_on<TileType>()},
                [chunk](auto real, auto points) {
                  using Real = decltype(real);
                  using Kernel = ClassSumsKernel<Real, Shape<points()>, TileType, kHome>;
                  return StreamLauncher<Kernel, TileType, Real>{chunk};
                });
}

}  // namespace

void register_ete_class_sums(Registry& registry) {
  auto v = std::make_unique<EteVariant>(VariantFacts{
      .name = "class_sums",
      .summary = "each plane and each coefficient read once",
      .source = "ours: Fang V.B, points that share a coefficient summed first",
      .memory = "one plane in team scratch, two on their way; class sums of planes in registers",
      .loses = "where registers are scarce: 30 values a cell travel for 73 points",
      .launch = kLaunchWithTable,
      .tags = {"2.5d", "streaming", "scratch", "reorders"},
  });
  offer_sums<Tile<32, 16>, Home::scratch>(*v, 117, "37 points");
  offer_sums<Tile<32, 12>, Home::scratch>(*v, 117, "73 points");
  if constexpr (kAllDeviceTiles) {
    offer_sums<Tile<32, 24>, Home::scratch>(*v, 117, "float");
    offer_sums<Tile<32, 8>, Home::scratch>(*v, 117);
  }
  offer_sums<Tile<512, 8>, Home::ro>(*v, 0, "host");
  registry.add(std::move(v));
}

}  // namespace tessera
