// SPDX-License-Identifier: Apache-2.0
// Deck keys, each declared once: name, member, default, values, unit, meaning. What reads decks,
// refuses what is wrong in them, describes them (schemas, docs) and tells problems apart goes by
// these tables.
#pragma once

#include "base/io/deck.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::keys {

enum class Kind { flag, integer, number, text };

/// The values that a key takes; by default all of its kind.
struct Values {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool open = false;                      ///< `least` itself is refused
  std::vector<std::string> choices = {};  ///< of a text
};
[[nodiscard]] inline Values any() { return {}; }
[[nodiscard]] inline Values between(double least, double most) { return {least, most}; }
[[nodiscard]] inline Values at_least(double least) { return {.least = least}; }
[[nodiscard]] inline Values above(double least) { return {.least = least, .open = true}; }
[[nodiscard]] inline Values above(double least, double most) { return {least, most, true}; }
[[nodiscard]] inline Values one_of(std::vector<std::string> choices) {
  return {.choices = std::move(choices)};
}

/// What a key says of the problem that a deck describes, in the text that tells problems apart.
enum class Detail { none, unless_usual, always };

/// A key as every table shows it.
struct Key {
  std::string name;
  Kind kind = Kind::text;
  bool single = true;  ///< takes one value
  std::size_t fewest = 0,
              entries = 0;  ///< entries of a list, at the least and the most; 0: no list
  Values values = {};
  std::string unit = {}, meaning = {};
  std::string usual = {};  ///< the default: JSON, or words where `in_words`; empty: none
  bool in_words = false;
  bool is_required = false;
  bool or_text = false;      ///< a number that may be a text too
  std::string only = {};     ///< values of its table's selector that have it; empty: all
  std::string readers = {};  ///< commands that read it; empty: those of its table
  std::string gone = {};     ///< a key of earlier decks, which is refused: what takes its place
};

inline constexpr std::size_t kAnyNumber = std::size_t{1} << 24;  // of entries

/// Throws Error unless the value of `key` in `deck` is one that `rule` takes; a key that is not
/// there is one, unless it is required.
void check_value(const io::Deck& deck, const std::string& key, const Key& rule);

/// How a deck writes a member of a type.
template <class T>
struct Written {
  static constexpr bool kSingle = true;
  static constexpr std::size_t kFewest = 0, kEntries = 0;
  using Stored = T;
  using Element = T;
};
template <>
struct Written<std::uint64_t> : Written<std::int64_t> {};
template <class T>
struct Written<std::optional<T>> : Written<T> {};
template <class T>
struct Written<std::vector<T>> {
  static constexpr bool kSingle = true;
  static constexpr std::size_t kFewest = 1, kEntries = kAnyNumber;
  using Stored = std::vector<T>;
  using Element = T;
};
/// One number, of all axes, or one an axis.
template <class T, std::size_t N>
struct Written<std::array<T, N>> {
  static constexpr bool kSingle = true;
  static constexpr std::size_t kFewest = N, kEntries = N;
  using Stored = std::vector<T>;
  using Element = T;
};

template <class Element>
[[nodiscard]] constexpr Kind kind_of() {
  if constexpr (std::is_same_v<Element, bool>) return Kind::flag;
  if constexpr (std::is_integral_v<Element>) return Kind::integer;
  return std::is_floating_point_v<Element> ? Kind::number : Kind::text;
}

template <class T>
void assign(std::vector<T> read, std::vector<T>& member) {
  member = std::move(read);
}
template <class T, std::size_t N>
void assign(const std::vector<T>& read, std::array<T, N>& member) {
  for (std::size_t i = 0; i < N; ++i) member[i] = read[read.size() == 1 ? 0 : i];
}
template <class From, class T>
void assign(From read, T& member) {
  if constexpr (std::is_same_v<T, std::uint64_t>) {
    member = static_cast<std::uint64_t>(read);
  } else {
    member = std::move(read);
  }
}

/// A value as details show it: "20", "20x20x10", "seven".
template <class T>
[[nodiscard]] std::string shown_value(const T& value) {
  return fmt::format("{}", value);
}
template <class T, std::size_t N>
[[nodiscard]] std::string shown_value(const std::array<T, N>& values) {
  for (const T& value : values) {
    if (value != values[0]) return fmt::format("{}", fmt::join(values, "x"));
  }
  return fmt::format("{}", values[0]);
}
template <class T>
[[nodiscard]] std::string shown_value(const std::vector<T>& values) {
  return fmt::format("{}", fmt::join(values, ","));
}
template <class T>
[[nodiscard]] std::string shown_value(const std::optional<T>& value) {
  return value ? shown_value(*value) : std::string();
}

