// SPDX-License-Identifier: Apache-2.0
// Reading values out of a deck.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/io/deck_state.hpp"
#include "base/support/console.hpp"

namespace tessera::io {
namespace {

// What get<T>() expects, in words.
template <class T>
constexpr const char* kExpected = "an integer";
template <>
constexpr const char* kExpected<bool> = "true or false";
template <>
constexpr const char* kExpected<double> = "a number";
template <>
constexpr const char* kExpected<std::string> = "a string";
template <>
constexpr const char* kExpected<std::vector<double>> = "a list of numbers";
template <>
constexpr const char* kExpected<std::vector<std::int64_t>> = "a list of integers";
template <>
constexpr const char* kExpected<std::vector<std::string>> = "a list of strings";

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
    require(!node.is_array_of_tables(), "{} is a list of tables: expected one: write [{}]",
            deck.where(table), table);
    require(node.is_table(), "{} is {}: expected a table", deck.where(table),
            describe(*node.node()));
  }
  return root.at_path(full);
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
  const auto node = find(state_->root, full, Deck(state_, ""));
  if (!node) return false;
  if constexpr (std::is_same_v<T, int>) {
    constexpr std::int64_t kLowest = std::numeric_limits<int>::min();
    constexpr std::int64_t kHighest = std::numeric_limits<int>::max();
    const std::int64_t wide = node.node()->value_exact<std::int64_t>().value_or(0);
    require(wide >= kLowest && wide <= kHighest, "{} = {} is not between {} and {}", where(key),
            wide, kLowest, kHighest);
  }
  require(convert(*node.node(), value), "{} is {}: expected {}", where(key), describe(*node.node()),
          kExpected<T>);
  require(is_finite(value), "{} is {}: an infinity or no number", where(key),
          describe(*node.node()));
  require(is_whole_text(value), "{} holds a NUL character, which no name has", where(key));
  return true;
}

template <class T>
T Deck::get(std::string_view key) const {
  T value{};
  require(lookup(key, value), "{}: {} is missing: expected {}", state_->name, full_key(key),
          kExpected<T>);
  return value;
}

template <class T>
T Deck::get(std::string_view key, const T& fallback) const {
  T value{};
  return lookup(key, value) ? value : fallback;
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
  std::vector<Deck> decks;
  const auto node = state_->root.at_path(full);
  if (!node) return decks;
  if (node.is_table()) {
    decks.push_back(Deck(state_, full + "."));
    return decks;
  }
  const toml::array* list = node.as_array();
  require(list != nullptr && (list->empty() || list->is_array_of_tables()),
          "{} is {}: expected one or more [[{}]]", where(key), describe(*node.node()), full);
  for (std::size_t i = 0; i < list->size(); ++i)
    decks.push_back(Deck(state_, fmt::format("{}[{}].", full, i)));
  return decks;
}

bool Deck::contains(std::string_view key) const {
  const std::string full = full_key(key);
  return static_cast<bool>(find(state_->root, full, Deck(state_, "")));
}

bool Deck::is_text(std::string_view key) const {
  return state_->root.at_path(full_key(key)).is_string();
}

bool Deck::is_list(std::string_view key) const {
  return contains(key) && state_->root.at_path(full_key(key)).is_array();
}

std::size_t Deck::entries(std::string_view key) const {
  if (!contains(key)) return 0;
  const toml::array* list = state_->root.at_path(full_key(key)).as_array();
  return list == nullptr ? 1 : list->size();
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
