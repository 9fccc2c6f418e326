// SPDX-License-Identifier: Apache-2.0
// ete/base_simd_blocked: the baseline blocked along y and z (Fang VI.A, base+simd+blk).
//
// Formula:  p+ = 2 sum_j c_j(v) p(x + dx_j) - p-  (variants/ete/formula.hpp).
// Idea:     as base_simd; a thread walks the planes of a block that is long along x and narrow
//           along y, so that the 2R + 1 planes of the block stay in L2: layer condition (7) of the
//           paper, Nx Ny (2R + 1) elements < half the cache less the table.
// Minimal:  14 B a cell in float: p and p- read, p+ written, 2 B of index.
#include "variants/ete/kernels/direct.hpp"

namespace tessera {
namespace {

using namespace ete;

struct Label {
  static constexpr const char* kText = "tessera::ete::base_simd_blocked::step";
};

}  // namespace

void register_ete_base_simd_blocked(Registry& registry) {
  auto v = std::make_unique<EteVariant>(VariantFacts{
      .name = "base_simd_blocked",
      .summary = "blocks along y and z, every point through the cache",
      .source = "Fang VI.A: base+simd+blk",
      .memory = "p, p-, index and table in device memory and its caches; nothing staged",
      .loses = "on narrow blocks, whose halo is read again",
      .tags = {"paper", "host"},
  });
  offer_direct<Label>(*v, Tile<32, 4, 4>{});
  if constexpr (kAllDeviceTiles) {
    offer_direct<Label>(*v, Tile<32, 4, 2>{});
    offer_direct<Label>(*v, Tile<64, 2, 2>{});
  }
  // Tiles of a host are run-time values: they cost no compilation. y by z as in the paper's
  // figure 8; Table II names its best ones.
  offer_direct<Label>(*v, RuntimeTile{0, 16, 0}, "host");
  offer_direct<Label>(*v, RuntimeTile{0, 1, 8}, "host; the paper's best, 37 points", Origin::paper);
  offer_direct<Label>(*v, RuntimeTile{0, 4, 16}, "host; the paper's best, 73 points in float",
                      Origin::paper);
  offer_direct<Label>(*v, RuntimeTile{0, 2, 16}, "host; the paper's best, 73 points in double",
                      Origin::paper);
  // A gathered coefficient takes a load of its own: fewer rows of the table, fewer loads.
  constexpr TableUse kIso{.rows = Rows::isotropic};
  offer_direct<Label, kIso>(*v, RuntimeTile{0, 1, 8}, "host");
  auto&& more = beyond_few(*v);
  offer_direct<Label, kIso>(more, RuntimeTile{0, 4, 16}, "host");
  offer_direct<Label, kIso>(more, RuntimeTile{0, 16, 16}, "host");
  offer_direct<Label>(more, RuntimeTile{0, 4, 64}, "host");
  offer_direct<Label>(more, RuntimeTile{0, 4, 0}, "host");
  offer_direct<Label>(more, RuntimeTile{0, 8, 16}, "host");
  offer_direct<Label>(more, RuntimeTile{0, 8, 64}, "host");
  offer_direct<Label>(more, RuntimeTile{0, 8, 0}, "host");
  offer_direct<Label>(more, RuntimeTile{0, 16, 16}, "host");
  offer_direct<Label>(more, RuntimeTile{0, 16, 64}, "host");
  offer_direct<Label>(more, RuntimeTile{0, 32, 16}, "host");
  offer_direct<Label>(more, RuntimeTile{0, 32, 64}, "host");
  offer_direct<Label>(more, RuntimeTile{0, 32, 0}, "host");
  registry.add(std::move(v));
}

}  // namespace tessera
