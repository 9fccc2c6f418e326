// SPDX-License-Identifier: Apache-2.0
#include "variants/jacobi/case/deep_halo.hpp"

#include "base/support/error.hpp"
#include "base/support/text.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tessera::jacobi {
namespace {

comm::RankGrid deep_grid(const StencilFacts& facts, const Extents& n,
                         const comm::Parallel& parallel, int depth, int value_bytes) {
  const double bytes = value_bytes, steps = depth;
  return parallel.divide(n, {.width = depth * facts.r,
                             .values = bytes,
                             .cell_bytes = 2 * bytes / steps,
                             .steps = steps,
                             .cuts = {true, true, facts.dims == 3}});
}

}  // namespace

StencilFacts facts_of(const std::string& stencil) {
  StencilFacts facts;
  with_stencil(stencil, [&](auto s) {
    using StencilType = decltype(s);
    facts = {StencilType::kDims, StencilType::kR, StencilType::kRy, StencilType::kFlops};
  });
  if (facts.flops == 0) {
    std::vector<std::string> names;
    for_each_stencil([&](auto s) { names.emplace_back(decltype(s)::kName); });
    fail("stencil \"{}\" does not exist; did you mean {}?", stencil, nearest_name(stencil, names));
  }
  return facts;
}

FieldLayout layout_of(const std::string& stencil, const Extents& n, int value_bytes) {
  const StencilFacts facts = facts_of(stencil);
  return {n, facts.r, facts.dims == 2 ? 0 : facts.r, value_bytes};
}

int depth_of(const Selected& how, const Problem& problem, const Extents& n) {
  const Plan plan =
      how.variant->plan(how.configuration, {"inner", Update::inner, whole(n), {}}, problem);
  return plan.supported() ? std::max(1, plan.temporal_depth) : 1;
}

DeepHalo::DeepHalo(const std::string& stencil, const Extents& n, const comm::Parallel& parallel,
                   int depth, int value_bytes)
    : DeepHalo(facts_of(stencil), deep_grid(facts_of(stencil), n, parallel, depth, value_bytes),
               parallel.ranks.rank(), depth) {}

DeepHalo::DeepHalo(const StencilFacts& facts, comm::RankGrid grid, int rank, int depth)
    : width_(depth * facts.r), grid_(std::move(grid)) {
  const int more = width_ - facts.r;
  const auto beyond = [&](int dz, int dy, int dx) {
    return grid_.neighbour(rank, dz, dy, dx) >= 0 ? more : 0;
  };
  const Domain part = grid_.domain(rank);
  const Box& own = part.box;
  domain_ = {part.grid,
             {own.z0 - beyond(-1, 0, 0), own.z1 + beyond(1, 0, 0), own.y0 - beyond(0, -1, 0),
              own.y1 + beyond(0, 1, 0), own.x0 - beyond(0, 0, -1), own.x1 + beyond(0, 0, 1)}};
  own_ = domain_.local(own);
}

}  // namespace tessera::jacobi
