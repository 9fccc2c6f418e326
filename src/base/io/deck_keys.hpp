// SPDX-License-Identifier: Apache-2.0
// The names of deck keys: which ones a command reads, and which one a misspelt key resembles.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::io {

/// "case.nx" as {"case", "nx"}; an index stays with its name: "source[0].x" as {"source[0]", "x"}.
[[nodiscard]] std::vector<std::string> split_key(std::string_view key);

/// Smallest number of insertions, deletions, substitutions and swaps of neighbours between names.
[[nodiscard]] int edit_distance(std::string_view a, std::string_view b);

/// The name among `candidates` closest to `name`, or "" if none is close enough to be meant.
[[nodiscard]] std::string nearest_name(std::string_view name,
                                       const std::set<std::string>& candidates);

/// The keys asked for so far. Indices are dropped ("source[3].x" is kept as "source[].x"), since
/// all entries of a list of tables have the same keys.
class KnownKeys {
 public:
  /// Notes that `key` was asked for.
  void add(std::string_view key);
  /// Notes that `key`, and all keys below it, belong to somebody else.
  void allow(std::string_view key);

  [[nodiscard]] bool has(std::string_view key) const;
  /// Whether `key` was passed to allow().
  [[nodiscard]] bool is_allowed(std::string_view key) const;
  /// Whether a key below the table `key` is known, or the table itself.
  [[nodiscard]] bool has_table(std::string_view key) const;

  /// ", did you mean ...?" or a list of what the table `table` ("" for the top) may hold.
  [[nodiscard]] std::string suggest(std::string_view key, std::string_view table) const;

 private:
  std::set<std::string> keys_;
  std::set<std::string> allowed_;
};

}  // namespace tessera::io
