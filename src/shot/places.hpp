// SPDX-License-Identifier: Apache-2.0
// Places that a table of a deck names: points, lines, areal grids, wells, files.
//
//   start               one place: [x, y] with a depth, or [x, y, z]; m
//   start, end          a line: with count, or step in m
//   start, end          an areal grid between two corners of one depth: count or step is a list of
//                       two, along x and y; x runs first
//   x, y, z             lists: the points themselves; with count or step a well through them, its
//                       places at equal distances along its length. One number stands for all
//   table               a file of lines x, y, z; a first line of names may order the columns
#pragma once

#include "io/deck.hpp"
#include "io/segy_writer.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace tessera::acoustic {

/// Most places that one table may name.
inline constexpr std::int64_t kMostPlaces = 1 << 20;

/// The places of a table, and the key to name in messages about them.
struct NamedPlaces {
  std::string where;
  std::vector<io::Position> at;
};

/// Reads the keys above from a table of a deck. Throws Error where they contradict each other or
/// name no place.
[[nodiscard]] NamedPlaces read_places(const io::Deck& table);

/// Reads a file of places: numbers between commas, semicolons or blanks, in m; lines that begin
/// with # are passed over. Without a line of names the columns are x, y, z. Throws Error, naming
/// file and line, for a line that is none.
[[nodiscard]] std::vector<io::Position> read_place_table(const std::filesystem::path& path);

}  // namespace tessera::acoustic
