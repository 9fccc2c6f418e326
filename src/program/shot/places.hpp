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

#include "base/io/deck.hpp"
#include "program/seismic/segy_writer.hpp"

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

/// Reads a file of places: numbers in m between commas, semicolons, tabs or blanks, one of these in
/// the whole file; lines that begin with # are passed over. A first line of names, each of x, y and
/// z once in either case, orders the columns and may have others; without it a line is three
/// numbers. Throws Error, naming file and line, for a line that is none: another number of cells
/// than the first line's, one of the three empty or no number, commas beside semicolons.
[[nodiscard]] std::vector<io::Position> read_place_table(const std::filesystem::path& path);

}  // namespace tessera::shot
