// SPDX-License-Identifier: Apache-2.0
// ete/split2_ro_scratch: scatter with the table in two parts: the rows of the cell's plane behind
// the read-only cache, the others in team scratch (Fang IV and VI.A, SMem+2kernels(RO+SM)).
//
// Formula:  p+ = 2 sum_j c_j(v) p(x + dx_j) - p-  (variants/ete/formula.hpp), summed plane by
//           plane.
// Idea:     as scatter. Rows out of the plane, which are loaded twice a cell, have the scratch-pad.
// Minimal:  14 B a cell in float: p and p- read, p+ written, 2 B of index.
#include "variants/ete/kernels/scatter.hpp"

namespace tessera {
namespace {

using namespace ete;

struct Label {
  static constexpr const char* kText = "tessera::ete::split2_ro_scratch::step";
};

template <class TileType>
void offer_split(EteVariant& variant, int chunk, const char* note = "") {
  variant.offer({stream_text<TileType>(chunk), Origin::ours, note, tile_runs_on<TileType>()},
                [chunk](auto real, auto points) {
                  using Real = decltype(real);
                  using Kernel =
                      ScatterKernel<Label, Real, Shape<points()>, TileType, Home::scratch, Home::ro,
                                    Layout::velocity, Part::all>;
                  return StreamLauncher<Kernel, TileType, Real>{chunk};
                });
}

}  // namespace

void register_ete_split2_ro_scratch(Registry& registry) {
  auto v = std::make_unique<EteVariant>(VariantFacts{
      .name = "split2_ro_scratch",
      .summary = "scatter, the table half in scratch, half read-only",
      .source = "Fang IV, formulas (5) and (6); VI.A, SMem+2kernels(RO+SM)",
      .memory = "as scatter; rows out of the plane in scratch, those of the plane read-only",
      .loses = "to scatter, wherever the whole table fits in scratch",
      .launch = kLaunchWithTable,
      .tags = {"paper", "2.5d", "streaming", "scratch", "reorders"},
  });
  offer_split<Tile<32, 16>>(*v, 117);
  if constexpr (kAllDeviceTiles) offer_split<Tile<32, 8>>(*v, 117, "37 points in double: 64 KiB");
  offer_split<Tile<256, 16>>(*v, 0, "host");
  registry.add(std::move(v));
}

}  // namespace tessera
