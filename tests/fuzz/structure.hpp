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

/// One change of a TOML file: a table moved, cut, twice or under another name, a key twice or in
/// another table, arrays for scalars and the reverse, nested arrays, another file's table.
class TomlStructure {
 public:
  explicit TomlStructure(Mutator& random) : random_(random) {}

  [[nodiscard]] std::string operator()(const std::string& text, const std::string& other) {
    Tables tables = split(text);
    const Tables others = split(other);
    const std::size_t i = random_.below(tables.size());
    switch (random_.below(10)) {
      case 0:  // moved
        std::swap(tables[i], tables[random_.below(tables.size())]);
        break;
      case 1:
        tables.erase(tables.begin() + static_cast<std::ptrdiff_t>(i));
        break;
      case 2:  // twice
        tables.push_back(tables[i]);
        break;
      case 3:  // another deck's
        tables.push_back(others[random_.below(others.size())]);
        break;
      case 4:  // under another's name
        tables[i].front() = others[random_.below(others.size())].front();
        break;
      case 5:  // a table for a list of tables, and the reverse
        tables[i].front() = relisted(tables[i].front());
        break;
      case 6: {  // a key twice, or in another table
        const std::string line = tables[i][random_.below(tables[i].size())];
        std::vector<std::string>& to = tables[random_.below(tables.size())];
        to.insert(to.begin() + static_cast<std::ptrdiff_t>(random_.below(to.size())) + 1, line);
        break;
      }
      default:
        change_value(tables[i]);
    }
    std::string out;
    for (const auto& table : tables) {
      for (const std::string& line : table) out += line + "\n";
    }
    return out;
  }

 private:
  using Tables = std::vector<std::vector<std::string>>;  // lines; the first is the header

  static Tables split(const std::string& text) {
    Tables tables(1);
    std::size_t begin = 0;
    while (begin < text.size()) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string line = text.substr(begin, end - begin);
      if (!line.empty() && line.front() == '[') tables.emplace_back();
      tables.back().push_back(line);
      begin = end + 1;
    }
    if (tables.front().empty()) tables.front().emplace_back("# head");
    return tables;
  }

  static std::string relisted(const std::string& header) {
    if (header.rfind("[[", 0) == 0) return header.substr(1, header.find("]]"));
    return "[" + header + "]";
  }

  void change_value(std::vector<std::string>& table) {
    std::string& line = table[random_.below(table.size())];
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) return;
    const std::string key = line.substr(0, equals + 1);
    const std::string value = line.substr(equals + 1, line.find('#', equals) - equals - 1);
    const std::vector<std::string> values = {
        " [" + value + "]",
        " [[" + value + "]]",
        " [" + value + "," + value + "," + value + "]",
        " [" + value + ", \"a\"]",
        " []",
        " {" + key + value + "}",
        " {}",
        " \"\"",
        " true",
        " 1979-05-27T07:32:00Z",
        " -9223372036854775808",
        " -0.0",
        " " + std::string(1 + random_.below(300), '['),
        value.size() > 2 ? " " + value.substr(2, value.size() - 3) : value};
    line = key + values[random_.below(values.size())];
  }

  Mutator& random_;
};

/// One change of a JSON file: a section or an element gone, moved, twice or another file's (a row
/// of another family among them), other types, nested arrays. What is no JSON stays as it is.
class JsonStructure {
 public:
  explicit JsonStructure(Mutator& random) : random_(random) {}

  [[nodiscard]] std::string operator()(const std::string& text, const std::string& other) {
    json file = json::parse(text, nullptr, false);
    const json donor = json::parse(other, nullptr, false);
    if (file.is_discarded() || donor.is_discarded()) return text;
    json& at = somewhere(file);
    const json& foreign = somewhere(donor);
    switch (random_.below(8)) {
      case 0:
        remove_one(at);
        break;
      case 1:  // another file's, of whatever type
        at = foreign;
        break;
      case 2:  // another file's section of this name, or row
        graft(file, donor);
        break;
      case 3:  // an array or an object for what there is
        at = random_.below(2) == 0 ? json::array({at, at}) : json{{"value", at}};
        break;
      case 4:
        for (std::size_t i = 0, deep = 1 + random_.below(200); i < deep; ++i)
          at = json::array({at});
        break;
      case 5: {  // of another type, or out of every range
        const std::vector<json> values = {nullptr,
                                          true,
                                          "",
                                          "nan",
                                          json::array(),
                                          json::object(),
                                          -1,
                                          1e308,
                                          5e-324,
                                          -0.0,
                                          9223372036854775807,
                                          18446744073709551615U,
                                          0,
                                          0.5,
                                          "\xe4"
                                          "b",
                                          std::string(300, 'x')};
        at = values[random_.below(values.size())];
        break;
      }
      case 6:  // once more
        if (at.is_array() && !at.empty()) at.push_back(at[random_.below(at.size())]);
        break;
      default:
        return twice(file);
    }
    return file.dump(1, ' ', false, json::error_handler_t::replace);
  }

 private:
  using json = nlohmann::json;

  // A value anywhere below the top: deeper ones are likelier than in a flat draw.
  template <class Json>
  Json& somewhere(Json& top) {
    Json* at = &top;
    while (at->is_structured() && !at->empty()) {
      auto child = at->begin();
      std::advance(child, static_cast<std::ptrdiff_t>(random_.below(at->size())));
      at = &*child;
      if (random_.below(3) == 0) break;
    }
    return *at;
  }

  void remove_one(json& at) {
    if (!at.is_structured() || at.empty()) return;
    auto child = at.begin();
    std::advance(child, static_cast<std::ptrdiff_t>(random_.below(at.size())));
    at.erase(child);
  }

  // Of two objects a member of the other's; of two arrays an element of the other's.
  void graft(json& file, const json& donor) {
    if (!file.is_object() || !donor.is_object() || donor.empty()) return;
    auto member = donor.begin();
    std::advance(member, static_cast<std::ptrdiff_t>(random_.below(donor.size())));
    json& mine = file[member.key()];
    if (mine.is_array() && member->is_array() && !member->empty()) {
      mine.push_back((*member)[random_.below(member->size())]);
    } else {
      mine = *member;
    }
  }

  // A member of the top twice: readers take one of the two.
  std::string twice(const json& file) {
    std::string text = file.dump(1, ' ', false, json::error_handler_t::replace);
    if (!file.is_object() || file.empty()) return text;
    auto member = file.begin();
    std::advance(member, static_cast<std::ptrdiff_t>(random_.below(file.size())));
    const json other = random_.below(2) == 0 ? json(nullptr) : *member;
    return text.insert(1, json(member.key()).dump() + ":" +
                              other.dump(-1, ' ', false, json::error_handler_t::replace) + ",");
  }

  Mutator& random_;
};

}  // namespace tessera::test
