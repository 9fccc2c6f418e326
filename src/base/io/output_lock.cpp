// SPDX-License-Identifier: Apache-2.0
#include "base/io/output_lock.hpp"

#include "base/io/atomic_file.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace tessera::io {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolderLock = ".tessera.lock";
constexpr std::string_view kHolder = "process ";         // what a lock file begins with
constexpr std::string_view kTree = " with its folders";  // what that of a tree ends with

fs::path lock_path(const fs::path& output) {
  if (is_folder(output)) return output / kFolderLock;
  const fs::path target = resolve_link(output);
  return target.parent_path() / ("." + target.filename().string() + ".lock");
}

std::string own_name() { return fmt::format("{}{}", kHolder, ::getpid()); }

/// Who wrote into the lock file that he holds it, and whether he holds a tree.
struct Holder {
  std::string name;
  bool of_tree = false;
};

Holder holder(int descriptor) {
  std::array<char, 64> text{};
  const ssize_t count = ::pread(descriptor, text.data(), text.size(), 0);
  std::string name(text.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  const std::size_t end = name.find(kTree);
  if (end != std::string::npos) name.resize(end);
  return {name.empty() ? "another process" : name, end != std::string::npos};
}

/// Which other process holds a lock, where one does.
std::optional<Holder> other_holder(const fs::path& lock) {
  const int descriptor = ::open(lock.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return std::nullopt;
  const bool held = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  Holder who = holder(descriptor);
  ::close(descriptor);
  if (!held || who.name == own_name()) return std::nullopt;
  return who;
}

[[noreturn]] void fail_held(const fs::path& output, const std::string& who) {
  fail("{} is being written by {}: wait for it, or name another output", output.string(), who);
}

/// Throws Error where another process holds a tree that the directory lies in.
void require_free_above(const fs::path& directory) {
  std::error_code error;
  fs::path at = fs::weakly_canonical(fs::absolute(directory, error), error);
  if (error) return;  // whoever makes the directory says why
  while (at != at.parent_path()) {
    at = at.parent_path();
    const std::optional<Holder> who = other_holder(at / kFolderLock);
    require(!who || !who->of_tree,
            "{} lies in {}, which {} writes with its folders: wait for it, or name another output",
            directory.string(), at.string(), who ? who->name : "");
  }
}

/// Opens a lock file; one of another user to read alone, which a lock takes too. Throws Error for
/// what no lock would be: a link, whose target would be written over, or a file of other content.
int open_lock(const fs::path& path, const fs::path& output) {
  int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor < 0 && errno == EACCES) {
    descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  }
  require(descriptor >= 0 || errno != ELOOP, "cannot lock {}: {} is a symbolic link",
          output.string(), path.string());
  require(descriptor >= 0, "cannot write beside {}: {}", output.string(),
          std::generic_category().message(errno));
  struct stat found {};
  std::array<char, kHolder.size()> text{};
  const bool plain = ::fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode);
  const ssize_t count = plain ? ::pread(descriptor, text.data(), text.size(), 0) : 0;
  if (plain && (count <= 0 || kHolder == std::string_view(text.data(), text.size()))) {
    return descriptor;
  }
  ::close(descriptor);
  fail("{} is no lock of this program, where {} wants one: remove it", path.string(),
       output.string());
}

/// Whether the open file still goes by that name: its last holder may have removed it meanwhile.
bool is_current(int descriptor, const fs::path& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(descriptor, &open) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

}  // namespace

OutputLock::OutputLock(const std::filesystem::path& output, Reach reach)
    : OutputLock(output, reach, false) {}

OutputLock OutputLock::wait_for(const fs::path& output) { return {output, Reach::folder, true}; }

OutputLock::OutputLock(const std::filesystem::path& output, Reach reach, bool waits)
    : path_(lock_path(output)) {
  for (;;) {
    descriptor_ = open_lock(path_, output);
    if (::flock(descriptor_, waits ? LOCK_EX : LOCK_EX | LOCK_NB) == 0) {
      if (is_current(descriptor_, path_)) break;
      ::close(descriptor_);
      continue;
    }
    if (errno == EINTR) {
      ::close(descriptor_);
      continue;
    }
    if (errno != EWOULDBLOCK) break;  // no locks here
    const std::string who = holder(descriptor_).name;
    ::close(std::exchange(descriptor_, -1));
    fail_held(output, who);
  }
  const std::string name = own_name() + std::string(reach == Reach::tree ? kTree : "");
  static_cast<void>(::ftruncate(descriptor_, 0));
  static_cast<void>(::pwrite(descriptor_, name.data(), name.size(), 0));
}

OutputLock::OutputLock(OutputLock&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

OutputLock& OutputLock::operator=(OutputLock&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

OutputLock::~OutputLock() {
  if (descriptor_ < 0) return;
  ::unlink(path_.c_str());  // first: whoever opens it afterwards opens a new one
  ::close(descriptor_);
}

void require_free_directory(const fs::path& directory) {
  if (const auto who = other_holder(directory / kFolderLock)) fail_held(directory, who->name);
  require_free_above(directory);
}

void require_free_folder(const fs::path& output) {
  const fs::path folder = resolve_link(output).parent_path();
  require_free_directory(folder.empty() ? fs::path(".") : folder);
}

void require_free_file(const fs::path& output) {
  require_free_folder(output);
  if (const auto who = other_holder(lock_path(output))) fail_held(output, who->name);
}

std::vector<OutputLock> lock_directory(const fs::path& directory,
                                       const std::vector<fs::path>& outputs, Reach reach) {
  std::vector<OutputLock> locks;
  locks.emplace_back(directory, reach);
  // Only now: a tree's holder looks into it when he has it, so that one of the two sees the other.
  if (reach != Reach::part_of_tree) require_free_above(directory);
  for (const fs::path& output : outputs) {
    const fs::path target = resolve_link(output);
    if (target != output) locks.emplace_back(target);
  }
  return locks;
}

}  // namespace tessera::io
