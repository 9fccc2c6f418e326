// SPDX-License-Identifier: Apache-2.0
// The folder of a study on one machine: whose it is, and what must not be written over.
#include "base/io/json_file.hpp"
#include "base/support/console.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"
#include "program/measure/characterise.hpp"
#include "program/measure/machine_info.hpp"
#include "program/results/machine_file.hpp"
#include "program/results/prediction_file.hpp"
#include "program/results/result.hpp"
#include "program/run/output_files.hpp"
#include "program/run/study_command.hpp"

#include <algorithm>
#include <filesystem>

namespace tessera {
namespace {

namespace fs = std::filesystem;

bool is_result(const fs::path& path) {
  try {
    return results::is_result_file(path);
  } catch (const Error&) {
    return false;
  }
}

bool is_prediction(const fs::path& path) {
  try {
    return io::value_or(io::read_json_file(path), "schema", std::string()) ==
           results::kPredictionSchema;
  } catch (const Error&) {
    return false;
  }
}

/// Throws Error where a folder without a manifest holds files that the study would write over.
void require_own_files(const StudyCommand& command, const Suite& suite, const fs::path& folder) {
  for (const SuiteRun& run : suite.runs) {
    const fs::path path = folder / (run.name + ".json");
    if (!is_plain_file(path)) continue;
    require(is_result(path), "{} is no result of a study: -o or --platform keeps it apart",
            path.string());
    require(command.resume,
            "{} is there without a manifest: --resume continues it, -o or --platform keeps it "
            "apart",
            path.string());
  }
}

/// Whether a deck of the study leaves the host's name out.
bool is_redacted(const StudyCommand& command, const Suite& suite) {
  return std::any_of(suite.runs.begin(), suite.runs.end(), [&](const SuiteRun& run) {
    try {
      return is_wanted(run, command) && read_deck(run, command).get("output.redact", false);
    } catch (const Error&) {  // the run says so when its turn comes
      return false;
    }
  });
}

void redact(nlohmann::json& metadata) {
  for (const char* key :
       {"/machine/hostname", "/machine/host/hostname", "/machine/device_properties/pci_bus"}) {
    const nlohmann::json::json_pointer at(key);
    if (metadata.contains(at)) metadata[at] = "redacted";
  }
}

}  // namespace

fs::path study_folder(const StudyCommand& command) {
  return fs::path(command.folder) /
         platform_of(command, measure::machine_name(), "this machine's name");
}

Manifest open_manifest(const StudyCommand& command, const Suite& suite, const fs::path& folder) {
  const fs::path path = folder / "manifest.json";
  Manifest manifest(suite,
                    {{"command_line", command.command_line},
                     {"platform", folder.filename().string()},
                     {"machine", "machine.json"},
                     {"build", measure::build_metadata()}},
                    path, command.resume);
  if (!path_exists(path)) require_own_files(command, suite, folder);
  return manifest;
}

void require_no_measured_study(const StudyCommand& command, const Suite& suite,
                               const fs::path& folder) {
  require(!path_exists(folder / "manifest.json"),
          "{} holds a measured study: -o or --platform keeps predictions apart", folder.string());
  for (const SuiteRun& run : suite.runs) {
    const fs::path path = folder / (run.name + ".json");
    if (!is_wanted(run, command) || !is_plain_file(path)) continue;
    require(is_prediction(path), "{} is no prediction: -o or --platform keeps it apart",
            path.string());
  }
}

void write_machine_file(const StudyCommand& command, const Suite& suite,
                        const std::optional<machine::Machine>& given, const fs::path& path,
                        std::FILE* log) {
  const bool redacted = is_redacted(command, suite);
  if (given) {
    machine::Machine machine = *given;
    if (redacted) redact(machine.metadata);
    machine::write_machine(machine, path);
  } else if (!command.resume || !path_exists(path)) {
    say(command.talk, "machine: measured first, about ten seconds\n");
    flush_output();
    measure::CharacteriseOptions options;
    options.redact = redacted;
    machine::Machine machine = measure::characterise(
        options, [&](const std::string& what) { say(log, "measuring {}\n", what); });
    if (!command.platform.empty()) machine.name = command.platform;
    machine::write_machine(machine, path);
  }
}

}  // namespace tessera
