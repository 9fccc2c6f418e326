// SPDX-License-Identifier: Apache-2.0
// ete/scatter: the cache-friendly design: each plane is read once and adds to nine outputs (Fang
// V.B).
//
// Formula:  p+ = 2 sum_j c_j(v) p(x + dx_j) - p-  (variants/ete/formula.hpp), summed plane by
//           plane.
// Idea:     one plane with its halo in cache or scratch. Nine sums a cell are open at a time (its
//           own plane's and R on either side), and with each the column of its cell, since a sum
//           takes the coefficients of its *output*: rows out of the plane are therefore loaded
//           twice a cell, above and below.
// Device:   the plane in team scratch, two more on their way; sums and columns in register queues
//           (variants/ete/kernels/scatter.hpp).
// Host:     the layer of a block in cache, the sums in the next grid, where p- has lain
//           (variants/ete/scatter/accumulate.hpp): layer condition (8).
// Minimal:  14 B a cell in float: p and p- read, p+ written, 2 B of index.
#include "variants/ete/kernels/scatter.hpp"
#include "variants/ete/scatter/accumulate.hpp"

namespace tessera {
namespace {

using namespace ete;

struct Label {
  static constexpr const char* kText = "tessera::ete::scatter::step";
};

template <class TileType, Home kHome>
void offer_scatter(EteVariant& variant, int chunk, const char* note = "") {
  variant.offer({stream_text<TileType>(chunk) + home_text(kHome, tile_runs_on<TileType>()),
                 Origin::ours, note, tile_runs_on<TileType>()},
                [chunk](auto real, auto points) {
                  using Real = decltype(real);
                  using Kernel = ScatterKernel<Label, Real, Shape<points()>, TileType, kHome, kHome,
                                               Layout::velocity, Part::all>;
                  return StreamLauncher<Kernel, TileType, Real>{chunk};
                });
}

/// A host's block: all of x, so many rows and planes (0: all).
void offer_accumulate(EteVariant& variant, int rows, int planes, const char* note,
                      Origin origin = Origin::ours) {
  const RuntimeTile tile{0, rows, planes};
  variant.offer({extents_text({0, rows, planes}), origin, note, RunsOn::hosts},
                [tile](auto real, auto points) {
                  return AccumulateLauncher<Label, decltype(real), Shape<points()>>{tile};
                });
}

}  // namespace

void register_ete_scatter(Registry& registry) {
  auto v = std::make_unique<EteVariant>(VariantFacts{
      .name = "scatter",
      .summary = "each plane read once, nine open sums a cell",
      .source = "Fang V.B, SMem+cache-friendly",
      .memory = "devices: one plane in team scratch, nine sums and columns in registers; hosts: "
                "one layer in cache, sums in p+",
      .loses = "where coefficients cost more than points: they are loaded again for each open sum",
      .launch = "a table in scratch is as large as there are velocities; without it (coeff=ro, "
                "coeff=gmem) Kokkos grants all",
      .tags = {"paper", "2.5d", "streaming", "scratch", "reorders"},
  });
  offer_scatter<Tile<32, 16>, Home::scratch>(*v, 117);
  offer_scatter<Tile<32, 16>, Home::ro>(*v, 117);
  if constexpr (kAllDeviceTiles) {
    offer_scatter<Tile<32, 8>, Home::scratch>(*v, 117);
    offer_scatter<Tile<64, 8>, Home::scratch>(*v, 117);
    offer_scatter<Tile<32, 8>, Home::ro>(*v, 117, "any table: 16 KiB");
    offer_scatter<Tile<32, 16>, Home::gmem>(*v, 117);
  }
  // y by z: the paper's best ones (Table II).
  offer_accumulate(*v, 8, 16, "host; the paper's best, 37 points", Origin::paper);
  offer_accumulate(*v, 8, 32, "host; the paper's best, 73 points in float", Origin::paper);
  offer_accumulate(*v, 4, 16, "host; the paper's best, 73 points in double", Origin::paper);
  for (const int rows : {4, 8, 16, 32}) {
    for (const int planes : {64, 0}) offer_accumulate(*v, rows, planes, "host");
  }
  registry.add(std::move(v));
}

}  // namespace tessera
