// SPDX-License-Identifier: Apache-2.0
// What shot.json and run.json say of a shot.
#pragma once

#include "program/shot/output.hpp"
#include "program/shot/shot.hpp"

#include <nlohmann/json.hpp>

namespace tessera::shot {

/// Name and version of shot.json's layout.
inline constexpr const char* kShotSchema = "tessera-shot-1";

/// What shot.json says about the shot and its outcome; machine, build and deck are the caller's.
[[nodiscard]] nlohmann::json to_json(const ShotCase& shot, const ShotOutcome& outcome);

/// What must be equal in a shot that is continued (run.json): identity_of(), and which files hold
/// what is recorded, SEG-Y of which interval where the deck says it.
[[nodiscard]] nlohmann::json folder_identity(const ShotCase& shot, const ShotOutput& output);

/// The same of the outputs alone, in words.
[[nodiscard]] std::string outputs_text(const ShotCase& shot, const ShotOutput& output);

}  // namespace tessera::shot
