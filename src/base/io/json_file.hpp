// SPDX-License-Identifier: Apache-2.0
// JSON files: read with limits on size and depth, written whatever bytes their texts hold.
// The first difference between two records of runs, for a message.
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

namespace tessera::io {

/// Deeper nesting occurs in no real data and overflows the stack of recursive readers.
inline constexpr int kDeepestJson = 64;

/// Reads a JSON file. Throws Error (one line, with the path) where it cannot be read, is larger
/// than 1 GiB, is not JSON, holds a number beyond a double, or nests deeper than kDeepestJson.
[[nodiscard]] nlohmann::json read_json_file(const std::filesystem::path& path);

/// The same of a file's text that was read already; `name` is the file's, for errors.
[[nodiscard]] nlohmann::json parse_json(const std::string& text, const std::string& name);

/// JSON as text, indented by `indent`; bytes that are not UTF-8 (from paths, decks, host names) are
/// replaced, never refused.
[[nodiscard]] std::string json_text(const nlohmann::json& json, int indent);

/// JSON as text whose first `levels` levels are indented, by two; each member and entry of the last
/// of them is one line, so that lists of records can be searched and compared line by line.
[[nodiscard]] std::string json_lines(const nlohmann::json& json, int levels);

/// A value for a message: short ones as they are, else what kind it is.
[[nodiscard]] std::string brief(const nlohmann::json& value);

/// An object's member, where it is there and of the fallback's kind (a number, a text, true or
/// false, a list, an object); else the fallback. Never throws, whatever the file holds.
template <class T>
[[nodiscard]] T value_or(const nlohmann::json& object, const char* key, T fallback) {
  const auto found = object.find(key);  // the end, of what is no object
  if (found == object.end()) return fallback;
  const nlohmann::json wanted = fallback;
  const bool alike = wanted.is_number() ? found->is_number() : found->type() == wanted.type();
  return alike ? found->template get<T>() : fallback;
}

/// What an error says, without the library's own name for it.
[[nodiscard]] std::string reason_of(const nlohmann::json::exception& error);

/// The first key whose value differs, with both values: "its deck.case.nx is 20, here it is 16".
/// `name` stands before the key, where there is one. Empty where the two are equal. Never throws.
[[nodiscard]] std::string first_difference(const nlohmann::json& stored, const nlohmann::json& here,
                                           const std::string& name);

}  // namespace tessera::io
