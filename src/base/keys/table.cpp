// SPDX-License-Identifier: Apache-2.0
// Decks held against tables of keys.
#include "base/keys/table.hpp"

#include "base/support/console.hpp"
#include "base/support/error.hpp"
#include "base/support/text.hpp"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

namespace tessera::keys {

bool has_word(const std::string& words, const std::string& word) {
  std::istringstream in(words);
  for (std::string one; in >> one;) {
    if (one == word) return true;
  }
  return false;
}

namespace {

template <class T>
void check_numbers(const io::Deck& deck, const std::string& key, const Values& values) {
  for (const T value : deck.get<std::vector<T>>(key)) {
    // Written so that NaN fails too.
    const auto number = static_cast<double>(value);
    const bool fine =
        number >= values.least && number <= values.most && !(values.open && number == values.least);
    if (!fine && !values.open && std::isfinite(values.least) && std::isfinite(values.most)) {
      fail("{} = {} is not between {} and {}", deck.where(key), value, values.least, values.most);
    }
    require(fine, "{} = {} is not {} {}{}", deck.where(key), value,
            values.open ? "above" : "at least", values.least,
            std::isfinite(values.most) ? fmt::format(" and at most {}", values.most) : "");
  }
}

void check_texts(const io::Deck& deck, const std::string& key, const Values& values) {
  for (const std::string& value : deck.get<std::vector<std::string>>(key)) {
    const auto& choices = values.choices;
    if (choices.empty() || std::find(choices.begin(), choices.end(), value) != choices.end()) {
      continue;
    }
    constexpr std::size_t kMostListed = 16;
    fail("{} = \"{}\" is not one of {}", deck.where(key), value,
         choices.size() <= kMostListed ? fmt::format("{}", fmt::join(choices, ", "))
                                       : fmt::format("{} names; the nearest is {}", choices.size(),
                                                     nearest_name(value, choices)));
  }
}

/// Throws Error where `key` is no single value and takes no other, or has too many entries.
void check_shape(const io::Deck& deck, const std::string& key, const Key& rule) {
  const std::size_t entries = deck.entries(key);
  const bool one = rule.single && !deck.is_list(key);
  const bool fits = entries >= rule.fewest && entries <= rule.entries;
  if (one || (fits && rule.entries > 0)) return;
  require(rule.entries > 0, "{} is a list: one value is expected", deck.where(key));
  require(rule.entries != kAnyNumber, "{} is an empty list", deck.where(key));
  fail("{} has {} values: expected {}{}", deck.where(key), entries, rule.single ? "one or " : "",
       rule.entries);
}

/// The walk through a deck.
class Check {
 public:
  Check(const io::Deck& deck, const Form& form) : deck_(deck), form_(form), json_(deck.to_json()) {}

  void all() const {
    static const Table kNone;
    const Table* top = form_.find("");
    for (const auto& item : json_.items()) {
      require_plain(item.key(), item.key());
      const Table* table = form_.find(item.key());
      const auto is_top_key = [&](const Key& key) { return key.name == item.key(); };
      if (table == nullptr && top != nullptr &&
          std::any_of(top->keys.begin(), top->keys.end(), is_top_key)) {
        continue;
      }
      if (table == nullptr) refuse(item.key(), top == nullptr ? kNone : *top, item.value());
      check_table(*table, item.value());
    }
    if (top != nullptr) check_keys(deck_, *top, "", json_);
  }

 private:
  void check_table(const Table& table, const nlohmann::json& content) const {
    if (table.is_open) return;
    const std::string& name = table.name;
    require(table.only.empty() || table.only == selected(table),
            "{}: [{}] is of {} = \"{}\", not \"{}\"", deck_.where(name), name, table.selector,
            table.only, selected(table));
    if (!table.is_list) {
      require(!content.is_array(), "{} is a list of tables: write [{}]", deck_.where(name), name);
      require(content.is_object(), "{} is {}: a table is expected", deck_.where(name),
              content.dump());
      return check_keys(deck_, table, name + ".", content);
    }
    const std::vector<io::Deck> entries = deck_.tables(name);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      check_entries(entries[i], table,
                    content.is_array() ? fmt::format("{}[{}].", name, i) : name + ".",
                    content.is_array() ? content[i] : content);
    }
  }

  void check_entries(const io::Deck& entry, const Table& table, const std::string& path,
                     const nlohmann::json& content) const {
    for (const auto& item : content.items()) known(table, item.key(), path, item.value());
    for (const Key& key : table.keys) check_value(entry, key.name, key);
  }

  void check_keys(const io::Deck& deck, const Table& table, const std::string& path,
                  const nlohmann::json& content) const {
    if (!path.empty()) {
      for (const auto& item : content.items()) known(table, item.key(), path, item.value());
    }
    for (const Key& key : table.keys) {
      if (!key.is_required || content.contains(key.name)) check_value(deck, path + key.name, key);
    }
  }

  /// Throws Error where the table has no key of that name.
  void known(const Table& table, const std::string& name, const std::string& path,
             const nlohmann::json& value) const {
    require_plain(name, path);
    for (const Key& key : table.keys) {
      if (key.name != name) continue;
      const std::string kind = key.only.empty() ? std::string() : selected(table);
      require(key.only.empty() || has_word(key.only, kind), "{} is of {} = {}, not \"{}\"",
              deck_.where(path + name), table.selector, key.only, kind);
      return;
    }
    refuse(path + name, table, value);
  }

