// SPDX-License-Identifier: Apache-2.0
// A shot on several ranks: who has which cells, and what only one rank does.
#pragma once

#include "comm/rank_grid.hpp"
#include "shot/deck.hpp"

namespace tessera::acoustic {

/// How the cells of a shot go to its ranks.
[[nodiscard]] comm::RankGrid rank_grid_of(const ShotCase& shot);

/// Throws Error for what several ranks do not do: another operator of the inner region,
/// checkpoints, and a receiver between the cells whose cells lie on several ranks. One rank does
/// all of it.
void require_fit_for_ranks(const ShotCase& shot);

}  // namespace tessera::acoustic