/// A member's initial value as JSON; empty where it stands for none.
template <class T>
[[nodiscard]] std::string usual_of(const T& value) {
  return fmt::format("{}", value);
}
inline std::string usual_of(const std::string& value) {
  return value.empty() ? value : fmt::format("\"{}\"", value);
}
template <class T>
std::string usual_of(const std::vector<T>& values) {
  if (values.empty()) return {};
  if (values.size() == 1) return usual_of(values[0]);
  std::string list;
  for (const T& value : values) list += (list.empty() ? "" : ", ") + usual_of(value);
  return "[" + list + "]";
}
template <class T, std::size_t N>
std::string usual_of(const std::array<T, N>& values) {
  const bool alike = std::equal(values.begin() + 1, values.end(), values.begin());
  return alike ? usual_of(values[0]) : usual_of(std::vector<T>(values.begin(), values.end()));
}
template <class T>
std::string usual_of(const std::optional<T>& value) {
  return value ? usual_of(*value) : std::string();
}

/// A key whose value goes to a member of an S.
template <class S>
struct KeyOf {
  Key key;
  std::function<void(const io::Deck& deck, const std::string& key, S& to)> store;
  std::function<std::string(const S&)> text;  ///< its value, for details
  Detail detail = Detail::none;

  KeyOf in_details(Detail how = Detail::unless_usual) && {
    detail = how;
    return std::move(*this);
  }
  /// A default that follows from other keys, in words.
  KeyOf usually(std::string words) && {
    key.usual = std::move(words);
    key.in_words = true;
    return std::move(*this);
  }
  KeyOf required() && {
    key.is_required = true;
    key.usual.clear();
    return std::move(*this);
  }
  /// A list of exactly so many values, or of a number between two.
  KeyOf list_of(std::size_t fewest, std::size_t most = 0) && {
    key.single = false;
    key.fewest = fewest;
    key.entries = std::max(fewest, most);
    return std::move(*this);
  }
  /// Also an empty list.
  KeyOf or_none() && {
    key.fewest = 0;
    return std::move(*this);
  }
  KeyOf or_text() && {
    key.or_text = true;
    return std::move(*this);
  }
  /// Of some values of the table's selector alone: "raw segy".
  KeyOf only(std::string values) && {
    key.only = std::move(values);
    return std::move(*this);
  }
  /// No longer a key: refused by the text, which says what takes its place.
  KeyOf gone(std::string text) && {
    key.gone = std::move(text);
    return std::move(*this);
  }
  /// Commands that read it, where these are not those of its table.
  KeyOf read_by(std::string commands) && {
    key.readers = std::move(commands);
    return std::move(*this);
  }
};

template <class T>
[[nodiscard]] Key key_of(const char* name, Values values, const char* unit, const char* meaning) {
  return {.name = name,
          .kind = kind_of<typename Written<T>::Element>(),
          .single = Written<T>::kSingle,
          .fewest = Written<T>::kFewest,
          .entries = Written<T>::kEntries,
          .values = std::move(values),
          .unit = unit,
          .meaning = meaning};
}

/// A key of the member's type, whose default is what the member is at first.
template <class S, class T>
[[nodiscard]] KeyOf<S> key(const char* name, T S::*member, Values values, const char* unit,
                           const char* meaning) {
  KeyOf<S> made{key_of<T>(name, std::move(values), unit, meaning), {}, {}};
  made.key.usual = usual_of(S{}.*member);
  made.store = [member](const io::Deck& deck, const std::string& full, S& to) {
    assign(deck.get<typename Written<T>::Stored>(full), to.*member);
  };
  made.text = [member](const S& s) { return shown_value(s.*member); };
  return made;
}

/// A key whose words stand for values of the member: {{"field", VpStorage::field}, ...}.
template <class S, class T>
[[nodiscard]] KeyOf<S> choice(const char* name, T S::*member,
                              std::vector<std::pair<std::string, std::type_identity_t<T>>> words,
                              const char* meaning) {
  Values values = {};
  for (const auto& [word, value] : words) values.choices.push_back(word);
  KeyOf<S> made{key_of<std::string>(name, std::move(values), "", meaning), {}, {}};
  made.text = [member, words](const S& s) {
    for (const auto& [word, value] : words) {
      if (value == s.*member) return word;
    }
    return std::string();
  };
  made.key.usual = usual_of(made.text(S{}));
  made.store = [member, words](const io::Deck& deck, const std::string& full, S& to) {
    const auto read = deck.get<std::string>(full);
    for (const auto& [word, value] : words) {
      if (word == read) to.*member = value;
    }
  };
  return made;
}

/// Of tables without a struct of their own.
struct Nothing {};

/// A key that whoever reads the table fetches from the deck itself: as a T.
template <class T, class S = Nothing>
[[nodiscard]] KeyOf<S> fetched(const char* name, Values values, const char* unit,
                               const char* meaning, std::string usual = {}) {
  KeyOf<S> made{key_of<T>(name, std::move(values), unit, meaning), {}, {}};
  made.key.usual = std::move(usual);
  return made;
}

}  // namespace tessera::keys
