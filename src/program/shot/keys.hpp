// SPDX-License-Identifier: Apache-2.0
// The deck keys of a shot and of a survey, beside [case], [acoustic], [model], [fit] and
// [parallel]. Places are in m from the first cell of the inner region, z downward.
#pragma once

#include "base/case/catalogue.hpp"
#include "base/keys/table.hpp"
#include "program/shot/deck.hpp"
#include "program/shot/output.hpp"

#include <string>

namespace tessera::shot {

[[nodiscard]] const keys::KeyTable<Wavelet>& source_keys();          ///< [[source]]
[[nodiscard]] const keys::KeyTable<ShotCase>& shot_keys();           ///< [shot]
[[nodiscard]] const keys::KeyTable<ShotCase>& snapshot_keys();       ///< [snapshots]
[[nodiscard]] const keys::KeyTable<ShotOutput>& output_keys();       ///< [output]
[[nodiscard]] const keys::KeyTable<keys::Nothing>& receiver_keys();  ///< [[receivers]]

/// What decks of a shot and of a survey may hold.
[[nodiscard]] keys::Form shot_form(const Catalogue& catalogue);

/// Throws Error for what a deck of `command`, "shot" or "survey", may not hold.
void check_shot_deck(const io::Deck& deck, const Catalogue& catalogue, const std::string& command);

}  // namespace tessera::shot
