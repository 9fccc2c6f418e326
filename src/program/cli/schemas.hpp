// SPDX-License-Identifier: Apache-2.0
// The JSON Schemas that `tessera schema` prints: each is made of the table that the program reads
// or writes such files by. A function a kind of file, beside that table; schema_command.cpp lists
// them.
#pragma once

#include "base/case/catalogue.hpp"

#include <nlohmann/json_fwd.hpp>

namespace tessera {

[[nodiscard]] nlohmann::ordered_json deck_schema(const Catalogue& catalogue);
[[nodiscard]] nlohmann::ordered_json shot_schema(const Catalogue& catalogue);
[[nodiscard]] nlohmann::ordered_json suite_schema(const Catalogue& catalogue);

}  // namespace tessera
