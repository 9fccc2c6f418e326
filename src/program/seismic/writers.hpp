// SPDX-License-Identifier: Apache-2.0
// Who writes a file: this process alone, or several that each write a part of one.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace tessera::io {

/// The default is this process alone. Of several all make the same calls in the same order, and
/// their file system must show each what the others wrote.
struct Writers {
  bool first = true;  ///< creates files, names and describes them
  /// Calls `body` on all, and returns when all have done so; what fails for one fails for all.
  std::function<void(const std::function<void()>& body)> together =
      [](const std::function<void()>& body) { body(); };
  /// The first one's numbers, on all.
  std::function<std::vector<std::uint64_t>(const std::vector<std::uint64_t>& numbers)> share =
      [](const std::vector<std::uint64_t>& numbers) { return numbers; };

  /// The sum of all their numbers modulo 2^64, each for itself, on all.
  std::function<std::vector<std::uint64_t>(const std::vector<std::uint64_t>& numbers)> sum =
      [](const std::vector<std::uint64_t>& numbers) { return numbers; };

  /// `body` on the first one alone; what fails there fails for all.
  void on_first(const std::function<void()>& body) const {
    together([&] {
      if (first) body();
    });
  }
};

}  // namespace tessera::io
