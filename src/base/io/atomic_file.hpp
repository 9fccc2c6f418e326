// SPDX-License-Identifier: Apache-2.0
// Files that appear whole or not at all: written under a temporary name, then renamed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace tessera::io {

/// Writes `content` to a temporary file beside `path`, makes it durable and renames it to `path`.
/// A reader sees the old file or the new one, never a part. Something that is not a regular file
/// (a terminal, a pipe, a device) is written to directly.
/// Throws Error (one line: path and reason) when that fails; the old file is then untouched and
/// the temporary one is gone.
void write_atomically(const std::filesystem::path& path, std::string_view content);

/// Makes the disk keep a file, also where the power fails. Throws Error where it refuses.
void sync_file(const std::filesystem::path& path);

/// Makes a finished temporary file durable and gives it its final name. Throws Error when that
/// fails; `temporary` then stays.
void sync_and_rename(const std::filesystem::path& temporary, const std::filesystem::path& path);

/// Throws Error unless write_atomically() can write `path`: its directory is created, and some KiB
/// are written under the temporary name and removed again, so that names that are too long and
/// disks that are full are found before a long run.
void require_writable_file(const std::filesystem::path& path);

/// Throws Error unless the file system of the existing `directory` has `bytes` bytes to spare.
void require_free_space(const std::filesystem::path& directory, std::uint64_t bytes);

/// The name under which a file that grows during a run is kept until it is complete:
/// `gather.csv` becomes `gather.part.csv`, so that viewers still know the type.
[[nodiscard]] std::filesystem::path part_path(const std::filesystem::path& path);

/// A text file of lines that grows during a run under part_path(path) and is renamed by commit().
/// Without commit() the destructor removes what was written, unless keep() said that it is worth
/// something: then it stays under its temporary name.
class AtomicFile {
 public:
  /// Creates the temporary file. Throws Error when the directory is missing or not writable.
  explicit AtomicFile(const std::filesystem::path& path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  /// Appends to a buffer of 64 KiB. Throws Error when the disk refuses it.
  void write(std::string_view content);
  /// Hands the buffer to the system, so that others can read what was written so far.
  void flush();
  /// From here on what was written is kept, also where an error or a signal ends the run.
  void keep() { kept_ = true; }
  /// Flushes, makes durable and renames. Nothing can be written afterwards.
  void commit();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  int write_whole_lines();

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  std::string buffer_;
  std::int64_t flushed_ = 0;  // bytes in the file
  int descriptor_ = -1;
  bool kept_ = false;
  bool committed_ = false;
};

}  // namespace tessera::io
