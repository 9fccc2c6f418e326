// SPDX-License-Identifier: Apache-2.0
// One writer at a time: a lock on an output that ends with its process, however that ends.
#pragma once

#include <filesystem>
#include <vector>

namespace tessera::io {

/// What belongs to whoever holds a directory.
enum class Reach {
  folder,        ///< the names in it
  tree,          ///< those in the folders below it too
  part_of_tree,  ///< the names in it; it lies in a tree that this job holds, on whichever rank
};

/// Holds a directory or a file's name for as long as it lives, by an advisory lock (flock) on a
/// hidden file in it or beside it. Where the file system knows no such locks, it holds nothing.
class OutputLock {
 public:
  OutputLock() = default;
  /// Throws Error where another process holds it, or the hidden file cannot be created. A directory
  /// must be there; links are followed, so that two names of one file are one.
  explicit OutputLock(const std::filesystem::path& output, Reach reach = Reach::folder);
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;
  OutputLock(OutputLock&& other) noexcept;
  OutputLock& operator=(OutputLock&& other) noexcept;
  ~OutputLock();

  /// The same, but waits until it is free: for what is read, changed and written at once.
  [[nodiscard]] static OutputLock wait_for(const std::filesystem::path& output);

 private:
  OutputLock(const std::filesystem::path& output, Reach reach, bool waits);

  std::filesystem::path path_;
  int descriptor_ = -1;
};

/// Throws Error where another process holds a directory, or a tree that it lies in: all names in it
/// are that process's. The directory need not be there.
void require_free_directory(const std::filesystem::path& directory);

/// The same of the directory that a file lies in.
void require_free_folder(const std::filesystem::path& output);

/// The same of a file, whose own name may be held too. Takes no lock: for a dry run.
void require_free_file(const std::filesystem::path& output);

/// A lock on an existing directory, and on what links among its `outputs` lead to elsewhere. Throws
/// Error where another process holds one, or a tree that the directory lies in.
[[nodiscard]] std::vector<OutputLock> lock_directory(
    const std::filesystem::path& directory, const std::vector<std::filesystem::path>& outputs,
    Reach reach = Reach::folder);

}  // namespace tessera::io
