// SPDX-License-Identifier: Apache-2.0
// Reading values out of a deck, and rejecting unknown keys.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/io/deck_state.hpp"
#include "base/support/console.hpp"

namespace tessera::io {
namespace {

// What get<T>() wants, in words.
template <class T>
constexpr const char* kWanted = "an integer";
template <>
constexpr const char* kWanted<bool> = "true or false";
template <>
constexpr const char* kWanted<double> = "a number";
template <>
constexpr const char* kWanted<std::string> = "a string";
template <>
constexpr const char* kWanted<std::vector<double>> = "a list of numbers";
template <>
constexpr const char* kWanted<std::vector<std::int64_t>> = "a list of integers";
template <>
constexpr const char* kWanted<std::vector<std::string>> = "a list of strings";

// One scalar; false if the node holds another type. Integers become doubles, nothing else changes.
template <class T>
bool convert_scalar(const toml::node& node, T& value) {
  if constexpr (std::is_same_v<T, double>) {
    // value<double>() has no value for integers beyond 2^53 that no double equals.
    if (const auto whole = node.value_exact<std::int64_t>()) {
      value = static_cast<double>(*whole);
      return true;
    }
    const auto exact = node.value_exact<double>();
    if (!exact) return false;
    value = *exact;
  } else if constexpr (std::is_same_v<T, int>) {
    const auto wide = node.value_exact<std::int64_t>();
    if (!wide || *wide < std::numeric_limits<int>::min() || *wide > std::numeric_limits<int>::max())
      return false;
    value = static_cast<int>(*wide);
  } else {
    const auto exact = node.value_exact<T>();
    if (!exact) return false;
    value = *exact;
  }
  return true;
}

template <class T>
bool convert(const toml::node& node, T& value) {
  return convert_scalar(node, value);
}

template <class T>
bool convert(const toml::node& node, std::vector<T>& values) {
  values.assign(1, T{});
  const toml::array* list = node.as_array();
  if (list == nullptr) return convert_scalar(node, values.front());
  values.resize(list->size());
  for (std::size_t i = 0; i < list->size(); ++i)
    if (!convert_scalar(*list->get(i), values[i])) return false;
  return true;
}

// Whether no number in it is an infinity or NaN, which TOML has.
template <class T>
bool is_finite(const T& value) {
  if constexpr (std::is_same_v<T, double>) {
    return std::isfinite(value);
  } else if constexpr (std::is_same_v<T, std::vector<double>>) {
    return std::all_of(value.begin(), value.end(), [](double x) { return std::isfinite(x); });
  }
  return true;
}

// Whether no text in it has a NUL, which would end names and messages early.
template <class T>
bool is_whole_text(const T& value) {
  const auto whole = [](const std::string& text) { return text.find('\0') == std::string::npos; };
  if constexpr (std::is_same_v<T, std::string>) {
    return whole(value);
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    return std::all_of(value.begin(), value.end(), whole);
  }
  return true;
}

// The node of a full key below the deck's `root`; none where it isn't there. Throws where something
// on the way to it is no table, as [[case]] for [case].
toml::node_view<toml::node> find(toml::table& root, const std::string& full, const Deck& deck) {
  for (auto dot = full.find('.'); dot != std::string::npos; dot = full.find('.', dot + 1)) {
    const std::string table = full.substr(0, dot);
    const auto node = root.at_path(table);
    if (!node) return {};
    require(!node.is_array_of_tables(), "{} is a list of tables, expected one: write [{}]",
            deck.where(table), table);
    require(node.is_table(), "{} is {}, expected a table", deck.where(table),
            describe(*node.node()));
  }
  return root.at_path(full);
}

// Throws where a name in the table `path` could be taken for a path: "case.nx" in quotes is one
// name, which no command asks for. All names that are asked for are plain.
void require_plain_name(const toml::key& key, const std::string& path, const Deck& deck) {
  const std::string name(key.str());
  const bool plain = !name.empty() && std::none_of(name.begin(), name.end(), [](char c) {
    return c == '.' || c == '[' || c == ']' || static_cast<unsigned char>(c) < ' ';
  });
  if (plain) return;
  const toml::source_region& source = key.source();
  const std::string file = source.path ? *source.path : deck.name();
  fail("{}: \"{}\" is one name in quotes, which is none of a deck: write {} without quotes",
       file == deck.name() ? fmt::format("{}:{}", file, source.begin.line) : file, shown(name),
       path.empty() ? "tables and keys" : "the keys of " + path);
}

// Throws for the first node below `table` that is not known. `path` is the table's own key.
void reject_unknown_in(const toml::table& table, const std::string& path, const KnownKeys& known,
                       const Deck& deck) {
  const auto refuse = [&](const std::string& full, const char* what) {
    std::string where = deck.where(full);
    where.resize(where.size() - full.size());
    fail("{}unknown {} {}, {}", where, what, full, known.suggest(full, path));
  };
  for (auto&& [key, node] : table) {
    require_plain_name(key, path, deck);
    const std::string full = (path.empty() ? "" : path + ".") + std::string(key.str());
    if (known.is_allowed(full)) continue;
    if (const toml::table* inner = node.as_table()) {
      if (!known.has_table(full)) refuse(full, "table");
      reject_unknown_in(*inner, full, known, deck);
      continue;
    }
    if (const toml::array* list = node.as_array(); list != nullptr && list->is_array_of_tables()) {
      if (!known.has(full)) refuse(full, "list of tables");
      for (std::size_t i = 0; i < list->size(); ++i)
        reject_unknown_in(*list->get(i)->as_table(), fmt::format("{}[{}]", full, i), known, deck);
      continue;
    }
    require(known.has(full) || !known.has_table(full), "{} is {}, expected a table",
            deck.where(full), describe(node));
    if (!known.has(full)) refuse(full, "key");
  }
}

}  // namespace

std::string Deck::full_key(std::string_view key) const { return prefix_ + std::string(key); }

std::string Deck::where(std::string_view key) const {
  const std::string full = full_key(key);
  if (state_->is_from_option(full)) return "--set " + full;
  const auto node = state_->root.at_path(full);
  // A table that --set created has no place in the file: its first key tells.
  const auto below = state_->overridden.lower_bound(full + ".");
  const bool created = node && !node.node()->source().begin && below != state_->overridden.end() &&
                       below->compare(0, full.size() + 1, full + ".") == 0;
  if (created) return "--set " + full;
  if (!node || !node.node()->source().begin) return state_->name + ": " + full;
  return fmt::format("{}:{}: {}", state_->name, node.node()->source().begin.line, full);
}

template <class T>
bool Deck::lookup(std::string_view key, T& value) const {
  const std::string full = full_key(key);
  state_->known.add(full);
  const auto node = find(state_->root, full, Deck(state_, ""));
  if (!node) return false;
  if constexpr (std::is_same_v<T, int>) {
    constexpr std::int64_t kLowest = std::numeric_limits<int>::min();
    constexpr std::int64_t kHighest = std::numeric_limits<int>::max();
    const std::int64_t wide = node.node()->value_exact<std::int64_t>().value_or(0);
    require(wide >= kLowest && wide <= kHighest, "{} = {} is not between {} and {}", where(key),
            wide, kLowest, kHighest);
  }
  require(convert(*node.node(), value), "{} is {}, expected {}", where(key), describe(*node.node()),
          kWanted<T>);
  require(is_finite(value), "{} is {}: an infinity or no number", where(key),
          describe(*node.node()));
  require(is_whole_text(value), "{} holds a NUL character, which no name has", where(key));
  return true;
}

template <class T>
T Deck::get(std::string_view key) const {
  T value{};
  require(lookup(key, value), "{}: {} is missing, expected {}", state_->name, full_key(key),
          kWanted<T>);
  return value;
}

template <class T>
T Deck::get(std::string_view key, const T& fallback) const {
  T value{};
  return lookup(key, value) ? value : fallback;
}

std::string Deck::get_choice(std::string_view key, std::string_view fallback,
                             const std::vector<std::string>& choices) const {
  auto value = get<std::string>(key, std::string(fallback));
  require(std::find(choices.begin(), choices.end(), value) != choices.end(),
          "{} = \"{}\" is not one of {}", where(key), value, fmt::join(choices, ", "));
  return value;
}

std::filesystem::path Deck::get_path(std::string_view key, const InputKind& kind) const {
  const std::filesystem::path name = get<std::string>(key);
  return find_input(kind, name,
                    {.deck_folder = std::filesystem::path(state_->name).parent_path(),
                     .in_deck = !state_->is_from_option(full_key(key)),
                     .where = where(key)});
}

std::filesystem::path Deck::find_beside(const InputKind& kind,
                                        const std::filesystem::path& name) const {
  return find_input(kind, name, {.deck_folder = std::filesystem::path(state_->name).parent_path()});
}

std::vector<Deck> Deck::tables(std::string_view key) const {
  const std::string full = full_key(key);
  state_->known.add(full);
  std::vector<Deck> decks;
  const auto node = state_->root.at_path(full);
  if (!node) return decks;
  if (node.is_table()) {
    decks.push_back(Deck(state_, full + "."));
    return decks;
  }
  const toml::array* list = node.as_array();
  require(list != nullptr && (list->empty() || list->is_array_of_tables()),
          "{} is {}, expected one or more [[{}]]", where(key), describe(*node.node()), full);
  for (std::size_t i = 0; i < list->size(); ++i)
    decks.push_back(Deck(state_, fmt::format("{}[{}].", full, i)));
  return decks;
}

bool Deck::contains(std::string_view key) const {
  const std::string full = full_key(key);
  state_->known.add(full);
  return static_cast<bool>(find(state_->root, full, Deck(state_, "")));
}

bool Deck::is_text(std::string_view key) const {
  return state_->root.at_path(full_key(key)).is_string();
}

void Deck::allow(std::string_view key) const { state_->known.allow(full_key(key)); }

void Deck::reject_unknown() const {
  reject_unknown_in(state_->root, "", state_->known, Deck(state_, ""));
}

// Doxygen takes explicit instantiations for members that the class lacks.
/// @cond
template bool Deck::get(std::string_view) const;
template int Deck::get(std::string_view) const;
template std::int64_t Deck::get(std::string_view) const;
template double Deck::get(std::string_view) const;
template std::string Deck::get(std::string_view) const;
template std::vector<double> Deck::get(std::string_view) const;
template std::vector<std::int64_t> Deck::get(std::string_view) const;
template std::vector<std::string> Deck::get(std::string_view) const;
template bool Deck::get(std::string_view, const bool&) const;
template int Deck::get(std::string_view, const int&) const;
template std::int64_t Deck::get(std::string_view, const std::int64_t&) const;
template double Deck::get(std::string_view, const double&) const;
template std::string Deck::get(std::string_view, const std::string&) const;
template std::vector<double> Deck::get(std::string_view, const std::vector<double>&) const;
template std::vector<std::int64_t> Deck::get(std::string_view,
                                             const std::vector<std::int64_t>&) const;
template std::vector<std::string> Deck::get(std::string_view,
                                            const std::vector<std::string>&) const;
/// @endcond

}  // namespace tessera::io
