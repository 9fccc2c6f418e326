// SPDX-License-Identifier: Apache-2.0
// How a case runs on ranks: which, in what grid, by which transport.
#pragma once

#include "base/comm/rank_grid.hpp"
#include "base/comm/ranks.hpp"
#include "base/comm/transport.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>

namespace tessera::comm {

/// What a user requests. Left as it is: the cheapest grid, the best transport, overlap.
struct ParallelOptions {
  std::optional<std::array<int, 3>> parts;  ///< ranks along x, y, z
  std::string transport = "auto";
  bool overlap = true;  ///< exchange beside the cells that need none of it
};

/// The ranks of a case. The default is this process alone.
struct Parallel {
  Ranks ranks;
  ParallelOptions options;
  std::shared_ptr<const Transport> transport;  ///< null where alone

  Parallel() = default;
  /// Collective: chooses the transport. Throws Error as make_transport does.
  Parallel(Ranks group, ParallelOptions asked);

  /// The grid requested, else the cheapest. Throws Error where there is none, and where the one
  /// requested is not of as many ranks as there are.
  [[nodiscard]] RankGrid divide(const Extents& n, const SplitCost& cost) const;
};

/// Reads "1x1x4" as ranks along x, y, z. Throws Error, naming `what`, for anything else.
[[nodiscard]] std::array<int, 3> parse_parts(const std::string& text, const std::string& what);

}  // namespace tessera::comm
