// SPDX-License-Identifier: Apache-2.0
// shot.json: what it says of a shot, and whether by it the shot is complete.
#pragma once

#include "program/shot/output.hpp"
#include "program/shot/shot.hpp"

#include <nlohmann/json.hpp>

namespace tessera::shot {

/// Name and version of shot.json's layout.
inline constexpr const char* kShotSchema = "tessera-shot-1";

/// What shot.json says about the shot and its outcome; machine, build and deck are the caller's.
[[nodiscard]] nlohmann::json to_json(const ShotCase& shot, const ShotOutcome& outcome);

/// Interval between the samples of the gather.sgy that the shot leaves, us; 0 where none is wanted.
/// Throws Error where SEG-Y cannot hold it (io::plan_segy()).
[[nodiscard]] int segy_interval_us(const ShotCase& shot, const ShotOutput& output);

/// Whether the directory holds this shot, complete, with every file that is wanted now, each of as
/// many bytes as it was left with, and a gather.sgy of the interval that is wanted now. Throws
/// Error for a shot.json that no shot has left.
[[nodiscard]] bool is_complete(const ShotCase& shot, const ShotOutput& output);

}  // namespace tessera::shot
