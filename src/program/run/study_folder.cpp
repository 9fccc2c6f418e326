// SPDX-License-Identifier: Apache-2.0
// What a study writes into its folder beside the runs: manifest and machine file.
#include "base/support/console.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"
#include "program/measure/characterise.hpp"
#include "program/measure/machine_info.hpp"
#include "program/results/machine_file.hpp"
#include "program/run/study_command.hpp"

#include <algorithm>
#include <filesystem>

namespace tessera {
namespace {

namespace fs = std::filesystem;

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

io::FolderRequest folder_request(const StudyCommand& command, const Suite& suite,
                                 const std::string& platform) {
  return {.folder = command.folder,
          .command = command.predict.empty() ? "study" : "study --predict",
          .deck = suite.path.string(),
          .platform = command.platform.empty() ? platform : command.platform,
          .command_line = command.command_line,
          .identity = {{"suite", suite.name}, {"build", measure::build_metadata()}},
          .resume = command.resume};
}

Manifest open_manifest(const StudyCommand& command, const Suite& suite, const fs::path& folder) {
  const std::string& named = command.platform;
  return {suite,
          {{"command_line", command.command_line},
           {"platform", named.empty() ? measure::machine_name() : named},
           {"machine", "machine.json"},
           {"build", measure::build_metadata()}},
          folder / "manifest.json"};
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
