// SPDX-License-Identifier: Apache-2.0
#include "base/io/run_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <ctime>
#include <system_error>
#include <utility>

#include "base/io/atomic_file.hpp"
#include "base/io/json_file.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"

namespace tessera::io {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecord = "run.json";
constexpr const char* kLock = ".lock";
constexpr const char* kUsualParent = "out";
constexpr std::size_t kDateLength = 15;

std::string utc(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), format, &parts);
  return text.data();
}

std::string reason_of_errno() { return std::generic_category().message(errno); }

/// "DECK-PLATFORM-", in front of the date.
std::string usual_beginning(const FolderRequest& request) {
  return fs::path(request.deck).stem().string() + "-" +
         file_name_of(request.platform, "the platform's name") + "-";
}

/// The folder that is named, without a slash at its end.
fs::path named_folder(const FolderRequest& request) {
  const fs::path folder = request.folder;
  return folder.has_filename() ? folder : folder.parent_path();
}

/// Whether a folder holds nothing but what this class itself writes.
bool has_no_results(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    // A kill between the two steps of write_atomically() leaves the first record so.
    const bool unfinished = name.starts_with(fmt::format(".{}.", kRecord));
    if (name != kRecord && name != kLock && !unfinished) return false;
  }
  return !error;
}

void require_name_of_folder(const std::string& name) {
  const std::string ending = fs::path(name).extension().string();
  require((ending != ".json" && ending != ".csv") || is_folder(name),
          "cannot write {0}: a run writes result.json and its other files into one folder: name "
          "that, without {1}",
          name, ending);
  require(!path_exists(name) || is_folder(name), "cannot write into {}: it is not a folder", name);
}

[[noreturn]] void fail_there(const FolderRequest& request, const fs::path& folder) {
  const nlohmann::json record = read_run_record(folder);
  require(!record.is_null(), "{} is there already: name another folder with -o", folder.string());
  fail("{} holds a {} of {} ({}): {} continues it, -o names another folder", folder.string(),
       value_or(record, "command", std::string()), value_or(record, "begun", std::string()),
       value_or(record, "state", std::string()), request.resume_option);
}

/// The record of a folder that is continued; null where its run left nothing yet.
nlohmann::json record_to_resume(const FolderRequest& request, const fs::path& folder) {
  nlohmann::json record = read_run_record(folder);
  if (record.is_null()) {
    require(has_no_results(folder),
            "{} holds files but no {}: it is not the folder of a run, name another one with -o",
            folder.string(), kRecord);
    return record;
  }
  std::string differs =
      first_difference(value_or(record, "command", std::string()), request.command, "command");
  if (differs.empty()) {
    differs = first_difference(value_or(record, "identity", nlohmann::json::object()),
                               request.identity, "");
  }
  require(differs.empty(), "{} holds another run: {}; name another folder with -o", folder.string(),
          differs);
  return record;
}

/// Makes a folder that is not there; whether this call made it.
bool make_folder(const fs::path& folder) {
  std::error_code error;
  const fs::path parent = folder.parent_path();
  if (!parent.empty()) fs::create_directories(parent, error);
  require(!error, "cannot create the folder {}: {}", parent.string(), error.message());
  if (::mkdir(folder.c_str(), 0777) == 0) return true;
  require(errno == EEXIST, "cannot create the folder {}: {}", folder.string(), reason_of_errno());
  return false;
}

fs::path make_usual_folder(const FolderRequest& request) {
  const std::string name = usual_beginning(request) + utc("%Y%m%d-%H%M%S");
  fs::path folder = fs::path(kUsualParent) / name;
  for (int copy = 2; !make_folder(folder); ++copy) {
    folder = fs::path(kUsualParent) / fmt::format("{}-{}", name, copy);
  }
  return folder;
}

/// Holds the folder for this process; the descriptor. -1 where the file system knows no locks.
int lock_folder(const fs::path& folder) {
  const int descriptor =
      ::open((folder / kLock).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  require(descriptor >= 0, "cannot write into {}: {}", folder.string(), reason_of_errno());
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  const bool held = errno == EWOULDBLOCK;
  ::close(descriptor);
  require(!held,
          "{} is being written by another process: wait for it, or name another folder "
          "with -o",
          folder.string());
  return -1;
}

/// Removes what write_atomically() left in a process that was killed.
void remove_unfinished(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    std::error_code ignored;
    if (name.starts_with(".") && name.ends_with(".tmp")) fs::remove(at->path(), ignored);
  }
}

}  // namespace

