// SPDX-License-Identifier: Apache-2.0
// JSON Schemas from tables of keys.
#include "base/keys/table.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace tessera::keys {
namespace {

using Json = nlohmann::ordered_json;

Json value_schema(const Key& key) {
  static const char* const kTypes[] = {"boolean", "integer", "number", "string"};
  Json out = {{"type", kTypes[static_cast<int>(key.kind)]}};
  const Values& values = key.values;
  if (!values.choices.empty()) out["enum"] = values.choices;
  if (std::isfinite(values.least)) {
    out[values.open ? "exclusiveMinimum" : "minimum"] = plain_number(values.least);
  }
  if (std::isfinite(values.most)) out["maximum"] = plain_number(values.most);
  return out;
}

Json key_schema(const Key& key) {
  Json out = {{"description", key.meaning}};
  if (!key.unit.empty()) out["unit"] = key.unit;
  if (!key.usual.empty() && key.in_words) out["usual"] = key.usual;
  if (!key.usual.empty() && !key.in_words) out["default"] = Json::parse(key.usual);
  if (!key.only.empty()) out["only"] = key.only;
  std::vector<Json> forms;
  if (key.single) forms.push_back(value_schema(key));
  if (key.entries > 0) {
    Json list = {{"type", "array"}, {"items", value_schema(key)}};
    if (key.fewest > 0) list["minItems"] = key.fewest;
    if (key.entries < kAnyNumber) list["maxItems"] = key.entries;
    forms.push_back(std::move(list));
  }
  if (key.or_text) forms.push_back({{"type", "string"}});
  if (forms.size() == 1) {
    out.update(forms.front());
  } else {
    out["anyOf"] = forms;
  }
  return out;
}

Json keys_schema(const Table& table, Json out) {
  Json required = Json::array();
  Json properties = Json::object();
  for (const Key& key : table.keys) {
    if (!key.gone.empty()) continue;
    if (key.is_required && key.only.empty()) required.push_back(key.name);
    properties[key.name] = key_schema(key);
  }
  out["type"] = "object";
  if (!required.empty()) out["required"] = required;
  if (!table.alternatives.empty()) {
    for (const auto& names : table.alternatives) out["anyOf"].push_back({{"required", names}});
  }
  out["additionalProperties"] = false;
  out["properties"] = properties;
  // What some values of the selector require beside: {"raw": ["file", "nx"]}.
  Json required_by = Json::object();
  for (const Key& key : table.keys) {
    if (!key.is_required) continue;
    std::istringstream words(key.only);
    for (std::string word; words >> word;) required_by[word].push_back(key.name);
  }
  const std::string selector = table.selector.substr(table.selector.find('.') + 1);
  for (const auto& [word, names] : required_by.items()) {
    out["allOf"].push_back({{"if", {{"properties", {{selector, {{"const", word}}}}}}},
                            {"then", {{"required", names}}}});
  }
  return out;
}

/// {"case": {"properties": {"family": {"const": "ete"}}}}: what a deck must have beside a table.
Json beside_schema(const Table& table, const std::string& usual) {
  const auto dot = table.selector.find('.');
  const std::string outer = table.selector.substr(0, dot), inner = table.selector.substr(dot + 1);
  Json holder = {{"properties", {{inner, {{"const", table.only}}}}}};
  if (usual != table.only) holder["required"] = {inner};
  return {{"if", {{"required", {table.name}}}}, {"then", {{"properties", {{outer, holder}}}}}};
}

/// Appends `value`: what holds no objects is one line, and so is all that fits into one, or is a
/// copy.
void append(const Json& value, std::size_t indent, std::string& text) {
  constexpr std::size_t kWidth = 116;
  const std::string line = value.dump();
  const bool is_leaf =
      value.contains("$comment") ||
      std::none_of(value.begin(), value.end(), [](auto& part) { return part.is_object(); });
  if (!value.is_structured() || is_leaf || line.size() + indent <= kWidth) {
    text += line;
    return;
  }
  text += value.is_object() ? '{' : '[';
  bool first = true;
  for (const auto& [key, part] : value.items()) {
    text += (first ? "\n" : ",\n") + std::string(indent + 1, ' ');
    if (value.is_object()) text += Json(key).dump() + ": ";
    append(part, indent + 1, text);
    first = false;
  }
  text += value.is_object() ? '}' : ']';
}

}  // namespace

Json plain_number(double value) {
  constexpr double kExact = 9e15;
  if (std::abs(value) < kExact && value == std::floor(value)) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

Json schema_of(const Form& form) {
  Json out = {{"$schema", "http://json-schema.org/draft-07/schema#"},
              {"title", form.title},
              {"description", form.meaning},
              {"type", "object"}};
  Json required = Json::array(), properties = Json::object(), lists = Json::object();
  Json conditions = Json::array();
  for (const Table& table : form.tables) {
    if (table.is_required) required.push_back(table.name);
    if (table.name.empty()) {
      for (const Key& key : table.keys) properties[key.name] = key_schema(key);
    } else if (table.is_open) {
      properties[table.name] = {{"description", table.meaning}};
    } else if (table.is_list) {
      const Json one = {{"$ref", "#/definitions/" + table.name}};
      lists[table.name] = keys_schema(table, {{"description", table.meaning}});
      properties[table.name]["anyOf"] = {one, {{"type", "array"}, {"items", one}, {"minItems", 1}}};
    } else {
      properties[table.name] = keys_schema(table, {{"description", table.meaning}});
    }
    if (table.only.empty()) continue;
    const Json selector =
        properties["case"]["properties"][table.selector.substr(table.selector.find('.') + 1)];
    conditions.push_back(beside_schema(table, selector.value("default", std::string())));
  }
  if (!required.empty()) out["required"] = required;
  out["additionalProperties"] = false;
  out["properties"] = properties;
  if (!lists.empty()) out["definitions"] = lists;
  if (!conditions.empty()) out["allOf"] = conditions;
  return out;
}

std::string schema_text(const Json& schema) {
  std::string text;
  append(schema, 0, text);
  return text + "\n";
}

}  // namespace tessera::keys
