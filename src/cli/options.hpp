// SPDX-License-Identifier: Apache-2.0
// What every value on the command line must be, whichever command takes it.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace tessera {

/// Has each option of each command refuse a value that is empty: of a shell's variable that is not
/// set.
void refuse_empty_values(CLI::App& app);

/// Checks of an option that takes a number, behind that of its range: why the text is none, or is
/// one that the parser would take for another (octal, hexadecimal, one that wraps around); empty
/// where it is one.
[[nodiscard]] std::string finite_number(const std::string& text);
/// `Whole`: the option's own type, std::int64_t or std::uint64_t.
template <class Whole>
[[nodiscard]] std::string whole_number(const std::string& text);

/// Throws Error where an option has nothing behind its '=': the parser would take the next word.
void require_values(int argc, const char* const* argv);

}  // namespace tessera
