// SPDX-License-Identifier: Apache-2.0
// Changes of structure that readers must survive: files that are sound TOML or JSON, and say
// something else than is wanted.
#pragma once

#include "fuzz/mutation.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tessera::test {

/// A TOML file as lines by table, the header first.
inline std::vector<std::vector<std::string>> tables_of(const std::string& text) {
  std::vector<std::vector<std::string>> tables{{"# head"}};
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    if (line.starts_with('[')) tables.emplace_back();
    tables.back().push_back(line);
    begin = end + 1;
  }
  return tables;
}

/// One change of a TOML file: a table cut, twice or under another name, a key in another table,
/// lists for values and the reverse, another file's table.
inline std::string changed_toml(const std::string& text, const std::string& other,
                                Mutator& random) {
  auto tables = tables_of(text);
  const auto others = tables_of(other);
  const std::size_t i = random.below(tables.size());
  std::string& line = tables[i][random.below(tables[i].size())];
  const std::size_t equals = line.find('=');
  switch (random.below(8)) {
    case 0:
      tables.erase(tables.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    case 1:
      tables.push_back(tables[i]);
      break;
    case 2:
      tables.push_back(random.of(others));
      break;
    case 3:
      tables[i].front() = random.of(others).front();
      break;
    case 4:  // a list of tables for a table
      tables[i].front() = "[" + tables[i].front() + "]";
      break;
    case 5:
      tables[random.below(tables.size())].push_back(line);
      break;
    default:
      if (equals == std::string::npos) break;
      const std::string key = line.substr(0, equals + 1), value = line.substr(equals + 1);
      const std::vector<std::string> values = {"[" + value + "]",
                                               "[[" + value + "]]",
                                               "[" + value + ", \"a\"]",
                                               "[]",
                                               "{" + key + value + "}",
                                               "\"\"",
                                               "true",
                                               "1979-05-27T07:32:00Z",
                                               "-9223372036854775808",
                                               std::string(1 + random.below(300), '[')};
      line = key + random.of(values);
  }
  std::string out;
  for (const auto& table : tables) {
    for (const std::string& one : table) out += one + "\n";
  }
  return out;
}

/// A value anywhere below the top: deeper ones are likelier than in a flat draw.
template <class Json>
Json& somewhere(Json& top, Mutator& random) {
  Json* at = &top;
  while (at->is_structured() && !at->empty()) {
    auto child = at->begin();
    std::advance(child, static_cast<std::ptrdiff_t>(random.below(at->size())));
    at = &*child;
    if (random.below(3) == 0) break;
  }
  return *at;
}

/// One change of a JSON file: an element gone, twice or another file's (a row of another family
/// among them), other types, nested arrays. What is no JSON stays as it is.
inline std::string changed_json(const std::string& text, const std::string& other,
                                Mutator& random) {
  using json = nlohmann::json;
  json file = json::parse(text, nullptr, false);
  json donor = json::parse(other, nullptr, false);
  if (file.is_discarded() || donor.is_discarded()) return text;
  json& at = somewhere(file, random);
  const std::vector<json> values = {nullptr,
                                    true,
                                    "",
                                    json::array(),
                                    json::object(),
                                    -1,
                                    1e308,
                                    9223372036854775807,
                                    0.5,
                                    "\xe4"
                                    "b",
                                    std::string(300, 'x'),
                                    json::array({at, at}),
                                    json{{"value", at}}};
  switch (random.below(5)) {
    case 0:
      if (!at.is_structured() || at.empty()) break;
      at.erase(std::next(at.begin(), static_cast<std::ptrdiff_t>(random.below(at.size()))));
      break;
    case 1:  // another file's, of whatever type
      at = somewhere(donor, random);
      break;
    case 2:  // another file's section of this name, or its row
      if (!file.is_object() || !donor.is_object() || donor.empty()) break;
      for (auto& [key, value] : donor.items()) {
        if (random.below(donor.size()) != 0) continue;
        if (file[key].is_array() && value.is_array() && !value.empty()) {
          file[key].push_back(random.of(value));
        } else {
          file[key] = value;
        }
      }
      break;
    case 3:
      for (std::size_t i = 0, deep = 1 + random.below(200); i < deep; ++i) at = json::array({at});
      break;
    default:
      at = random.of(values);
  }
  return file.dump(1, ' ', false, json::error_handler_t::replace);
}

}  // namespace tessera::test
