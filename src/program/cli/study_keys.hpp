// SPDX-License-Identifier: Apache-2.0
// The keys of a deck's tables that `tessera run` reads, for commands that read other parts of it.
#pragma once

#include "base/io/deck.hpp"

#include <string>
#include <vector>

namespace tessera {

/// Declares the keys of [select], [measure], [output] and [parallel] as known, and checks those
/// that the deck has by type and range; that a file which one names is there is not asked for.
/// `used` are those that `command` reads: one line on stderr names the others that `--set` gave,
/// since they change nothing. Throws Error for a bad value; reject_unknown() then refuses misspelt
/// keys.
void pass_over_study_keys(const io::Deck& deck, const std::string& command,
                          const std::vector<std::string>& used);

/// The same of [case], for a command that reads nothing of the grid. Of a shot's deck the keys that
/// its [output] has besides are known too.
void pass_over_grid_keys(const io::Deck& deck, const std::string& command,
                         const std::vector<std::string>& used);

}  // namespace tessera
