// SPDX-License-Identifier: Apache-2.0
// What a shot computes, in words and numbers that two shots can be compared by.
#pragma once

#include "program/shot/output.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tessera::shot {

/// Name and value of everything that the recorded numbers depend on apart from rounding: grid, time
/// step, precision, operator, model, sources, receivers, snapshots. Long lists and the model are
/// there by a hash. How many steps are made, by which variant, and which files are written do not
/// count.
using ShotIdentity = std::vector<std::pair<std::string, std::string>>;

/// A sum over cells of a hash of the place in a grid of `n` cells and the velocity there: parts of
/// a model, in any order, add up to the whole one's.
[[nodiscard]] std::uint64_t hash_of(const io::VelocityModel& model, const Extents& n);

/// The identity of a shot whose model is loaded.
[[nodiscard]] ShotIdentity identity_of(const ShotCase& shot);

/// A line an item, "name: value".
[[nodiscard]] std::string to_text(const ShotIdentity& identity);

/// A hash of the identity and the number of steps, 16 hexadecimal digits: shot.json's
/// `fingerprint`.
[[nodiscard]] std::string fingerprint(const ShotIdentity& identity, std::int64_t steps);

/// What must be equal in a shot that is continued (run.json): identity_of(), and which files hold
/// what is recorded, SEG-Y of which interval where the deck says it.
[[nodiscard]] nlohmann::json folder_identity(const ShotCase& shot, const ShotOutput& output);

/// The same of the outputs alone, in words.
[[nodiscard]] std::string outputs_text(const ShotCase& shot, const ShotOutput& output);

}  // namespace tessera::shot
