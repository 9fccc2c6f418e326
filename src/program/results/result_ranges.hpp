// SPDX-License-Identifier: Apache-2.0
// What a number of a file of results, predictions or winners may be: wide enough for every machine
// that measures, narrow enough that what is written by hand or cut short is no measurement.
// schemas/result.schema.json, prediction.schema.json and tuned.schema.json have the same ranges,
// and a test compares them.
#pragma once

#include "base/support/error.hpp"
#include "program/results/number_range.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::results {

inline constexpr machine::NumberRange kCells{1, 1 << 20,
                                             true};  ///< along an axis, as decks have it
inline constexpr machine::NumberRange kSteps{0, 1LL << 40, true};
inline constexpr machine::NumberRange kStepsOfSample{1, 1LL << 40, true};
inline constexpr machine::NumberRange kDepth{1, 65536, true};
inline constexpr machine::NumberRange kRanks{2, 1 << 24, true};
inline constexpr machine::NumberRange kRanksAlong{1, 1 << 24, true};
inline constexpr machine::NumberRange kSeconds{1e-15, 1e9};     ///< a step
inline constexpr machine::NumberRange kUpdates{1e-15, 1e9};     ///< GCell/s
inline constexpr machine::NumberRange kNoUpdates{0, 1e9};       ///< predicted GCell/s
inline constexpr machine::NumberRange kMemoryRate{1e-6, 1e9};   ///< GB/s, of all ranks together
inline constexpr machine::NumberRange kArithmetic{1e-6, 1e12};  ///< GFLOP/s, of all ranks together
inline constexpr machine::NumberRange kStreamBytes{0, 1e15, true};
inline constexpr machine::NumberRange kDerived{0, 1e15};  ///< what follows from the others

/// The number under a key. Throws Error, by place and key, where it is missing, of another type or
/// out of its range.
inline double number_under(const machine::NumberRange& range, const nlohmann::json& object,
                           const char* key, const std::string& where) {
  require(object.is_object() && object.contains(key), "{}: no field \"{}\"", where, key);
  return number_in(range, object.at(key), where + ": \"" + key + "\"");
}

/// The same of a whole number.
inline std::int64_t count_under(const machine::NumberRange& range, const nlohmann::json& object,
                                const char* key, const std::string& where) {
  return static_cast<std::int64_t>(number_under(range, object, key, where));
}

/// The text under a key. Throws Error likewise.
inline std::string text_under(const nlohmann::json& object, const char* key,
                              const std::string& where) {
  require(object.is_object() && object.contains(key), "{}: no field \"{}\"", where, key);
  require(object.at(key).is_string(), "{}: field \"{}\" has the wrong type: {}", where, key,
          io::brief(object.at(key)));
  return object.at(key).get<std::string>();
}

/// A date under a key, as utc_now() gives it: "2026-01-31T23:59:59Z". Throws Error likewise: what
/// orders files by their dates compares them as text.
inline std::string date_under(const nlohmann::json& object, const char* key,
                              const std::string& where) {
  std::string text = text_under(object, key, where);
  constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
  bool fine = text.size() == kForm.size();
  for (std::size_t i = 0; fine && i < kForm.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    fine = kForm[i] == '0' ? digit : text[i] == kForm[i];
  }
  const auto lies_in = [&](std::size_t at, int least, int most) {
    const int number = 10 * (text[at] - '0') + (text[at + 1] - '0');
    return number >= least && number <= most;
  };
  fine = fine && lies_in(5, 1, 12) && lies_in(8, 1, 31) && lies_in(11, 0, 23) &&
         lies_in(14, 0, 59) && lies_in(17, 0, 59);
  require(fine, "{}: \"{}\" is {}, not a date in UTC as 2026-01-31T23:59:59Z", where, key,
          io::brief(object.at(key)));
  return text;
}

/// A text under a key that is one of two. Throws Error likewise.
inline std::string choice_under(const char* one, const char* other, const nlohmann::json& object,
                                const char* key, const std::string& where) {
  std::string text = text_under(object, key, where);
  require(text == one || text == other, "{}: \"{}\" is {}, neither \"{}\" nor \"{}\"", where, key,
          io::brief(object.at(key)), one, other);
  return text;
}

/// "float" or "double".
inline std::string precision_under(const nlohmann::json& object, const std::string& where) {
  return choice_under("float", "double", object, "precision", where);
}

/// Throws Error where a number of an object, or of a list in it, is negative: figures that have no
/// other range. Those that are relative to 1 are no less than -1.
inline void require_no_negatives(const nlohmann::json& object, const std::string& where) {
  for (const auto& [key, value] : object.items()) {
    const double least = key == "deviation" || key == "imbalance" ? -1 : 0;
    for (const nlohmann::json& one : value.is_array() ? value : nlohmann::json::array({value})) {
      require(!one.is_number() || one.get<double>() >= least, "{}: \"{}\" is {}, less than {}",
              where, key, io::brief(one), least);
    }
  }
}

}  // namespace tessera::results
