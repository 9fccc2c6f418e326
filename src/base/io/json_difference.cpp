// SPDX-License-Identifier: Apache-2.0
#include "base/io/json_difference.hpp"

#include "base/io/json_file.hpp"

#include <fmt/core.h>

#include <set>

namespace tessera::io {
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
