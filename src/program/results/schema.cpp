// SPDX-License-Identifier: Apache-2.0
#include "program/results/schema.hpp"

#include "base/keys/table.hpp"
#include "base/support/error.hpp"
#include "program/results/file_fields.hpp"
#include "program/results/machine_file.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace tessera::results {
namespace {

using Ordered = nlohmann::ordered_json;

constexpr const char* kDatePattern =
    "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$";

/// A table that a file reaches, by the first field that holds it: a definition of its schema.
struct Part {
  std::string name;
  const Fields* fields;
};
using Parts = std::vector<Part>;

Parts::const_iterator place_of(const Fields& fields, const Parts& parts) {
  return std::find_if(parts.begin(), parts.end(),
                      [&](const Part& part) { return part.fields == &fields; });
}

void collect(const Fields& fields, Parts& parts) {
  for (const Field& field : fields.entries) {
    const Fields* inner = field.type.fields;
    if (inner == nullptr || place_of(*inner, parts) != parts.end()) continue;
    parts.push_back({field.name, inner});
    collect(*inner, parts);
  }
}

/// What a table of fields cannot say.
Ordered conditions_of(const Fields& fields) {
  if (&fields == &row_fields()) {  // a row that is not valid cannot win a comparison
    return Ordered::parse(R"({
      "if": {"properties": {"status": {"const": "valid"}}},
      "then": {"properties": {"gcell_per_s": {"type": "object"}, "samples_s": {"minItems": 1}}},
      "else": {"properties": {"gcell_per_s": {"type": "null"}, "samples_s": {"maxItems": 0}}}})");
  }
  if (&fields == machine::machine_file_fields().find("memory")->type.fields) {
    return Ordered::parse(R"({"anyOf": [
      {"required": ["copy_gb_per_s"]}, {"required": ["triad_gb_per_s"]},
      {"required": ["update_gb_per_s"]}, {"required": ["theoretical_gb_per_s"]}]})");
  }
  return Ordered::object();
}

Ordered schema_of(const Type& type, const Parts& parts) {
  Type inner = type;
  if (type.null) {
    inner.null = false;
    Ordered out = schema_of(inner, parts);
    if (out.contains("$ref")) return {{"anyOf", {std::move(out), {{"type", "null"}}}}};
    out["type"] = {out["type"], "null"};
    return out;
  }
  if (type.list) {
    inner.list = false;
    Ordered out = {{"type", "array"}, {"items", schema_of(inner, parts)}};
    if (type.least_entries > 0) out["minItems"] = type.least_entries;
    if (type.most_entries < std::numeric_limits<std::size_t>::max()) {
      out["maxItems"] = type.most_entries;
    }
    return out;
  }
  if (type.map) {
    inner.map = false;
    return {{"type", "object"}, {"additionalProperties", schema_of(inner, parts)}};
  }
  switch (type.kind) {
    case Type::Kind::text: {
      if (type.choices.size() == 1) return {{"type", "string"}, {"const", type.choices.front()}};
      Ordered out = {{"type", "string"}};
      if (!type.choices.empty()) out["enum"] = type.choices;
      if (type.not_empty) out["minLength"] = 1;
      return out;
    }
    case Type::Kind::date:
      return {{"type", "string"}, {"pattern", kDatePattern}};
    case Type::Kind::flag:
      return {{"type", "boolean"}};
    case Type::Kind::number: {
      const NumberRange any;
      Ordered out = {{"type", type.range.whole ? "integer" : "number"}};
      if (type.range.least > any.least) out["minimum"] = keys::plain_number(type.range.least);
      if (type.range.most < any.most) out["maximum"] = keys::plain_number(type.range.most);
      return out;
    }
    case Type::Kind::object:
      return {{"$ref", "#/definitions/" + place_of(*type.fields, parts)->name}};
    case Type::Kind::any_object:
      break;
  }
  return {{"type", "object"}};
}

Ordered schema_of(const Fields& fields, const Parts& parts) {
  Ordered required = Ordered::array(), properties = Ordered::object();
  for (const Field& field : fields.entries) {
    if (field.required) required.push_back(field.name);
    Ordered& property = properties[field.name] = schema_of(field.type, parts);
    if (!field.about.empty()) property["description"] = field.about;
  }
  Ordered out = {{"type", "object"}};
  if (!required.empty()) out["required"] = std::move(required);
  out["additionalProperties"] = false;
  out["properties"] = std::move(properties);
  out.update(conditions_of(fields));
  return out;
}

const FileKind& kind_of(const std::string& name) {
  for (const FileKind& kind : file_kinds()) {
    if (kind.name == name) return kind;
  }
  fail("there is no schema of \"{}\"; there are {}", name, fmt::join(schema_kinds(), ", "));
}

}  // namespace

std::vector<std::string> schema_kinds() {
  std::vector<std::string> names;
  for (const FileKind& kind : file_kinds()) names.push_back(kind.name);
  return names;
}

Ordered file_schema(const std::string& name) {
  const FileKind& kind = kind_of(name);
  Parts parts, of_results;
  collect(*kind.fields, parts);
  if (kind.fields != &result_file_fields()) collect(result_file_fields(), of_results);
  Ordered out = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "Tessera " + kind.title},
                 {"description", kind.about}};
  out.update(schema_of(*kind.fields, parts));
  for (const auto& [name, fields] : parts) {
    Ordered& definition = out["definitions"][name];
    if (place_of(*fields, of_results) != of_results.end()) {
      definition["$comment"] = "a copy of that in result.schema.json";
    }
    definition.update(schema_of(*fields, parts));
  }
  return out;
}

}  // namespace tessera::results