  /// The value of a table's selector; a default that no deck writes is that of its key.
  [[nodiscard]] std::string selected(const Table& table) const {
    const auto dot = table.selector.find('.');
    if (dot == std::string::npos) return {};
    for (const Key& key : form_.find(table.selector.substr(0, dot))->keys) {
      if (key.name != table.selector.substr(dot + 1)) continue;
      const std::string usual = key.usual.empty() ? "" : nlohmann::json::parse(key.usual);
      return deck_.get<std::string>(table.selector, usual);
    }
    return {};
  }

  void require_plain(const std::string& name, const std::string& where) const {
    require(name.find_first_of(".[]") == std::string::npos && !name.empty(),
            "{}: \"{}\" is one name in quotes, which no key is: write it without quotes ({})",
            deck_.name(), shown(name), where);
  }

  [[noreturn]] void refuse(const std::string& full, const Table& table,
                           const nlohmann::json& value) const {
    std::string where = deck_.where(full);
    where.resize(where.size() - full.size());
    const bool is_list = value.is_array() && !value.empty() && value[0].is_object();
    fail("{}unknown {} {}, {}", where,
         value.is_object() ? "table"
         : is_list         ? "list of tables"
                           : "key",
         full, suggest(full, table));
  }

  /// ", did you mean ...?" or a list of what the table may hold.
  [[nodiscard]] std::string suggest(const std::string& full, const Table& table) const {
    const std::string name = full.substr(full.rfind('.') + 1);
    std::vector<std::string> known;
    for (const Key& key : table.keys) {
      const bool here = key.only.empty() || has_word(key.only, selected(table));
      if (here && key.gone.empty()) known.push_back(key.name);
    }
    if (full.find('.') == std::string::npos) {
      for (const Table& one : form_.tables) {
        if (!one.name.empty() && (one.only.empty() || one.only == selected(one))) {
          known.push_back(one.name);
        }
      }
    }
    std::sort(known.begin(), known.end());
    const std::string prefix = table.name.empty() ? "" : table.name + ".";
    const std::string nearest = nearest_name(name, known);
    // Beyond a third of the name a suggestion would be a guess.
    if (edit_distance(name, nearest) <= std::max<std::size_t>(2, name.size() / 3)) {
      return fmt::format("did you mean {}{}?", prefix, nearest);
    }
    for (const Table& other : form_.tables) {
      for (const Key& key : other.keys) {
        if (key.name == name && &other != &table) {
          return fmt::format("did you mean {}.{}?", other.name, name);
        }
      }
    }
    return fmt::format("known here: {}", fmt::join(known, ", "));
  }

  const io::Deck& deck_;
  const Form& form_;
  nlohmann::json json_;
};

/// Whether a command reads a key, or a table as a whole, of `--set`.
bool is_read(const Form& form, const std::string& key, const std::string& command) {
  const std::string name = key.substr(0, key.find_first_of(".["));
  const Table* table = form.find(name);
  if (table == nullptr) return true;
  std::string readers = table->readers;
  for (const Key& one : table->keys) {
    const bool is_it = key == name + "." + one.name || key.ends_with("]." + one.name);
    if (is_it && !one.readers.empty()) readers = one.readers;
  }
  return readers.empty() || has_word(readers, command);
}

}  // namespace

void check_value(const io::Deck& deck, const std::string& key, const Key& rule) {
  if (!deck.contains(key) && !rule.is_required) return;
  require(rule.gone.empty(), "{}: {}", deck.where(key), rule.gone);
  if (rule.or_text && deck.is_text(key)) return;
  switch (rule.kind) {
    case Kind::flag:
      static_cast<void>(deck.get<bool>(key));
      return;
    case Kind::integer:
      rule.entries == 0 ? static_cast<void>(deck.get<std::int64_t>(key)) : void();
      check_numbers<std::int64_t>(deck, key, rule.values);
      break;
    case Kind::number:
      rule.entries == 0 ? static_cast<void>(deck.get<double>(key)) : void();
      check_numbers<double>(deck, key, rule.values);
      break;
    case Kind::text:
      rule.entries == 0 ? static_cast<void>(deck.get<std::string>(key)) : void();
      check_texts(deck, key, rule.values);
      break;
  }
  check_shape(deck, key, rule);
}

void Form::add(Table table) {
  for (Table& own : tables) {
    if (own.name != table.name) continue;
    own.keys.insert(own.keys.end(), table.keys.begin(), table.keys.end());
    return;
  }
  tables.push_back(std::move(table));
}

const Table* Form::find(const std::string& table) const {
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const Table& one) { return one.name == table; });
  return found == tables.end() ? nullptr : &*found;
}

void check_deck(const io::Deck& deck, const Form& form, const std::string& command) {
  Check(deck, form).all();
  std::vector<std::string> idle;
  for (const std::string& key : deck.overrides()) {
    const bool told = !idle.empty() && key.starts_with(idle.back() + ".");
    if (!told && !is_read(form, key, command)) idle.push_back(key);
  }
  if (!idle.empty())
    warn(fmt::format("tessera {} ignores --set {}", command, fmt::join(idle, ", ")));
}

}  // namespace tessera::keys
