// SPDX-License-Identifier: Apache-2.0
// What every value on the command line must be, whichever command takes it, and which options go
// together.
#pragma once

#include <initializer_list>
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

/// Has a command refuse an option, by its name, beside each of others that make it pointless: what
/// is typed has an effect, or is refused. A positional argument goes by its name in --help.
void refuse_together(CLI::App& command, const std::string& option,
                     std::initializer_list<const char*> others);
/// Has a command refuse each of some options where `other`, which alone gives them a meaning, is
/// not there.
void refuse_without(CLI::App& command, const std::string& other,
                    std::initializer_list<const char*> options);

/// Throws Error where an option has nothing behind its '=': the parser would take the next word.
void require_values(int argc, const char* const* argv);

}  // namespace tessera
