// SPDX-License-Identifier: Apache-2.0
// The JSON Schemas (schemas/) of tables of fields.
#pragma once

#include "program/results/fields.hpp"

#include <string>
#include <vector>

namespace tessera::results {

/// The kinds of JSON files that have a schema, in alphabetical order.
[[nodiscard]] std::vector<std::string> schema_kinds();

/// The JSON Schema of a kind of file. Throws Error, with the kinds, on another one.
[[nodiscard]] nlohmann::ordered_json file_schema(const std::string& kind);

}  // namespace tessera::results
