// SPDX-License-Identifier: Apache-2.0
// How steps of a rank overlap the exchange of the halo before them.
//
//   core:   reads this rank's cells only, at once
//   edges:  the rest, when the halo is there
//
// One step: core and edges share the cells between them, whatever the axes that are cut.
//
// Several steps a pass, where only the slowest axis is cut: cells around a launch stay as they are
// to a variant, so that after t steps what lies within (t - 1) R cells of a cut is wrong. The core
// has the rank's planes but the outermost R, and is right except for t R planes beside each cut. An
// edge makes these once more, from a slab of (3 t - 2) R planes around them, into memory of its
// own.
//
//        halo, t R         own planes ...
//   |----------------||------------------------------------
//     R | edge:  (t-1)R  |  kept: t R  |  (t-1)R  | R
//                        R | core ... right from here on ->
#pragma once

#include "base/grid/extents.hpp"
#include "variants/jacobi/case/deep_halo.hpp"

#include <optional>
#include <vector>

namespace tessera::jacobi {

/// Cells of a launch, as they are streamed, and those of them that it leaves right.
struct Piece {
  Box made, kept;
};

struct Overlap {
  Piece core;
  std::vector<Piece> edges;
  bool slabs = false;  ///< edges are made apart, and copied when the core is there
};

/// Nothing where the core would be empty, or the axes that are cut leave no other way than to wait.
/// `steps` at most the depth of `deep`.
[[nodiscard]] std::optional<Overlap> overlap_exchange(const DeepHalo& deep, int rank,
                                                      const StencilFacts& facts, int steps,
                                                      int value_bytes);

/// Planes (rows in two dimensions) of an edge's slab.
[[nodiscard]] constexpr int slab_planes(int steps, int radius) { return (3 * steps - 2) * radius; }

}  // namespace tessera::jacobi
