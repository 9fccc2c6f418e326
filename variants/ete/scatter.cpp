// SPDX-License-Identifier: Apache-2.0
// ete/scatter: the cache-friendly design: each plane is read once and adds to nine outputs (Fang
// V.B).
//
// Formula:  p+ = 2 sum_j c_j(v) p(x + dx_j) - p-  (stencils/ete/formula.hpp), summed plane by
//           plane.
// Idea:     one plane with its halo in team scratch, two more on their way. Nine sums a cell are
//           open at a time (its own plane's and R on either side) in registers, and with each the
//           column of its cell, since a sum takes the coefficients of its *output*: rows out of the
//           plane are therefore loaded twice a cell, above and below (kernels/ete/scatter.hpp).
// Minimal:  14 B a cell in float: p and p- read, p+ written, 2 B of index.
#include "kernels/ete/scatter.hpp"

namespace tessera {
namespace {

using namespace ete;

struct Label {
  static constexpr const char* kText = "tessera::ete::scatter::step";
};

/// The usual home of the table goes without saying: a host has no scratch-pad.
[[nodiscard]] std::string home_text(Home home, RunsOn runs) {
  if (home == (runs == RunsOn::devices ? Home::scratch : Home::ro)) return "";
  return home == Home::ro ? ",coeff=ro" : home == Home::gmem ? ",coeff=gmem" : ",coeff=scratch";
}

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

}  // namespace

void register_ete_scatter(Registry& registry) {
  auto v = std::make_unique<EteVariant>(VariantFacts{
      .name = "scatter",
      .summary = "each plane read once, nine open sums a cell",
      .source = "Fang V.B, SMem+cache-friendly",
      .memory = "one plane in team scratch, two on their way; nine sums and columns in registers",
      .loses = "where coefficients cost more than points: they are loaded again for each open sum",
      .launch = "a table in scratch is as large as there are velocities; without it (coeff=ro, "
                "coeff=gmem) Kokkos grants all",
      .tags = {"paper", "2.5d", "streaming", "scratch", "reorders"},
  });
  offer_scatter<Tile<32, 16>, Home::scratch>(*v, 117);
  offer_scatter<Tile<32, 16>, Home::ro>(*v, 117);
  if constexpr (!kFewConfigurations) {
    offer_scatter<Tile<32, 16>, Home::gmem>(*v, 117);
  }
  offer_scatter<Tile<512, 16>, Home::ro>(*v, 0, "host");
  registry.add(std::move(v));
}

}  // namespace tessera
