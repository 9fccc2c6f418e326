// SPDX-License-Identifier: Apache-2.0
#include "base/io/atomic_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/support/error.hpp"
#include "base/support/files.hpp"

namespace tessera::io {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBufferBytes = 65536;
constexpr std::size_t kProbeBytes = 8192;

std::string reason(int error) { return std::generic_category().message(error); }

// Removes a temporary file unless it was renamed (active = false).
struct RemoveOnFailure {
  const fs::path& path;
  bool active = true;
  ~RemoveOnFailure() {
    if (active) ::unlink(path.c_str());
  }
};

// Writes to a descriptor; returns the bytes that went, fewer on an error, which is in errno.
std::size_t write_some(int descriptor, std::string_view content) {
  std::size_t done = 0;
  while (done < content.size()) {
    const ssize_t written = ::write(descriptor, content.data() + done, content.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) break;
    done += static_cast<std::size_t>(written);
  }
  return done;
}

void write_all(int descriptor, std::string_view content, const fs::path& path) {
  if (write_some(descriptor, content) < content.size()) {
    fail("cannot write {}: {}", path.string(), reason(errno));
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

// Beside the file, since a rename does not cross file systems.
fs::path temporary_path_of(const fs::path& path) {
  return path.parent_path() / fmt::format(".{}.{}.tmp", path.filename().string(), ::getpid());
}

// Without it the name of a file that was renamed may be lost with the power. File systems that
// cannot do that for directories, or forbid it, are taken as they are.
void sync_directory(const fs::path& path) {
  const fs::path folder = path.parent_path();
  const int descriptor =
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  const bool lost = error == EIO || error == ENOSPC || error == EDQUOT;
  require(!lost, "{} was written, but its name may not be on the disk: {}", path.string(),
          reason(error));
}

}  // namespace

void sync_file(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  require(descriptor >= 0, "cannot open {}: {}", path.string(), reason(errno));
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  require(error == 0 || error == EINVAL, "cannot write {}: {}", path.string(), reason(error));
}

void sync_and_rename(const fs::path& temporary, const fs::path& path) {
  sync_file(temporary);
  const int error = ::rename(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
  require(error == 0, "cannot write {}: {}", path.string(), reason(error));
  sync_directory(path);
}

void write_atomically(const fs::path& path, std::string_view content) {
  if (is_special_file(path)) return write_file(path, content, path);
  const fs::path temporary = temporary_path_of(path);
  RemoveOnFailure cleanup{temporary};
  write_file(temporary, content, path);
  sync_and_rename(temporary, path);
  cleanup.active = false;
}

void require_writable_file(const fs::path& path) {
  require(path.has_filename() && !is_folder(path), "cannot write {}: it is a folder",
          path.string());
  if (is_special_file(path)) return;  // it takes what comes
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  require(!error, "cannot create the folder {}: {}", path.parent_path().string(), error.message());
  const fs::path temporary = temporary_path_of(path);
  const RemoveOnFailure cleanup{temporary};
  write_file(temporary, std::string(kProbeBytes, ' '), path);
}

void require_free_space(const fs::path& directory, std::uint64_t bytes) {
  const fs::path folder = directory.empty() ? fs::path(".") : directory;
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  if (error) return;  // Unknown: the writes themselves will fail.
  require(space.available >= bytes,
          "{}: the output needs {:.1f} MB and the disk has {:.1f} MB left", folder.string(),
          static_cast<double>(bytes) / 1e6, static_cast<double>(space.available) / 1e6);
}

fs::path part_path(const fs::path& path) {
  return path.parent_path() / (path.stem().string() + ".part" + path.extension().string());
}

// Doxygen does not see through the alias.
/// @cond
AtomicFile::AtomicFile(const fs::path& path) : path_(path), temporary_(part_path(path_)) {
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  require(descriptor_ >= 0, "cannot write {}: {}", temporary_.string(), reason(errno));
  buffer_.reserve(kBufferBytes);
}
/// @endcond

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) {
    if (kept_) static_cast<void>(write_whole_lines());
    ::close(descriptor_);
  }
  if (!committed_ && !kept_) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view content) {
  require(descriptor_ >= 0, "cannot write {}: it is finished", path_.string());
  buffer_.append(content);
  if (buffer_.size() >= kBufferBytes) flush();
}

// If the disk does not take the whole buffer, only whole lines are kept. Returns errno.
int AtomicFile::write_whole_lines() {
  const std::size_t written = write_some(descriptor_, buffer_);
  const int error = written < buffer_.size() ? errno : 0;
  const std::size_t end =
      error == 0 || written == 0 ? written : buffer_.rfind('\n', written - 1) + 1;
  if (end < written)
    static_cast<void>(::ftruncate(descriptor_, flushed_ + static_cast<off_t>(end)));
  flushed_ += static_cast<std::int64_t>(end);
  buffer_.erase(0, end);
  return error;
}

void AtomicFile::flush() {
  const int error = write_whole_lines();
  require(error == 0, "cannot write {}: {}", path_.string(), reason(error));
}

void AtomicFile::commit() {
  require(descriptor_ >= 0, "cannot write {}: it is finished", path_.string());
  flush();
  close_checked(descriptor_, path_);
  sync_and_rename(temporary_, path_);
  committed_ = true;
}

}  // namespace tessera::io
