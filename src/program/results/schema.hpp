// SPDX-License-Identifier: Apache-2.0
// What tables of fields print: JSON Schemas (schemas/) and the tables of docs/results.md.
#pragma once

#include "program/results/fields.hpp"

#include <string>
#include <vector>

namespace tessera::results {

/// The kinds of JSON files that have a schema, in alphabetical order.
[[nodiscard]] std::vector<std::string> schema_kinds();

/// schemas/KIND.schema.json. Throws Error, with the kinds, on another one.
[[nodiscard]] std::string schema_text(const std::string& kind);

/// The fields of a kind of file as a table in Markdown, a line a field; `part` names the field
/// whose object it is ("results", "machine"); empty: the file's own. Throws Error where there is no
/// such.
[[nodiscard]] std::string field_table(const std::string& kind, const std::string& part);

/// JSON as people read schemas: what fits into a line is on one.
[[nodiscard]] std::string compact_text(const nlohmann::ordered_json& value);

}  // namespace tessera::results
