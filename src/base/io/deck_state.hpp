// SPDX-License-Identifier: Apache-2.0
// What a Deck holds. Only deck*.cpp include this: the TOML library takes seconds to compile.
#pragma once

// Header-only unless the library's own CMake target says that it is compiled: nothing to define.
#include <toml++/toml.h>

#include <set>
#include <string>

#include "base/io/deck.hpp"
#include "base/support/console.hpp"

namespace tessera::io {

struct Deck::State {
  std::string name;
  toml::table root;
  // Keys that --set changed: the TOML library's positions would point into the option's text.
  std::set<std::string> overridden;

  // Whether --set gave the key its value: by its name, or with a table or list that holds it.
  [[nodiscard]] bool is_from_option(std::string key) const {
    while (overridden.count(key) == 0) {
      const auto end = key.find_last_of(".[");
      if (end == std::string::npos) return false;
      key.resize(end);
    }
    return true;
  }
};

/// What a node holds, in words for a message.
inline std::string describe(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::string:
      return fmt::format("a string (\"{}\")", shown(*node.value<std::string>()));
    case toml::node_type::integer:
      return fmt::format("an integer ({})", *node.value<std::int64_t>());
    case toml::node_type::floating_point:
      return fmt::format("a number ({})", *node.value<double>());
    case toml::node_type::boolean:
      return *node.value<bool>() ? "a boolean (true)" : "a boolean (false)";
    default:
      return "a date or time";
  }
}

}  // namespace tessera::io
