// SPDX-License-Identifier: Apache-2.0
// Entry points of the acoustic family for the list of families and the `shot` command.
#pragma once

#include "base/case/case.hpp"
#include "base/keys/table.hpp"
#include "variants/acoustic/case/setup.hpp"

namespace tessera::acoustic {

/// The keys of [acoustic] that make a Setup; `run` knows some more.
[[nodiscard]] const keys::KeyTable<Setup>& setup_keys();

/// Reads the physics from [acoustic]; without acoustic.f_max that is `f_max`, where above 0. Then
/// the grid from [case]. Throw Error for values that make no sense.
[[nodiscard]] Setup read_physics(const io::Deck& deck, double f_max = 0);
void read_grid(const io::Deck& deck, Setup& setup);
/// Both.
[[nodiscard]] Setup read_setup(const io::Deck& deck);

/// The case of a deck.
[[nodiscard]] std::unique_ptr<Case> make_case(const io::Deck& deck);

/// The family as commands see it.
[[nodiscard]] Family family();

}  // namespace tessera::acoustic
