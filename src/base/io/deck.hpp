// SPDX-License-Identifier: Apache-2.0
// Decks: TOML files that describe a case, read strictly.
//
// Keys are dotted: "case.nx". The tables of src/base/keys declare the keys and their values. Errors
// name file and line, the key, what was found and what is expected.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/support/data_directory.hpp"
#include "base/support/error.hpp"

namespace tessera::io {

/// A parsed deck, or one table of an array of tables in it. Copies share the contents. The types T
/// of get(): bool, int, std::int64_t, double, std::string, std::vector<double>,
/// std::vector<std::int64_t>, std::vector<std::string>. An integer is taken where a double is
/// expected, and a single value where a list is.
class Deck {
 public:
  /// Parses a file. Throws Error when it is missing or not TOML.
  [[nodiscard]] static Deck from_file(const std::filesystem::path& path);
  /// Parses text; `name` replaces the file name in messages.
  [[nodiscard]] static Deck from_string(std::string_view text, std::string name = "deck");

  /// Overrides one key, as `--set` does: "case.nx=100", "source[1].x=50.5", "select.variants=a/*".
  /// The value is read as TOML; what is not TOML is taken as a string. A table is replaced as a
  /// whole, "model={kind="uniform", v=2000}"; without a value, "model.tops=", the key is removed.
  void set(std::string_view assignment);
  /// A copy, with one key overridden so.
  [[nodiscard]] Deck with(std::string_view assignment) const;

  /// The keys that set() gave a value, and those below a table that it gave.
  [[nodiscard]] const std::set<std::string>& overrides() const;
  /// Whether set() gave the key its value.
  [[nodiscard]] bool is_overridden(std::string_view key) const;
  /// Removes from a table all keys that set() did not give: what is said anew is not mixed with
  /// what the file says.
  void keep_overrides(std::string_view table);

  /// The value of a key that must be there. Throws Error when it is missing or of another type.
  template <class T>
  [[nodiscard]] T get(std::string_view key) const;
  /// The value of a key, or `fallback` where the deck doesn't have it.
  template <class T>
  [[nodiscard]] T get(std::string_view key, const T& fallback) const;
  [[nodiscard]] std::string get(std::string_view key, const char* fallback) const {
    return get<std::string>(key, std::string(fallback));
  }
  /// The input file that a key names: find_input() with the deck's folder, which comes first for
  /// what stands in the deck, after the working directory for what `--set` says.
  [[nodiscard]] std::filesystem::path get_path(std::string_view key,
                                               const InputKind& kind = kInputFile) const;
  /// The input file that an option beside the deck names: found as if `--set` had said it.
  [[nodiscard]] std::filesystem::path find_beside(const InputKind& kind,
                                                  const std::filesystem::path& name) const;

  /// The tables of an array of tables ([[source]]); one for a plain [source]; none if absent.
  [[nodiscard]] std::vector<Deck> tables(std::string_view key) const;
  /// Whether the deck has the key (also of a table).
  [[nodiscard]] bool contains(std::string_view key) const;
  /// Whether the deck has the key, as a string: of keys that take a number or a text.
  [[nodiscard]] bool is_text(std::string_view key) const;
  /// Whether the deck has a list there, and its length; of a single value 1, of none 0.
  [[nodiscard]] bool is_list(std::string_view key) const;
  [[nodiscard]] std::size_t entries(std::string_view key) const;

  /// "file:line: key" (or "--set key"): the start of a message about a value.
  [[nodiscard]] std::string where(std::string_view key) const;
  /// The deck with its overrides applied, for the result file.
  [[nodiscard]] nlohmann::json to_json() const;
  /// Name of the file (or the name given to from_string).
  [[nodiscard]] const std::string& name() const;

 private:
  struct State;  // The TOML library stays out of this header: it takes seconds to compile.
  Deck(std::shared_ptr<State> state, std::string prefix);

  [[nodiscard]] std::string full_key(std::string_view key) const;
  template <class T>
  [[nodiscard]] bool lookup(std::string_view key, T& value) const;

  std::shared_ptr<State> state_;
  std::string prefix_;  // Path of a sub-deck in the file, with its dot: "source[0].".
};

}  // namespace tessera::io
