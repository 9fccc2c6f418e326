// SPDX-License-Identifier: Apache-2.0
// ete/base_simd: the baseline: aligned rows, threads, vectorised x loops (Fang VI.A, base+simd).
//
// Formula:  p+ = 2 sum_j c_j(v) p(x + dx_j) - p-  (variants/ete/formula.hpp).
// Idea:     every point and every coefficient is read through the caches; nothing is staged. On a
//           host a thread walks whole planes of the grid, row by row. On a device a thread owns a
//           cell of a block.
// Launch:   a device's teams live for one tile. Natively (`launch=native`) they are what others are
//           compared with; through a TeamPolicy they lose a third or more (docs/kokkos.md).
// Minimal:  14 B a cell in float: p and p- read, p+ written, 2 B of index.
// Index:    16 bits; 32 where there are over 65536 velocities, which only this variant takes.
#include "variants/ete/kernels/direct.hpp"

namespace tessera {
namespace {

using namespace ete;

struct Label {
  static constexpr const char* kText = "tessera::ete::base_simd::step";
};

}  // namespace

void register_ete_base_simd(Registry& registry) {
  auto v = std::make_unique<EteVariant>(VariantFacts{
      .name = "base_simd",
      .summary = "whole planes, every point through the cache",
      .source = "Fang VI.A: base+simd",
      .memory = "p, p-, index and table in device memory and its caches; nothing staged",
      .loses = "where 2R + 1 planes of the grid exceed the cache",
      .launch =
          "launch=native: what a TeamPolicy costs teams that live for a tile (docs/kokkos.md)",
      .tags = {"paper", "baseline", "host"},
  });
  constexpr TableUse kWide{.wide_index = true}, kIso{.rows = Rows::isotropic};
  offer_direct<Label, kWide>(*v, Tile<32, 8, 1>{});
  offer_direct<Label, TableUse{}, Launch::native>(*v, Tile<32, 8, 1>{});
  offer_direct<Label, kIso, Launch::native>(*v, Tile<32, 8, 1>{});
  if constexpr (kAllDeviceTiles) {
    offer_direct<Label, kWide>(*v, Tile<64, 4, 1>{});
    offer_direct<Label, TableUse{}, Launch::native>(*v, Tile<64, 4, 1>{});
    offer_direct<Label, kIso, Launch::native>(*v, Tile<64, 4, 1>{});
    offer_direct<Label, kIso, Launch::native>(*v, Tile<32, 4, 2>{});
  }
  offer_direct<Label, kWide>(*v, RuntimeTile{0, 0, 1}, "host");
  offer_direct<Label, kIso>(*v, RuntimeTile{0, 0, 1}, "host");
  registry.add(std::move(v));
}

}  // namespace tessera
