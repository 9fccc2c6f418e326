// SPDX-License-Identifier: Apache-2.0
// The words for errors on the host: require() for bad input or a broken promise, Error to carry it.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace tessera {

/// A failure with one line for the user. main() prints it as `tessera: error: <message>` and
/// exits with status 1.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What `--strict` throws where measurements are doubtful: they are written, and the exit status
/// is 3.
class Doubtful : public Error {
 public:
  using Error::Error;
};
inline constexpr int kDoubtfulStatus = 3;

/// Throws Error with a formatted message. The message names the key or file, the value, the limit.
template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(fmt::format(format, std::forward<Args>(args)...));
}

/// Throws Error with a formatted message unless `condition` holds.
template <class... Args>
void require(bool condition, fmt::format_string<Args...> format, Args&&... args) {
  if (!condition) throw Error(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace tessera
