// SPDX-License-Identifier: Apache-2.0
// What is asked of a command's output files before anything long runs.
#pragma once

#include "base/io/output_lock.hpp"

#include <filesystem>
#include <vector>

namespace tessera::io {

/// Throws Error where the command has read `output`, or what has the name that `output` grows under
/// (note_input, part_path): it would be written over.
void require_unread(const std::filesystem::path& output);

/// Throws Error where one of the files that will be renamed to these is a directory, a device or a
/// pipe today, or two of them are one, links followed. None need be there.
void require_plain_files(const std::vector<std::filesystem::path>& outputs);

/// Makes sure of a command's output files before anything long runs, and holds them while the locks
/// live: each can be written (require_writable_file), none is named twice, none is a file that the
/// command reads (require_unread), no other process writes it or its directory. `inputs` are noted
/// as read. Empty paths are passed over. Throws Error otherwise.
[[nodiscard]] std::vector<OutputLock> claim_outputs(
    const std::vector<std::filesystem::path>& outputs,
    const std::vector<std::filesystem::path>& inputs);

/// What of that can be told without writing or locking anything, for a dry run.
void require_claimable(const std::vector<std::filesystem::path>& outputs,
                       const std::vector<std::filesystem::path>& inputs);

}  // namespace tessera::io
