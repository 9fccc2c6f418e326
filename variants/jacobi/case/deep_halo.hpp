// SPDX-License-Identifier: Apache-2.0
// Which cells of a jacobi grid a rank holds, and where they lie in its fields.
#pragma once

#include "base/comm/parallel.hpp"
#include "base/grid/domain.hpp"
#include "base/grid/field.hpp"
#include "base/registry/registry.hpp"
#include "variants/jacobi/formula.hpp"

#include <string>

namespace tessera::jacobi {

/// Dimensions and radius of a stencil.
struct StencilFacts {
  int dims = 3, r = 1, ry = 1, flops = 0;
};
/// Facts of a stencil, by its full name. Throws Error where there is none of that name.
[[nodiscard]] StencilFacts facts_of(const std::string& stencil);

/// Where the cells of such a field lie: in two dimensions one plane, without planes beside it.
[[nodiscard]] FieldLayout layout_of(const std::string& stencil, const Extents& n, int value_bytes);

/// A box of cells as it is streamed: in two dimensions rows take the place of planes.
[[nodiscard]] inline Box streamed(const Box& box, int dims) {
  return dims == 2 ? Box{box.y0, box.y1, 0, 1, box.x0, box.x1} : box;
}

/// Time steps that a configuration makes at once on a grid of `n` cells; 1 where it cannot run.
[[nodiscard]] int depth_of(const Selected& how, const Problem& problem, const Extents& n);

/// How a grid lies on ranks that exchange every `depth` steps. Between two exchanges a rank
/// updates, besides its own cells, (depth - 1) R cells beyond each cut: what neighbours update too,
/// and what is wrong there after a step lies R cells farther out than before it. Around them R
/// cells stay as the exchange left them: to variants they are fixed.
class DeepHalo {
 public:
  /// Throws Error where a rank would have fewer than depth R cells along an axis that is cut.
  DeepHalo(const std::string& stencil, const Extents& n, const comm::Parallel& parallel, int depth,
           int value_bytes);
  /// Of rank `rank` in a grid of ranks.
  DeepHalo(const StencilFacts& facts, comm::RankGrid grid, int rank, int depth);

  [[nodiscard]] const comm::RankGrid& grid() const { return grid_; }
  [[nodiscard]] int width() const { return width_; }  ///< cells that come from a neighbour
  /// What this rank updates, in the grid; its own cells in that domain's indices.
  [[nodiscard]] const Domain& domain() const { return domain_; }
  [[nodiscard]] const Box& own() const { return own_; }

 private:
  int width_;
  comm::RankGrid grid_;
  Domain domain_;
  Box own_;
};

}  // namespace tessera::jacobi
