// SPDX-License-Identifier: Apache-2.0
// A survey: many shots of one deck, which differ in where their source and receivers are.
//
// The table [survey] of a shot's deck. Its one [[source]] gives the wavelet; [survey] gives the
// places of the sources by the keys of shot/places.hpp, or
//   segy      a SEG-Y file whose trace headers hold the geometry: sources, and each one's receivers
//   origin    [x, y] in m of the first inner cell in that file's coordinates ([0, 0])
// and besides
//   ranks_per_shot   how many of the job's ranks make a shot together; all by default
//   spread    "fixed": [[receivers]] are places; "moving": their x and y are distances from the
//             source, and what of them lies outside the inner region is left out
#pragma once

#include "program/shot/shot_run.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <memory>
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

/// The groups that the job's ranks form.
struct SurveyGroups {
  int count = 1;
  comm::Ranks mine;     ///< those that make a shot together with this one
  comm::Ranks leaders;  ///< the first ranks of all groups; of no meaning on others
};

/// Collective. Reads survey.ranks_per_shot. Throws Error where the ranks are no multiple of it.
[[nodiscard]] SurveyGroups read_groups(const io::Deck& deck);

/// What must be equal in a survey that is continued (run.json): what its shots compute, as
/// identity_of() its first one except for the source's place, the number of steps, the outputs, and
/// where each shot is.
[[nodiscard]] nlohmann::json survey_identity(const ShotCase& first, const ShotOutput& output,
                                             const Survey& survey);

/// How many shots are complete, and how many failed; of the first rank.
struct SurveyOutcome {
  std::size_t complete = 0;
  int failed = 0;
};

/// Runs the shots that are not complete, one after another, or by groups of ranks that each take
/// the next, then puts the gathers into survey.sgy. One that fails is noted and reported; the
/// others continue. The job's first rank keeps survey.json, which begins as `record` and says how
/// each shot stands. Collective, of all ranks. Throws Interrupted after the shot under way where a
/// signal came.
[[nodiscard]] SurveyOutcome run_survey(const Survey& survey, ShotCase& shot,
                                       const ShotOutput& output, ShotRun how,
                                       const SurveyGroups& groups, nlohmann::json record);

}  // namespace tessera::shot
