// SPDX-License-Identifier: Apache-2.0
// Places that a table of a deck names: points, lines, areal grids, wells, files.
//
//   start               one place: [x, y] with a depth, or [x, y, z]; m
//   start, end          a line: with count, or step in m
//   start, end          an areal grid between two corners of one depth: count or step is a list of
//                       two, along x and y; x runs first
//   x, y, z             lists: the points themselves; with count or step a well through them, its
//                       places at equal distances along its length. One number holds for all
//   table               a CSV file of lines x,y,z
#pragma once

#include "base/io/deck.hpp"
#include "program/seismic/segy.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace tessera::shot {

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

/// Reads a CSV file of places in UTF-8: three numbers x,y,z in m a line. A first line "x,y,z",
/// empty lines and those that begin with # are ignored. Throws Error, naming file and line, for any
/// other line.
[[nodiscard]] std::vector<io::Position> read_place_table(const std::filesystem::path& path);

}  // namespace tessera::shot
