// SPDX-License-Identifier: Apache-2.0
#include "base/comm/parallel.hpp"

#include "base/support/error.hpp"

#include <charconv>
#include <utility>

namespace tessera::comm {

Parallel::Parallel(Ranks group, ParallelOptions asked)
    : ranks(std::move(group)),
      options(std::move(asked)),
      transport(make_transport(options.transport, ranks)) {}

RankGrid Parallel::divide(const Extents& n, const SplitCost& cost) const {
  if (!options.parts) return choose_rank_grid(n, ranks.size(), cost);
  RankGrid grid(n, *options.parts, cost);
  require(grid.size() == ranks.size(), "parallel.ranks = {} means {} ranks, but {} were started",
          grid.text(), grid.size(), ranks.size());
  return grid;
}

std::array<int, 3> parse_parts(const std::string& text, const std::string& what) {
  std::array<int, 3> parts{};
  const char* at = text.data();
  const char* end = at + text.size();
  for (std::size_t a = 0; a < 3; ++a) {
    const auto [rest, error] = std::from_chars(at, end, parts[a]);
    const bool last = a == 2;
    const bool fits =
        error == std::errc() && parts[a] >= 1 && (last ? rest == end : rest != end && *rest == 'x');
    require(fits, "{} = \"{}\": ranks along x, y and z are required, as in 1x1x4", what, text);
    at = rest + (last ? 0 : 1);
  }
  return parts;
}

}  // namespace tessera::comm
