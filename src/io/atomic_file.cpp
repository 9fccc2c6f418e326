// SPDX-License-Identifier: Apache-2.0
#include "io/atomic_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "support/error.hpp"

namespace tessera::io {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBufferBytes = 65536;

std::string reason(int error) { return std::generic_category().message(error); }

// Removes a temporary file unless told that it has been renamed.
struct RemoveOnFailure {
  const fs::path& path;
  bool active = true;
  ~RemoveOnFailure() {
    if (active) ::unlink(path.c_str());
  }
};

void write_all(int descriptor, std::string_view content, const fs::path& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail("cannot write {}: {}", path.string(), reason(errno));
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

// close() can report a write that failed late (network file systems, quotas).
void close_checked(int& descriptor, const fs::path& path) {
  const int result = ::close(std::exchange(descriptor, -1));
  require(result == 0 || errno == EINTR, "cannot write {}: {}", path.string(), reason(errno));
}

// Creates or cuts the file at `path`; errors speak of `named`.
void write_file(const fs::path& path, std::string_view content, const fs::path& named) {
  int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  require(descriptor >= 0, "cannot write {}: {}", named.string(), reason(errno));
  try {
    write_all(descriptor, content, named);
  } catch (...) {
    ::close(descriptor);
    throw;
  }
  close_checked(descriptor, named);
}

// Where a link points to: renaming over the link itself would cut it off from its target.
fs::path resolve_link(const fs::path& path) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) return path;
  const fs::path target = fs::weakly_canonical(path, error);
  return error ? path : target;
}

void sync_directory(const fs::path& directory) {
  // Best effort: some file systems refuse fsync on directories, and the rename has happened.
  const int descriptor =
      ::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

void write_in_place(const fs::path& path, std::string_view content) {
  write_file(path, content, path);
}

void sync_and_rename(const fs::path& temporary, const fs::path& path) {
  RemoveOnFailure cleanup{temporary};
  int descriptor = ::open(temporary.c_str(), O_RDONLY | O_CLOEXEC);
  require(descriptor >= 0, "cannot open {}: {}", temporary.string(), reason(errno));
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  require(error == 0 || error == EINVAL, "cannot write {}: {}", path.string(), reason(error));
  const int rename_error = ::rename(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
  require(rename_error == 0, "cannot write {}: {}", path.string(), reason(rename_error));
  cleanup.active = false;
  sync_directory(path.parent_path());
}

void write_atomically(const fs::path& requested, std::string_view content) {
  const fs::path path = resolve_link(requested);
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  require(!fs::is_directory(status), "cannot write {}: it is a directory", path.string());
  if (fs::exists(status) && !fs::is_regular_file(status)) return write_in_place(path, content);
  const fs::path temporary =
      path.parent_path() / fmt::format(".{}.{}.tmp", path.filename().string(), ::getpid());
  RemoveOnFailure cleanup{temporary};
  write_file(temporary, content, path);
  cleanup.active = false;
  sync_and_rename(temporary, path);
}

void require_writable_directory(const fs::path& directory) {
  const fs::path folder = directory.empty() ? fs::path(".") : directory;
  std::error_code error;
  fs::create_directories(folder, error);
  require(!error, "cannot create the directory {}: {}", folder.string(), error.message());
  const fs::path probe = folder / fmt::format(".probe.{}.tmp", ::getpid());
  const int descriptor = ::open(probe.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  require(descriptor >= 0, "cannot write into the directory {}: {}", folder.string(),
          reason(errno));
  ::close(descriptor);
  ::unlink(probe.c_str());
}

void require_writable_file(const fs::path& path) {
  require(path.has_filename(), "\"{}\" names no file to write", path.string());
  require(!fs::is_directory(path), "cannot write {}: it is a directory", path.string());
  require_writable_directory(path.parent_path());
}

void require_free_space(const fs::path& directory, std::uint64_t bytes) {
  const fs::path folder = directory.empty() ? fs::path(".") : directory;
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  if (error) return;  // A file system that cannot tell is found out by the writes themselves.
  require(space.available >= bytes,
          "{}: the output needs {:.1f} MB and the disk has {:.1f} MB left", folder.string(),
          static_cast<double>(bytes) / 1e6, static_cast<double>(space.available) / 1e6);
}

fs::path part_path(const fs::path& path) {
  return path.parent_path() / (path.stem().string() + ".part" + path.extension().string());
}

// Doxygen does not see through the alias.
/// @cond
AtomicFile::AtomicFile(const fs::path& path)
    : path_(resolve_link(path)), temporary_(part_path(path_)) {
  require(!fs::is_directory(path_), "cannot write {}: it is a directory", path_.string());
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  require(descriptor_ >= 0, "cannot write {}: {}", temporary_.string(), reason(errno));
  buffer_.reserve(kBufferBytes);
}
/// @endcond

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view content) {
  require(descriptor_ >= 0, "cannot write {}: it is finished", path_.string());
  buffer_.append(content);
  if (buffer_.size() >= kBufferBytes) flush();
}

void AtomicFile::flush() {
  write_all(descriptor_, buffer_, path_);
  buffer_.clear();
}

void AtomicFile::commit() {
  require(descriptor_ >= 0, "cannot write {}: it is finished", path_.string());
  flush();
  RemoveOnFailure cleanup{temporary_};
  close_checked(descriptor_, path_);
  cleanup.active = false;
  sync_and_rename(temporary_, path_);
}

}  // namespace tessera::io
