// SPDX-License-Identifier: Apache-2.0
#include "base/io/json_file.hpp"

#include "base/support/error.hpp"
#include "base/support/files.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <fstream>
#include <set>
#include <system_error>

namespace tessera::io {

namespace {

using nlohmann::json;

constexpr std::uintmax_t kLargestFile = std::uintmax_t{1} << 30;

/// Of a stream or a text.
template <class Input>
json parse_limited(Input& input, const std::string& name) {
  const json::parser_callback_t limit = [&](int depth, json::parse_event_t, json&) {
    require(depth <= kDeepestJson, "{}: nests deeper than the {} levels that such a file may have",
            name, kDeepestJson);
    return true;
  };
  try {
    return json::parse(input, limit);
  } catch (const json::out_of_range&) {
    fail("{}: holds a number that is too large", name);
  } catch (const json::exception&) {
    fail("{}: is not JSON, or a part of it is missing", name);
  }
}

}  // namespace

json parse_json(const std::string& text, const std::string& name) {
  return parse_limited(text, name);
}

json read_json_file(const std::filesystem::path& path) {
  const std::string name = path.string();
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  require(std::filesystem::exists(status), "{}: cannot be read: {}", name,
          error ? error.message() : "No such file or directory");
  require(std::filesystem::is_regular_file(status), "{}: cannot be read: not a regular file", name);
  require(bytes_of_file(path) <= kLargestFile,
          "{}: larger than the 1 GiB that such a file may have", name);
  std::ifstream stream(path);
  require(stream.good(), "{}: cannot be read: {}", name, std::generic_category().message(errno));
  return parse_limited(stream, name);
}

std::string json_text(const json& value, int indent) {
  return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

namespace {

void append_lines(const json& value, int levels, int indent, std::string& text) {
  if (levels == 0 || !value.is_structured() || value.empty()) {
    text += json_text(value, -1);
    return;
  }
  constexpr int kStep = 2;
  text += value.is_object() ? '{' : '[';
  bool first = true;
  for (const auto& [key, member] : value.items()) {
    text += (first ? "\n" : ",\n") + std::string(indent + kStep, ' ');
    if (value.is_object()) text += json_text(key, -1) + ": ";
    append_lines(member, levels - 1, indent + kStep, text);
    first = false;
  }
  text += "\n" + std::string(indent, ' ') + (value.is_object() ? '}' : ']');
}

}  // namespace

std::string json_lines(const json& value, int levels) {
  std::string text;
  append_lines(value, levels, 0, text);
  return text;
}

std::string brief(const json& value) {
  if (value.is_array()) return "a list";
  if (value.is_object()) return "an object";
  return json_text(value, -1);
}

std::string reason_of(const json::exception& error) {
  const std::string text = error.what();  // "[json.exception.out_of_range.403] key 'a' not found"
  const std::size_t end = text.find("] ");
  return text.rfind("[json.exception", 0) == 0 && end != std::string::npos ? text.substr(end + 2)
                                                                           : text;
}

namespace {

using nlohmann::json;

/// Short values as they are, also lists.
std::string value_text(const json* value) {
  if (value == nullptr) return "not set";
  const std::string text = json_text(*value, -1);
  constexpr std::size_t kLongest = 80;
  return text.size() <= kLongest ? text : brief(*value).substr(0, kLongest);
}

std::string difference_of(const json* stored, const json* here, const std::string& name) {
  if (stored != nullptr && here != nullptr && *stored == *here) return "";
  const bool deeper =
      stored != nullptr && here != nullptr && stored->is_object() && here->is_object();
  if (!deeper) {
    return fmt::format("its {} is {}, here it is {}", name, value_text(stored), value_text(here));
  }
  std::set<std::string> keys;
  for (const json* each : {stored, here}) {
    for (const auto& [key, value] : each->items()) keys.insert(key);
  }
  for (const std::string& key : keys) {
    const auto member = [&](const json& object) -> const json* {
      const auto found = object.find(key);
      return found == object.end() ? nullptr : &*found;
    };
    const json* one = member(*stored);
    const json* other = member(*here);
    std::string text =
        one == other ? "" : difference_of(one, other, name.empty() ? key : name + "." + key);
    if (!text.empty()) return text;
  }
  return "";
}

}  // namespace

std::string first_difference(const json& stored, const json& here, const std::string& name) {
  return difference_of(&stored, &here, name);
}

}  // namespace tessera::io
