// SPDX-License-Identifier: Apache-2.0
// What the program says: results to standard output, warnings and errors to standard error. Saying
// something never fails: failed writes to standard output are reported once, at the end.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace tessera {

/// Opens standard descriptors that the parent closed on nothing, so that no file of the program's
/// gets their numbers; and lets writes to a pipe without a reader fail instead of killing the
/// program. To be called before anything else.
void guard_descriptors();

/// From here on nothing that follows in this header writes, or does again: of several ranks one
/// speaks.
void silence_output(bool silent = true);

/// Writes to standard output. What fails is remembered for finish_output().
void write_output(std::string_view text);

/// Formats and writes to standard output.
template <class... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  write_output(fmt::format(format, std::forward<Args>(args)...));
}

/// The same to another stream, whose failures are forgotten, or to standard output.
void write_to(std::FILE* stream, std::string_view text);
template <class... Args>
void say(std::FILE* stream, fmt::format_string<Args...> format, Args&&... args) {
  write_to(stream, fmt::format(format, std::forward<Args>(args)...));
}

/// Writes to standard error, where it can.
void write_error(std::string_view text);

/// Hands to the system what write_output() keeps.
void flush_output();

/// One line on standard error: "tessera: warning: TEXT", as shown() shows it.
void warn(std::string_view text);

/// Flushes standard output: why it took less than was written, "Broken pipe" where its reader left;
/// empty where it took everything.
[[nodiscard]] std::string finish_output();

/// The terminal's width: of stdout, else $COLUMNS, else 80.
[[nodiscard]] std::size_t terminal_width();

/// Text that may hold anything, as one line of a message: control characters and bytes that are not
/// UTF-8 are written as `\n`, `\t`, `\x1b`; of more than 600 characters the middle is left out.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace tessera
