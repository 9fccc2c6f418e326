// SPDX-License-Identifier: Apache-2.0
// Tables of keys, and the forms of decks that are made of them.
#pragma once

#include "base/keys/key.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tessera::keys {

/// A table of a deck ([case]), or its entries ([[source]]).
struct Table {
  std::string name = {};  ///< empty: the top of the file
  std::string meaning = {};
  std::vector<Key> keys = {};
  bool is_list = false;       ///< takes one table or several
  bool is_required = false;   ///< a deck without it is refused where it is read
  bool is_open = false;       ///< of other commands: neither read nor checked
  std::string selector = {};  ///< a key of the deck that says what there is: "case.family"
  std::string only = {};      ///< values of the selector with this table; empty: all
  std::string readers = {};   ///< commands that read it; empty: all that take the deck
  std::vector<std::vector<std::string>> alternatives = {};  ///< keys of which one set is required
};

/// A table of another command's decks, which may stand in this one's.
[[nodiscard]] inline Table passed_over(std::string name, std::string readers) {
  return {.name = std::move(name),
          .meaning = "of tessera " + readers + "; ignored",
          .is_open = true,
          .readers = std::move(readers)};
}

/// Whether `word` is one of `words`, "raw segy".
[[nodiscard]] bool has_word(const std::string& words, const std::string& word);

/// A table whose keys fill an S.
template <class S>
class KeyTable {
 public:
  KeyTable(Table table, std::vector<KeyOf<S>> keys)
      : table_(std::move(table)), keys_(std::move(keys)) {
    for (const KeyOf<S>& one : keys_) table_.keys.push_back(one.key);
  }

  [[nodiscard]] const Table& table() const { return table_; }

  /// Checks the keys that `deck` has in this table, and puts those with a member into `to`. `deck`
  /// is the whole deck, or an entry of a list of tables. Throws Error for a bad value.
  void read(const io::Deck& deck, S& to) const {
    for (const KeyOf<S>& one : keys_) {
      const std::string full =
          table_.is_list || table_.name.empty() ? one.key.name : table_.name + "." + one.key.name;
      const std::string& only = one.key.only;
      if (!only.empty() && !has_word(only, deck.get(table_.selector, ""))) continue;
      check_value(deck, full, one.key);
      if (one.store && deck.contains(full)) one.store(deck, full, to);
    }
  }

  /// "pml_cells=27 cfl=0.7": what tells one S from another.
  [[nodiscard]] std::string details(const S& of) const {
    const S usual{};
    std::string words;
    for (const KeyOf<S>& one : keys_) {
      if (one.detail == Detail::none) continue;
      const std::string value = one.text(of);
      if (one.detail == Detail::unless_usual && value == one.text(usual)) continue;
      words += (words.empty() ? "" : " ") + one.key.name;
      if (one.key.kind != Kind::flag) words += "=" + value;
    }
    return words;
  }

 private:
  Table table_;
  std::vector<KeyOf<S>> keys_;
};

/// What decks of a kind may hold.
struct Form {
  std::string name;   ///< "deck"
  std::string title;  ///< "Tessera deck"
  std::string meaning;
  std::vector<Table> tables = {};

  /// Adds a table, or the keys of one to what is there of it.
  void add(Table table);
  [[nodiscard]] const Table* find(const std::string& name) const;
};

/// Throws Error, with the nearest known name, for the first table or key of `deck` that `form` does
/// not have, and for a value that a key does not take. Warns of what `--set` gives and `command`
/// does not read.
void check_deck(const io::Deck& deck, const Form& form, const std::string& command);

/// The JSON Schema of decks of a form.
[[nodiscard]] nlohmann::ordered_json schema_of(const Form& form);

/// 1e6 as 1000000: numbers in schemas are read by people too.
[[nodiscard]] nlohmann::ordered_json plain_number(double value);

/// A schema as text, a key or field on a line of its own.
[[nodiscard]] std::string schema_text(const nlohmann::ordered_json& schema);

}  // namespace tessera::keys
