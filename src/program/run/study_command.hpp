// SPDX-License-Identifier: Apache-2.0
// The options of `tessera study`, and what its ways of going through a suite share.
#pragma once

#include "base/case/catalogue.hpp"
#include "base/io/deck.hpp"
#include "base/io/run_folder.hpp"
#include "program/results/machine_file.hpp"
#include "program/run/deck_run.hpp"
#include "program/run/suite.hpp"

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// The options.
struct StudyCommand {
  std::string suite, folder, platform, machine, budget, predict;
  std::vector<std::string> only, overrides;
  bool resume = false;
  bool dry_run = false;
  bool json = false;
  std::string command_line;
  std::FILE* talk = stdout;  // where lines for people go
};

/// Whether --only leaves a run.
[[nodiscard]] bool is_wanted(const SuiteRun& run, const StudyCommand& command);

/// Whether a machine of a kind, "cpu" or "gpu", takes a run.
[[nodiscard]] bool is_for(const SuiteRun& run, const std::string& kind);

/// A run's deck with the suite's and the command's overrides.
[[nodiscard]] io::Deck read_deck(const SuiteRun& run, const StudyCommand& command);

/// The request for a run whose results go to `folder`.
[[nodiscard]] RunRequest request_for(const SuiteRun& run, const StudyCommand& command,
                                     const std::filesystem::path& folder);

/// The study's folder: -o, or out/SUITE-PLATFORM-DATE. `platform` is a machine's name, where
/// --platform gives none.
[[nodiscard]] io::FolderRequest folder_request(const StudyCommand& command, const Suite& suite,
                                               const std::string& platform);

/// How the study stands in its folder.
[[nodiscard]] Manifest open_manifest(const StudyCommand& command, const Suite& suite,
                                     const std::filesystem::path& folder);

/// Writes this machine's file: the one given, else a freshly measured one, unless a study that is
/// resumed has one. Without the host's name where a deck of the study says output.redact.
void write_machine_file(const StudyCommand& command, const Suite& suite,
                        const std::optional<machine::Machine>& given,
                        const std::filesystem::path& path, std::FILE* log);

/// Writes the predictions of every deck for a machine file: no device, nothing measured. Throws
/// Error, after the others, where a run failed.
void predict_suite(const StudyCommand& command, const Suite& suite, const Catalogue& catalogue);

/// Prints plan and memory of every deck; measures and writes nothing. Throws Error, after the
/// others, where a run failed.
void plan_suite(const StudyCommand& command, const Suite& suite, const Catalogue& catalogue);

}  // namespace tessera
