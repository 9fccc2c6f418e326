// SPDX-License-Identifier: Apache-2.0
// One shot from its case to its files: what `shot` does once and `survey` often.
#pragma once

#include "base/io/deck.hpp"
#include "base/io/run_folder.hpp"
#include "program/shot/output.hpp"
#include "program/shot/shot.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <string>

namespace tessera {

/// What a shot's shot.json and progress report besides the case.
struct ShotRun {
  const io::Deck* deck = nullptr;
  std::string command_line;
  bool redact = false;                ///< leave the host's name out
  nlohmann::json accuracy = nullptr;  ///< shot::measure_accuracy()
  bool last = true;  ///< the case is not needed again: its model's memory is freed early
  /// The share that is done, 0 ... 1, and a few words on it.
  std::function<void(double part, const std::string& text)> progress;
};

/// What came of it.
struct ShotDone {
  shot::ShotOutcome outcome;
  std::string written;  ///< "DIRECTORY: gather.csv, shot.json"
};

/// Collective. Opens a shot's folder on the first rank, whose object it returns, and sets
/// output.directory on all. The request's identity is the shot's (shot::folder_identity()).
[[nodiscard]] io::RunFolder open_shot_folder(const shot::ShotCase& shot, shot::ShotOutput& output,
                                             io::FolderRequest request);

/// Runs a shot in its folder, from the checkpoint there, if there is one, and writes its files and
/// shot.json, also where it ends early. Catches interrupts from where there is something to save.
/// An error's message says what was recorded and kept. Collective; the first rank writes.
[[nodiscard]] ShotDone run_shot(shot::ShotCase& shot, const shot::ShotOutput& output,
                                const ShotRun& how, io::RunFolder& folder);

}  // namespace tessera
