// SPDX-License-Identifier: Apache-2.0
// Warnings about lengths that look like km, and about keys without effect.
#pragma once

#include "program/shot/deck.hpp"
#include "program/shot/output.hpp"

#include <string>
#include <vector>

namespace tessera::shot {

/// Warnings about lengths that look like km where m are expected: several places of a table that
/// lie within a tenth of a cell, tops of layers within one.
[[nodiscard]] std::vector<std::string> unit_warnings(const io::Deck& deck, const ShotCase& shot,
                                                     PlacesOf places = PlacesOf::deck);

/// A line for each key that has no effect beside another one. The model must be loaded, on which
/// the steps may depend.
[[nodiscard]] std::vector<std::string> idle_keys(const io::Deck& deck, const ShotCase& shot,
                                                 const ShotOutput& output);

}  // namespace tessera::shot
