// SPDX-License-Identifier: Apache-2.0
// ete/gather_columns: each thread's own columns in registers, two rows of cells a thread. Ours.
//
// Formula:  p+ = 2 sum_j c_j(v) p(x + dx_j) - p-  (variants/ete/formula.hpp).
// Idea:     a gather (variants/ete/kernels/gather.hpp) loads every point from scratch. Here a
// thread keeps
//           the 2R + 1 values above and below its cells in registers; the loop over z is unrolled
//           2R + 1 times, so that they stay where they are and their roles move. Scratch then holds
//           only the planes that other columns' values are needed of: z - 1 ... z + 1 for 37
//           points, z - 4 ... z + 4 for 73. Two rows of cells a thread share what both are
//           neighbours of: 21 loads a cell in place of 37, 57 in place of 73.
// Order:    as gather_scratch sums: the fields are equal to the bit where the rows are.
// Minimal:  14 B a cell in float: p and p- read, p+ written, 2 B of index.
#include "variants/ete/gather_columns/kernel.hpp"

namespace tessera {
namespace {

using namespace ete;

/// Streams as long as keep a device busy to the end.
template <class ThreadTile, int kRowsOf, Rows kRows>
void offer(EteVariant& variant, const char* note = "") {
  using CellTile = Tile<ThreadTile::kNx, ThreadTile::kNy * kRowsOf>;
  variant.offer(
      {stream_text<CellTile>(0, {.rows = kRows}), Origin::ours, note, tile_runs_on<CellTile>()},
      [](auto real, auto points) {
        using Real = decltype(real);
        using Kernel = ColumnsKernel<Real, Shape<points(), kRows>, ThreadTile, kRowsOf>;
        return StreamLauncher<Kernel, CellTile, Real>{};
      });
}

}  // namespace

void register_ete_gather_columns(Registry& registry) {
  auto v = std::make_unique<EteVariant>(VariantFacts{
      .name = "gather_columns",
      .summary = "own columns in registers, two rows a thread, the table in scratch",
      .source = "ours: fewer loads from scratch, which is what binds gather_scratch",
      .memory =
          "p at z - R ... z + R in registers; planes z - 1 ... z + 1 (73 points: z - 4 ... z + "
          "4) and two more in a ring in team scratch; so is the table",
      .loses = "where planes and table exceed the scratch-pad, and on hosts",
      .launch = "five or eleven planes and a table as large as there are velocities",
      .tags = {"2.5d", "streaming", "scratch", "register"},
  });
  offer<Tile<32, 8>, 2, Rows::isotropic>(*v, "6 or 9 rows");
  if constexpr (kAllDeviceTiles) {
    offer<Tile<48, 8>, 2, Rows::isotropic>(*v, "6 or 9 rows");
    offer<Tile<32, 8>, 2, Rows::z_distinct>(*v);
  }
  offer<Tile<256, 16>, 1, Rows::z_distinct>(*v, "host");
  registry.add(std::move(v));
}

}  // namespace tessera
