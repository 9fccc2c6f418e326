// SPDX-License-Identifier: Apache-2.0
// What tells two records of runs apart, for a message.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace tessera::io {

/// The first key whose value differs, with both values: "its deck.case.nx is 20, here it is 16".
/// `name` stands before the key, where there is one. Empty where the two are equal. Never throws.
[[nodiscard]] std::string first_difference(const nlohmann::json& stored, const nlohmann::json& here,
                                           const std::string& name);

}  // namespace tessera::io
