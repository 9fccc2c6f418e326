// SPDX-License-Identifier: Apache-2.0
// Verification of acoustic variants: every cell within bound_of_sum() of the reference.
#pragma once

#include "base/case/case.hpp"
#include "variants/acoustic/case/solver.hpp"

#include <optional>

namespace tessera::acoustic {

/// Small ragged grids with an inner region, no extent a multiple of a tile's: the second is tiny,
/// the third has a free surface.
struct RaggedGrid {
  Extents n;
  int pml_cells;
  bool free_surface = false;
};
[[nodiscard]] const std::vector<RaggedGrid>& ragged_grids();

/// The decompositions that run differently here: on a host a concurrent one is the plain one.
[[nodiscard]] std::vector<Decomposition> distinct_decompositions();

/// How a solver that is verified keeps its fields.
struct Kept {
  VpStorage vp = VpStorage::field;
  Storage storage = Storage::plain;
  std::optional<Storage> bound = {};  ///< the format whose rounding is allowed; usually its own
};
/// All that a configuration can keep its fields in here, in such regions and beside such layers.
template <class Real>
[[nodiscard]] std::vector<Kept> kept_by(const Selected& how, Decomposition kind, LayerKind layers);

/// Three passes on one ragged grid, of one step or of as many as the variant makes at once, from
/// random u, u-, phi and velocities. The reference restarts from the variant's u at each step, so
/// that the bound is that of one step. A format of fewer bits adds half a unit of the last place of
/// u+, and of its difference to u. Also demands that everything outside the grid stays zero,
/// and that receivers record what lies in their cells.
template <class Real>
[[nodiscard]] Verdict verify_on(const RaggedGrid& grid, const Selected& how, Decomposition kind,
                                std::uint64_t seed, const Kept& kept = {},
                                LayerKind layers = LayerKind::paper);

/// Three steps on the ranks of `parallel`, with a source beside a cut, from random fields in the
/// storage and with the layers of a setup: collective. Each rank makes the same steps by itself on
/// the whole of a small ragged grid, of which every rank gets enough cells, and compares its part
/// of u and phi: they are equal to the bit, except for variants that reorder, which lie within the
/// bound of `verify_on`.
template <class Real>
[[nodiscard]] Verdict verify_on_ranks(const comm::Parallel& parallel, const Selected& how,
                                      Decomposition kind, std::uint64_t seed, const Setup& of);

/// One step, or a pass, at the solver's size from random fields against the variant `naive` on the
/// device, every u+ and phi+ within the same bound; of a pass in place, and a step more, equal to
/// the bit. `next` and `phi` are spare fields of the solver's size.
/// Of fields in 16 bits, a step against naive's in the same format; the roundings of both count.
/// Overwrites the solver's fields.
template <class Real>
[[nodiscard]] Verdict verify_against_naive(Solver<Real>& solver, const Selected& how,
                                           const Variant& naive, Field<Real>& next,
                                           Field<Real>& phi);

}  // namespace tessera::acoustic
