// SPDX-License-Identifier: Apache-2.0
// Where a survey writes: what can be found wrong there before its first shot.
#pragma once

#include "program/shot/output.hpp"
#include "program/shot/survey.hpp"

#include <filesystem>
#include <vector>

namespace tessera {

/// A shot's own files: in a directory of its name.
[[nodiscard]] shot::ShotOutput output_of(const shot::SurveyShot& shot, shot::ShotOutput output);

/// The survey's own files in its directory.
[[nodiscard]] std::vector<std::filesystem::path> files_of(const shot::ShotOutput& output);

/// Throws Error where a file or directory of the survey may not have its name: it is something else
/// today, it is what was read, or links make it one with another, also with one of another shot.
/// Places `shot` at each of the survey's shots.
void require_own_places(const shot::Survey& survey, shot::ShotCase& shot,
                        const shot::ShotOutput& output);

/// Throws Error where another process holds the survey's directory or one of a shot.
void require_free_places(const shot::Survey& survey, const shot::ShotOutput& output);

/// Collective, of all ranks. Throws Error where a shot that is not complete would go on from a
/// checkpoint of another shot, or a damaged one. Reads all of them. Places `shot` as above.
void require_usable_checkpoints(const shot::Survey& survey, shot::ShotCase& shot,
                                const shot::ShotOutput& output);

}  // namespace tessera
