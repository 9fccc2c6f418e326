// SPDX-License-Identifier: Apache-2.0
// Questions about paths that never throw, and tables read whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tessera {

/// Whether something goes by that name, links followed. False too where that cannot be found out (a
/// name that is too long, a loop of links, no permission): opening the path gives the reason.
[[nodiscard]] bool path_exists(const std::filesystem::path& path);
[[nodiscard]] bool is_folder(const std::filesystem::path& path);
[[nodiscard]] bool is_plain_file(const std::filesystem::path& path);
/// A terminal, a pipe or a device: there, and neither folder nor plain file.
[[nodiscard]] bool is_special_file(const std::filesystem::path& path);

/// Bytes of a file; 0 where that cannot be found out.
[[nodiscard]] std::uintmax_t bytes_of_file(const std::filesystem::path& path);

/// The text of a table that a user names. Throws Error (one line: path and reason) for what is not
/// a regular file, which might never end, and for more than 256 MiB.
[[nodiscard]] std::string read_table(const std::filesystem::path& path);

}  // namespace tessera
