// SPDX-License-Identifier: Apache-2.0
// One writer at a time: a lock on an output that ends with its process, however that ends.
#pragma once

#include <filesystem>
#include <vector>

namespace tessera::io {

/// Holds a directory or a file's name for as long as it lives, by an advisory lock (flock) on a
/// hidden file in it or beside it. Where the file system knows no such locks, it holds nothing.
class OutputLock {
 public:
  OutputLock() = default;
  /// Throws Error where another process holds it, or the hidden file cannot be created. A directory
  /// must be there; links are followed, so that two names of one file are one.
  explicit OutputLock(const std::filesystem::path& output);
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;
  OutputLock(OutputLock&& other) noexcept;
  OutputLock& operator=(OutputLock&& other) noexcept;
  ~OutputLock();

  /// The same, but waits until nobody else holds it: for what is read, changed and written at once.
  [[nodiscard]] static OutputLock wait_for(const std::filesystem::path& output);

 private:
  OutputLock(const std::filesystem::path& output, bool waits);

  std::filesystem::path path_;
  int descriptor_ = -1;
};

/// A lock on an existing directory, and on what links among its `outputs` lead to elsewhere. Throws
/// Error where another process holds one.
[[nodiscard]] std::vector<OutputLock> lock_directory(
    const std::filesystem::path& directory, const std::vector<std::filesystem::path>& outputs);

/// Makes sure of a command's output files before anything long runs, and holds them while the locks
/// live: each can be written (require_writable_file), none is named twice, none is one of the
/// inputs or a file that the command has read (note_input), nobody else writes it or its directory.
/// Empty paths are passed over. Throws Error otherwise.
[[nodiscard]] std::vector<OutputLock> claim_outputs(
    const std::vector<std::filesystem::path>& outputs,
    const std::vector<std::filesystem::path>& inputs);

}  // namespace tessera::io
