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

/// Writes `content` to `path` itself, which is created or cut first: for a file that is rewritten
/// under its temporary name until sync_and_rename(). A reader may see a part of it; a program that
/// is killed leaves no file but this one.
/// Throws Error (one line: path and reason) when that fails.
void write_in_place(const std::filesystem::path& path, std::string_view content);

/// Makes the disk keep a file, also where the power fails. Throws Error where it refuses.
void sync_file(const std::filesystem::path& path);

/// Makes a finished temporary file durable and gives it its final name, with the permissions of the
/// file that it replaces. Throws Error when that fails; `temporary` then stays.
void sync_and_rename(const std::filesystem::path& temporary, const std::filesystem::path& path);

/// What a path stands for: of a link its target, of other paths themselves. Outputs that are links
/// are followed: renaming over the link itself would cut it off from its target. A link to a
/// device or a pipe stands for itself.
[[nodiscard]] std::filesystem::path resolve_link(const std::filesystem::path& path);

/// The same of a file that will be written. Throws Error where it is a directory.
[[nodiscard]] std::filesystem::path resolve_output(const std::filesystem::path& path);

/// Gives a growing file that a killed run left (`gather.part.csv`) a name of its own by the time of
/// its last change (`gather.part-20261125-204130.csv`), so that a new run does not write over it,
/// and returns that name. An empty file is removed; then, and where there is none, the name is
/// empty. Throws Error where the file cannot be renamed: it would be lost.
std::filesystem::path set_aside(const std::filesystem::path& temporary);

/// Creates `directory` and its parents where needed and checks that a file can be created in it.
/// Throws Error otherwise, so that a long run fails before it starts rather than at its end.
void require_writable_directory(const std::filesystem::path& directory);

/// The same for a file: its directory is created, and some KiB are written under the temporary name
/// that write_atomically() will use and removed again, so that names that are too long and disks
/// that are full are found before a long run. Throws Error too where `path` names no file: it is
/// empty, ends in a slash or is a directory.
void require_writable_file(const std::filesystem::path& path);

/// What of that can be told without writing or creating anything, for a dry run: a name that is
/// none, too long or a directory's, and a folder that cannot be made or written into.
void require_possible_file(const std::filesystem::path& path);

/// Throws Error unless the file system of the existing `directory` has `bytes` bytes to spare.
void require_free_space(const std::filesystem::path& directory, std::uint64_t bytes);

/// The name under which a file that grows during a run is kept until it is complete:
/// `gather.csv` becomes `gather.part.csv`, so that viewers still know the type. Of a link it lies
/// beside what the link leads to, since a rename stays in one folder.
[[nodiscard]] std::filesystem::path part_path(const std::filesystem::path& path);

/// A text file of lines that grows during a run under part_path(path) and is renamed by commit().
/// Without commit() an older file stays as it was, and the destructor removes what was written,
/// unless keep() said that it is worth something: then it stays under its temporary name.
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