std::string file_name_of(const std::string& text, const std::string& where) {
  std::string out;
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (std::isalnum(u) != 0 || c == '.' || c == '_') {
      out += static_cast<char>(std::tolower(u));
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  require(out.find_first_not_of('.') != std::string::npos,
          "{} = \"{}\" leaves no name for a file: expected letters a to z or digits", where, text);
  // With what is put before and behind it, a name of a file has 255 bytes at most.
  constexpr std::size_t kLongest = 200;
  require(out.size() <= kLongest, "{} = \"{}...\" has {} characters: at most {} are allowed", where,
          out.substr(0, 20), out.size(), kLongest);
  return out;
}

std::string folder_named(const Deck& deck, const std::string& option) {
  const std::string folder = deck.get("output.directory", "");
  require(!folder.empty() || !deck.contains("output.directory"),
          "{} is empty: give it a value, or leave it out", deck.where("output.directory"));
  return option.empty() ? folder : option;
}

nlohmann::json read_run_record(const fs::path& folder) {
  const fs::path path = folder / kRecord;
  if (!path_exists(path)) return nullptr;
  nlohmann::json record = read_json_file(path);
  require(value_or(record, "schema", std::string()) == kRunSchema,
          "{}: not the record of a run ({})", path.string(), kRunSchema);
  return record;
}

fs::path folder_to_resume(const FolderRequest& request) {
  if (!request.resume) return {};
  if (!request.folder.empty()) {
    return is_folder(request.folder) ? named_folder(request) : fs::path();
  }
  const std::string beginning = usual_beginning(request);
  std::pair<std::string, long> newest;  // date and copy of that second
  fs::path found;
  std::error_code error;
  for (fs::directory_iterator at(kUsualParent, error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(beginning) || !path_exists(at->path() / kRecord)) continue;
    const std::string rest = name.substr(beginning.size());  // "20260131-235959-2"
    if (rest.size() < kDateLength || rest.find_first_not_of("0123456789-") != std::string::npos) {
      continue;
    }
    if (value_or(read_run_record(at->path()), "command", std::string()) != request.command) {
      continue;
    }
    const long copy =
        rest.size() > kDateLength + 1 ? std::strtol(&rest[kDateLength + 1], nullptr, 10) : 1;
    const std::pair date(rest.substr(0, kDateLength), copy);
    if (date <= newest) continue;
    newest = date;
    found = at->path();
  }
  return found;
}

void require_possible_folder(const FolderRequest& request) {
  if (!request.folder.empty()) require_name_of_folder(request.folder);
  const fs::path earlier = folder_to_resume(request);
  if (!earlier.empty()) {
    static_cast<void>(record_to_resume(request, earlier));
    return;
  }
  if (request.folder.empty()) static_cast<void>(usual_beginning(request));  // it has a name
  fs::path folder = request.folder.empty() ? fs::path(kUsualParent) : named_folder(request);
  if (!request.folder.empty() && path_exists(folder)) fail_there(request, folder);
  while (!folder.empty() && !path_exists(folder)) folder = folder.parent_path();
  if (folder.empty()) folder = ".";
  const int error = is_folder(folder) && ::access(folder.c_str(), W_OK | X_OK) == 0 ? 0 : errno;
  require(is_folder(folder), "cannot write into {}: it is not a folder", folder.string());
  require(error == 0, "cannot write into {}: {}", folder.string(),
          std::generic_category().message(error));
}

RunFolder::RunFolder(const FolderRequest& request) {
  if (!request.folder.empty()) require_name_of_folder(request.folder);
  fs::path folder = folder_to_resume(request);
  if (folder.empty()) {
    if (request.folder.empty()) {
      folder = make_usual_folder(request);
    } else {
      folder = named_folder(request);
      if (!make_folder(folder)) fail_there(request, folder);
    }
  }
  lock_ = lock_folder(folder);
  path_ = folder;
  try {
    record_ = request.resume ? record_to_resume(request, folder) : nullptr;
    if (request.resume) remove_unfinished(folder);
    if (record_.is_null()) record_ = {{"schema", kRunSchema}, {"begun", utc("%Y-%m-%dT%H:%M:%SZ")}};
    state_ = value_or(record_, "state", std::string());
    record_["command"] = request.command;
    record_["command_line"] = request.command_line;
    record_["deck"] = request.deck;
    record_["identity"] = request.identity;
    if (!was_complete()) note("running");
  } catch (...) {
    if (lock_ >= 0) ::close(lock_);
    throw;
  }
}

RunFolder::RunFolder(RunFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      record_(std::move(other.record_)),
      state_(std::exchange(other.state_, {})),
      lock_(std::exchange(other.lock_, -1)) {}

RunFolder& RunFolder::operator=(RunFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(record_, other.record_);
  std::swap(state_, other.state_);
  std::swap(lock_, other.lock_);
  return *this;
}

RunFolder::~RunFolder() {
  if (is_none()) return;
  std::error_code ignored;
  if (!was_complete() && has_no_results(path_)) {
    for (const char* name : {kRecord, kLock}) fs::remove(path_ / name, ignored);
    fs::remove(path_, ignored);
  } else if (!was_complete()) {
    try {
      note("failed");
    } catch (const std::exception&) {  // a full disk: it stays "running", as after a kill
    }
  }
  if (lock_ >= 0) ::close(lock_);
}

void RunFolder::begin() {
  if (!is_none() && was_complete()) note("running");
}

void RunFolder::complete() {
  if (!is_none()) note("complete");
}

void RunFolder::note(const char* state) {
  record_["state"] = state_ = state;
  record_["date"] = utc("%Y-%m-%dT%H:%M:%SZ");
  write_atomically(path_ / kRecord, json_text(record_, 2) + "\n");
}

FolderLock::FolderLock(const fs::path& folder)
    : descriptor_(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC)) {
  while (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) continue;
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace tessera::io
