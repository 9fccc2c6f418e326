// SPDX-License-Identifier: Apache-2.0
// The folder of a run: made for it, written by it alone, and continued by it.
#pragma once

#include "base/io/deck.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

namespace tessera::io {

/// Letters, digits, '.' and '_' of `text` in lower case, all else as single dashes. Throws Error,
/// which begins with `where`, if nothing is left of it, or no name of a file: "." and "..", or more
/// than 200 characters.
[[nodiscard]] std::string file_name_of(const std::string& text, const std::string& where);

/// A run and the folder that it is to have.
struct FolderRequest {
  std::string folder;    ///< of -o or output.directory; empty: out/DECK-PLATFORM-DATE
  std::string command;   ///< "run", "shot" ...
  std::string deck;      ///< path of the deck or suite
  std::string platform;  ///< name of this machine
  std::string command_line;
  nlohmann::json identity;  ///< object: what must be equal in a run that is continued
  bool resume = false;
  const char* resume_option = "--resume";
};

/// The folder that a command's option -o names, else the deck's output.directory; empty where
/// neither does.
[[nodiscard]] std::string folder_named(const Deck& deck, const std::string& option);

/// The folder that the request continues: its own, or, where it names none, the newest of this
/// command, deck and platform in out/. Empty where nothing is continued.
[[nodiscard]] std::filesystem::path folder_to_resume(const FolderRequest& request);

/// Throws Error where RunFolder would, as far as that is known without writing: for a dry run.
void require_possible_folder(const FolderRequest& request);

/// The folder itself. mkdir makes it, so that two runs never have one; a lock on a file in it
/// (flock, where the file system has it) keeps a second --resume out. `run.json` says whose it is:
/// schema, command, command_line, deck, begun, date, identity, and state: "running" (also of a run
/// that was killed), "complete" or "failed".
class RunFolder {
 public:
  /// None: nothing is written.
  RunFolder() = default;
  /// Makes the folder, or continues one. Throws Error where it is there and not to be continued, is
  /// of another run, belongs to a process that still writes it, or cannot be written.
  explicit RunFolder(const FolderRequest& request);
  RunFolder(RunFolder&& other) noexcept;
  RunFolder& operator=(RunFolder&& other) noexcept;
  /// The state of an incomplete run becomes "failed"; a folder without any result is
  /// removed.
  ~RunFolder();

  [[nodiscard]] bool is_none() const { return path_.empty(); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path file(const char* name) const { return path_ / name; }
  /// Whether the run that is continued had come to its end.
  [[nodiscard]] bool was_complete() const { return state_ == "complete"; }

  /// Of a complete run that is continued: from here on it is running again.
  void begin();
  void complete();

 private:
  void note(const char* state);

  std::filesystem::path path_;
  nlohmann::json record_;
  std::string state_;
  int lock_ = -1;
};

/// Holds a folder (flock), once no other process does: for a file in it that is read, changed and
/// written whole. Without effect where the file system has no such locks.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  int descriptor_ = -1;
};

/// What run.json in a folder says; null where there is none. Throws Error for one that no run of
/// this program left.
[[nodiscard]] nlohmann::json read_run_record(const std::filesystem::path& folder);

inline constexpr const char* kRunSchema = "tessera-run-1";

}  // namespace tessera::io
