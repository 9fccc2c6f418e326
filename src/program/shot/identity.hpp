// SPDX-License-Identifier: Apache-2.0
// What a shot computes, in words and numbers that two shots can be compared by.
#pragma once

#include "program/shot/deck.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::shot {

/// Name and value of everything that the recorded numbers depend on but for rounding: grid, time
/// step, precision, operator, model, sources, receivers, snapshots. Long lists and the model are
/// there by a hash. How many steps are made, by which variant, and which files are written do not
/// count.
using ShotIdentity = std::vector<std::pair<std::string, std::string>>;

/// A sum over cells of a hash of the place in a grid of `n` cells and the velocity there: parts of
/// a model, in any order, add up to the whole one's.
[[nodiscard]] std::uint64_t hash_of(const io::VelocityModel& model, const Extents& n);

/// The identity of a shot whose model is loaded.
[[nodiscard]] ShotIdentity identity_of(const ShotCase& shot);

/// A line an item, "name: value"; and back. Text that is none gives what of it can be read.
[[nodiscard]] std::string to_text(const ShotIdentity& identity);
[[nodiscard]] ShotIdentity parse_identity(std::string_view text);

/// The first item that differs, as "its time step is 0.002 s, here it is 0.001 s"; empty where all
/// are equal.
[[nodiscard]] std::string difference(const ShotIdentity& stored, const ShotIdentity& here);

/// A hash of the identity and the number of steps, 16 hexadecimal digits: shot.json's
/// `fingerprint`.
[[nodiscard]] std::string fingerprint(const ShotIdentity& identity, std::int64_t steps);

}  // namespace tessera::shot
