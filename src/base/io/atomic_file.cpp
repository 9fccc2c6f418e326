// SPDX-License-Identifier: Apache-2.0
#include "base/io/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <array>
#include <ctime>

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
constexpr int kMostLinks = 40;  // as the system counts them

std::string reason(int error) { return std::generic_category().message(error); }

// Removes a temporary file unless told that it has been renamed.
struct RemoveOnFailure {
  const fs::path& path;
  bool active = true;
  ~RemoveOnFailure() {
    if (active) ::unlink(path.c_str());
  }
};

// Writes to a descriptor; returns the bytes that went, fewer where errno tells why.
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

void write_in_place(const fs::path& path, std::string_view content) {
  write_file(path, content, path);
}

fs::path resolve_link(const fs::path& path) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) return path;
  // What a descriptor's link says of a pipe is no path: /proc/self/fd/1 to pipe:[123].
  if (is_special_file(path)) return path;
  // Step by step: what a link points to need not be there yet.
  fs::path at = path;
  for (int links = 0; fs::is_symlink(at, error); ++links) {
    const fs::path target = fs::read_symlink(at, error);
    require(!error && links < kMostLinks, "cannot write {}: {}", path.string(),
            reason(error ? error.value() : ELOOP));
    at = at.parent_path() / target;
  }
  const fs::path known = fs::weakly_canonical(at, error);
  return error ? at : known;
}

fs::path resolve_output(const fs::path& path) {
  fs::path target = resolve_link(path);
  require(!is_folder(target), "cannot write {}: it is a directory", path.string());
  return target;
}

void sync_file(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  require(descriptor >= 0, "cannot open {}: {}", path.string(), reason(errno));
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  require(error == 0 || error == EINVAL, "cannot write {}: {}", path.string(), reason(error));
}

void sync_and_rename(const fs::path& temporary, const fs::path& requested) {
  const fs::path path = resolve_link(requested);
  int descriptor = ::open(temporary.c_str(), O_RDONLY | O_CLOEXEC);
  require(descriptor >= 0, "cannot open {}: {}", temporary.string(), reason(errno));
  struct stat replaced {};
  const bool there = ::stat(path.c_str(), &replaced) == 0;
  if (there) ::fchmod(descriptor, replaced.st_mode & 07777U);
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  require(error == 0 || error == EINVAL, "cannot write {}: {}", path.string(), reason(error));
  // A device or a pipe would be gone.
  require(!there || S_ISREG(replaced.st_mode), "cannot write {}: it is no plain file",
          path.string());
  const int rename_error = ::rename(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
  require(rename_error == 0, "cannot write {}: {}", path.string(), reason(rename_error));
  sync_directory(path);
}

fs::path set_aside(const fs::path& temporary) {
  struct stat found {};
  if (::stat(temporary.c_str(), &found) != 0) return {};
  if (found.st_size == 0) {
    ::unlink(temporary.c_str());
    return {};
  }
  std::tm when{};
  ::gmtime_r(&found.st_mtime, &when);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "-%Y%m%d-%H%M%S", &when);
  const std::string stem = temporary.stem().string() + text.data();
  fs::path aside;
  for (int copy = 1;; ++copy) {  // several may have ended in one second
    aside = temporary.parent_path() /
            (stem + (copy == 1 ? "" : fmt::format("-{}", copy)) + temporary.extension().string());
    if (!path_exists(aside)) break;
  }
  std::error_code error;
  fs::rename(temporary, aside, error);
  require(!error, "cannot keep {}, which an earlier run left: {}", temporary.string(),
          error.message());
  return aside;
}

void write_atomically(const fs::path& requested, std::string_view content) {
  const fs::path path = resolve_link(requested);
  require(!is_folder(path), "cannot write {}: it is a directory", path.string());
  if (is_special_file(path)) return write_in_place(path, content);
  const fs::path temporary = temporary_path_of(path);
  RemoveOnFailure cleanup{temporary};
  write_file(temporary, content, path);
  sync_and_rename(temporary, path);
  cleanup.active = false;
}

void require_writable_directory(const fs::path& directory) {
  // Part by part: a link to a folder that is not there yet makes that folder.
  fs::path folder;
  for (const fs::path& part : directory.empty() ? fs::path(".") : directory) {
    if (part.empty()) continue;  // behind a slash at the end
    folder /= part;
    if (!path_exists(folder)) folder = resolve_link(folder);
  }
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

namespace {

/// Whether a file could be replaced by a rename: in a folder with the sticky bit by its owner, the
/// folder's, or root.
bool is_replaceable(const fs::path& path) {
  const fs::path folder = path.parent_path().empty() ? fs::path(".") : path.parent_path();
  struct stat file {};
  struct stat around {};
  if (::stat(path.c_str(), &file) != 0 || ::stat(folder.c_str(), &around) != 0) return true;
  const uid_t user = ::geteuid();
  return (around.st_mode & S_ISVTX) == 0 || user == 0 || user == file.st_uid ||
         user == around.st_uid;
}

/// The file that a path stands for. Throws Error where it names none, or one that this user may not
/// replace.
fs::path file_to_write(const fs::path& path) {
  require(path.has_filename(), "\"{}\" names no file to write", path.string());
  fs::path target = resolve_output(path);
  require(is_special_file(target) || is_replaceable(target),
          "cannot replace {}: it is another user's, in a folder where only "
          "its owner may",
          path.string());
  return target;
}

}  // namespace

void require_possible_file(const fs::path& path) {
  const fs::path target = file_to_write(path);
  if (is_special_file(target)) return;
  fs::path folder = target.parent_path();
  // What is not there yet would be made in the nearest folder that is.
  for (int links = 0; !folder.empty() && !path_exists(folder) && folder.has_relative_path();) {
    const fs::path led = resolve_link(folder);
    require(led == folder || ++links <= kMostLinks, "cannot create the directory {}: {}",
            target.parent_path().string(), reason(ELOOP));
    folder = led.parent_path();
  }
  if (folder.empty()) folder = ".";
  require(is_folder(folder), "cannot create the directory {}: {} is no directory",
          target.parent_path().string(), folder.string());
  const int error = ::access(folder.c_str(), W_OK | X_OK) == 0 ? 0 : errno;
  require(error == 0, "cannot write into the directory {}: {}", folder.string(), reason(error));
  struct stat there {};
  require(::lstat(temporary_path_of(target).c_str(), &there) == 0 || errno != ENAMETOOLONG,
          "cannot write {}: {}", path.string(), reason(ENAMETOOLONG));
}

void require_writable_file(const fs::path& path) {
  const fs::path target = file_to_write(path);
  if (is_special_file(target)) return;  // it takes what comes
  require_writable_directory(target.parent_path());
  const fs::path temporary = temporary_path_of(target);
  const RemoveOnFailure cleanup{temporary};
  write_file(temporary, std::string(kProbeBytes, ' '), path);
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
  const fs::path target = resolve_link(path);
  return target.parent_path() / (target.stem().string() + ".part" + target.extension().string());
}

// Doxygen does not see through the alias.
/// @cond
AtomicFile::AtomicFile(const fs::path& path)
    : path_(resolve_link(path)), temporary_(part_path(path_)) {
  require(!is_folder(path_), "cannot write {}: it is a directory", path_.string());
  set_aside(temporary_);
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

// Of a buffer that the disk does not take the whole lines stay: half a line is none. Returns errno.
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
