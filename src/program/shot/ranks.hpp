// SPDX-License-Identifier: Apache-2.0
// A shot on several ranks: who has which cells, and what only one rank does.
#pragma once

#include "base/comm/rank_grid.hpp"
#include "program/seismic/part_file.hpp"
#include "program/shot/deck.hpp"

namespace tessera::shot {

/// How the cells of a shot go to its ranks.
[[nodiscard]] comm::RankGrid rank_grid_of(const ShotCase& shot);

/// The cells of this rank.
[[nodiscard]] Domain domain_of(const ShotCase& shot);
[[nodiscard]] io::CellBox cell_box(const Box& box);

/// The samples of a snapshot that this rank has, counted as the axes of the shot do; there may be
/// none.
[[nodiscard]] Box snapshot_box_of(const ShotCase& shot);

/// The ranks of a shot as those who write its files.
[[nodiscard]] io::Writers writers_of(const comm::Ranks& ranks);

/// Throws Error for what several ranks do not do: another operator of the inner region, and more
/// receivers between the cells of several than are summed on the first.
void require_fit_for_ranks(const ShotCase& shot);

/// What an operator of the inner region is made for, on this rank; reads shot.model when asked for
/// a velocity.
[[nodiscard]] Medium medium_of(const ShotCase& shot);

}  // namespace tessera::shot
