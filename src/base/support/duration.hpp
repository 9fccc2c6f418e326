// SPDX-License-Identifier: Apache-2.0
// Durations as users read and write them.
#pragma once

#include <string>
#include <string_view>

namespace tessera {

/// "42 s", "3 min 05 s" or "2 h 07 min".
[[nodiscard]] std::string duration_text(double seconds);

/// Seconds of "90", "90s", "20m", "1.5h" (blanks before the unit are allowed; "min" is "m").
/// Throws Error, naming `where`, where the text is none of these or not above zero.
[[nodiscard]] double parse_duration(std::string_view text, std::string_view where);

}  // namespace tessera
