// SPDX-License-Identifier: Apache-2.0
// A survey: many shots of one deck, which differ in where their source and receivers are.
//
// The table [survey] of a shot's deck. Its [[source]], one, says the wavelet; where the sources are
// says [survey] by the keys of shot/places.hpp, or
//   segy      a SEG-Y file whose trace headers hold the geometry: sources, and each one's receivers
//   origin    [x, y] in m of the first inner cell in that file's coordinates ([0, 0])
// and besides
//   ranks_per_shot   how many of the job's ranks make a shot together; all by default
//   spread    "fixed": [[receivers]] are places; "moving": their x and y are distances from the
//             source, and what of them lies outside the inner region is left out
#pragma once

#include "program/shot/deck.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera::shot {

/// Where one shot of a survey is.
struct SurveyShot {
  int number = 1;  ///< in headers and names: 1, 2, ..., or the SEG-Y file's field record
  Station source;
  std::shared_ptr<const std::vector<Station>> receivers;  ///< shots of a fixed spread share them
  double moved_m = 0;        ///< farthest that one of them was moved to its cell
  std::size_t left_out = 0;  ///< receivers of a moving spread outside the inner region
};

struct Survey {
  std::vector<SurveyShot> shots;

  /// Name of a shot's directory: "shot-0012".
  [[nodiscard]] static std::string name_of(const SurveyShot& shot);
};

/// Reads [survey] for a shot that was read from the same deck. Throws Error for a deck without it,
/// bad keys, a place outside the inner region, a shot without receivers, and numbers that are there
/// twice.
[[nodiscard]] Survey read_survey(const io::Deck& deck, const ShotCase& shot);

/// Makes `shot` the given one of a survey; everything else about it stays.
void place(const SurveyShot& where, ShotCase& shot);

}  // namespace tessera::shot
