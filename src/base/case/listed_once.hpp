// SPDX-License-Identifier: Apache-2.0
// Lists of choices, of a deck or of an option that may be repeated: each makes rows of its own.
#pragma once

#include "base/support/error.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace tessera {

/// Throws Error, which begins with `where`, if a choice is in the list twice: its rows would be
/// too.
inline void require_listed_once(const std::vector<std::string>& choices, const std::string& where) {
  for (auto choice = choices.begin(); choice != choices.end(); ++choice) {
    require(std::find(choices.begin(), choice, *choice) == choice, "{}: {} is there twice", where,
            *choice);
  }
}

}  // namespace tessera
