// SPDX-License-Identifier: Apache-2.0
#include "variants/jacobi/case/overlap_exchange.hpp"

#include "base/grid/domain.hpp"
#include "base/grid/field.hpp"

namespace tessera::jacobi {
namespace {

std::optional<Overlap> one_step(const DeepHalo& deep, int rank, const StencilFacts& facts,
                                int value_bytes) {
  const auto cut = [&](int dz, int dy, int dx) {
    return deep.grid().neighbour(rank, dz, dy, dx) >= 0;
  };
  const Extents n = deep.domain().n();
  const Box& own = deep.own();
  const int line = kLineBytes / value_bytes;  // along x whole lines, so that accesses stay aligned
  const int r = facts.r;
  Box core = own;
  if (cut(-1, 0, 0)) core.z0 += r;
  if (cut(1, 0, 0)) core.z1 -= r;
  if (cut(0, -1, 0)) core.y0 += r;
  if (cut(0, 1, 0)) core.y1 -= r;
  if (cut(0, 0, -1)) core.x0 = (core.x0 + r + line - 1) / line * line;
  if (cut(0, 0, 1)) core.x1 = (core.x1 - r) / line * line;
  if (core.empty()) return {};
  Overlap all;
  const auto piece = [&](const Box& box) {
    const Box made = streamed(box, facts.dims);
    return Piece{made, intersect(made, streamed(own, facts.dims))};
  };
  all.core = piece(core);
  for (const Box& box : shell_of(whole(n), core)) all.edges.push_back(piece(box));
  return all;
}

}  // namespace

std::optional<Overlap> overlap_exchange(const DeepHalo& deep, int rank, const StencilFacts& facts,
                                        int steps, int value_bytes) {
  if (steps == 1) return one_step(deep, rank, facts, value_bytes);
  const auto& parts = deep.grid().parts();
  const bool flat = facts.dims == 2;
  if (parts[0] > 1 || (!flat && parts[1] > 1)) return {};
  const int reach = steps * facts.r, wrong = reach - facts.r;
  const bool below = deep.grid().neighbour(rank, flat ? 0 : -1, flat ? -1 : 0, 0) >= 0;
  const bool above = deep.grid().neighbour(rank, flat ? 0 : 1, flat ? 1 : 0, 0) >= 0;
  const Box own = streamed(deep.own(), facts.dims);
  if (own.nz() < 3 * reach) return {};
  const auto planes = [&](int from, int to) {
    Box box = own;
    box.z0 = from, box.z1 = to;
    return box;
  };
  Overlap all;
  all.slabs = true;
  all.core = {planes(own.z0 + (below ? facts.r : 0), own.z1 - (above ? facts.r : 0)),
              planes(own.z0 + (below ? reach : 0), own.z1 - (above ? reach : 0))};
  if (below) {
    all.edges.push_back(
        {planes(own.z0 - wrong, own.z0 + reach + wrong), planes(own.z0, own.z0 + reach)});
  }
  if (above) {
    all.edges.push_back(
        {planes(own.z1 - reach - wrong, own.z1 + wrong), planes(own.z1 - reach, own.z1)});
  }
  return all;
}

}  // namespace tessera::jacobi
