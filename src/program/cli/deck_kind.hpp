// SPDX-License-Identifier: Apache-2.0
// Which command a TOML file is for: a file given to another one is told so.
#pragma once

#include "base/io/deck.hpp"

#include <string>

namespace tessera {

/// Throws Error where the tables of `deck` show that it is not for `command` ("run", "tune",
/// "predict", "shot", "fit" or "study"), naming the command that takes it.
void require_deck_of(const std::string& command, const io::Deck& deck);

}  // namespace tessera
