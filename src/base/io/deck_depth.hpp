// SPDX-License-Identifier: Apache-2.0
// How deep a deck is, told from its text: the TOML library makes a table of each part of a key, and
// takes and frees them by recursion.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tessera::io {

/// Parts that a key or a table's header may have; also how deep values may be nested.
inline constexpr std::size_t kMostParts = 64;

/// Throws Error, with `name` and the line, where a key or a value of the TOML `text` is deeper.
/// Text that is no TOML passes: the parser tells what is wrong with it.
void require_shallow(std::string_view text, const std::string& name);

}  // namespace tessera::io
