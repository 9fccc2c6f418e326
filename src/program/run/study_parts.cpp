// SPDX-License-Identifier: Apache-2.0
// What the ways of going through a suite share: its decks, folder, manifest and machine file; and
// those without measuring: `tessera study --predict` and `--dry-run`.

#include "base/io/atomic_file.hpp"
#include "base/io/json_file.hpp"
#include "base/support/console.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"
#include "base/support/interrupt.hpp"
#include "base/support/text.hpp"
#include "program/cli/deck_kind.hpp"
#include "program/measure/characterise.hpp"
#include "program/measure/machine_info.hpp"
#include "program/predict/inputs.hpp"
#include "program/predict/predict.hpp"
#include "program/predict/selection.hpp"
#include "program/results/machine_file.hpp"
#include "program/run/run.hpp"
#include "program/run/study_command.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

namespace tessera {

namespace {

namespace fs = std::filesystem;

/// Does `body` for each run that is selected on a machine of a kind. One that fails does not stop
/// the others: Error at the end counts them.
template <class Body>
void for_each_run(const StudyCommand& command, const Suite& suite, const std::string& kind,
                  const Body& body) {
  std::size_t failed = 0;
  std::size_t passed_over = 0;
  for (const SuiteRun& run : suite.runs) {
    stop_if_interrupted();
    if (!is_wanted(run, command)) continue;
    if (!is_for(run, kind)) {
      ++passed_over;
      continue;
    }
    try {
      body(run);
    } catch (const Error& error) {
      ++failed;
      say("{}: failed: {}\n", run.name, error.what());
    }
  }
  if (passed_over > 0) {
    say("{} runs skipped: they are not for a {}\n", passed_over, kind);
  }
  require(failed == 0, "{} of {} runs failed: see above", failed, suite.runs.size());
}

}  // namespace

bool is_wanted(const SuiteRun& run, const StudyCommand& command) {
  const auto& only = command.only;
  return only.empty() || std::any_of(only.begin(), only.end(), [&](const std::string& pattern) {
           return glob_match(pattern, run.name);
         });
}

/// Whether a machine of a kind, "cpu" or "gpu", takes a run.
bool is_for(const SuiteRun& run, const std::string& kind) {
  return run.on.empty() || run.on == kind;
}

io::Deck read_deck(const SuiteRun& run, const StudyCommand& command) {
  io::Deck deck = io::Deck::from_file(
      find_input(kDeckFile, run.deck, {.deck_folder = run.folder, .in_deck = true}));
  require_deck_of("run", deck);
  for (const auto* list : {&run.set, &command.overrides}) {
    for (const std::string& assignment : *list) deck.set(assignment);
  }
  return deck;
}

RunRequest request_for(const SuiteRun& run, const StudyCommand& command, const fs::path& folder) {
  RunRequest request;
  request.variants = run.variants;
  request.exclude = run.exclude;
  request.folder = (folder / run.name).string();
  request.platform = command.platform;
  request.command_line = command.command_line;
  request.resume = command.resume;
  return request;
}

/// The predictions of every deck for a machine file: no device, nothing measured.
void predict_suite(const StudyCommand& command, const Suite& suite, const Catalogue& catalogue) {
  const machine::Machine machine = machine::read_machine(find_input(kMachineFile, command.predict));
  io::RunFolder folder(folder_request(command, suite, machine.name));
  for_each_run(command, suite, machine.kind, [&](const SuiteRun& run) {
    const io::Deck deck = read_deck(run, command);
    const auto cases = make_cases(deck, catalogue.families);
    const Patterns patterns =
        read_patterns(deck, cases.front()->family, {run.variants, run.exclude});
    const auto selection = catalogue.variants.select(
        patterns.variants, patterns.exclude, model::machine_limits(machine).kind, Tiles::planned);
    nlohmann::json by_case = nlohmann::json::array();
    std::size_t known = 0;
    std::size_t all = 0;
    for (const auto& c : cases) {
      const auto rows = predict_rows(*c, selection, model_for(machine, *c));
      for (const PredictedRow& row : rows) known += row.json.contains("step_s") ? 1 : 0;
      all += rows.size();
      by_case.push_back(predicted_case_json(*c, rows));
    }
    const fs::path path = folder.path() / (run.name + ".json");
    io::write_atomically(path, prediction_file_text(machine, by_case));
    say("{}: {} of {} rows predicted: {}\n", run.name, known, all, path.string());
  });
  folder.complete();
}

/// Plan and memory of every deck; measures and writes nothing.
void plan_suite(const StudyCommand& command, const Suite& suite, const Catalogue& catalogue) {
  const io::FolderRequest wanted = folder_request(command, suite, measure::machine_name());
  io::require_possible_folder(wanted);
  const fs::path earlier = io::folder_to_resume(wanted);
  for_each_run(command, suite, kind_here(), [&](const SuiteRun& run) {
    say("\n{} ({})\n", run.name, run.deck);
    RunRequest request = request_for(run, command, earlier);
    if (earlier.empty()) request.folder.clear();  // it is not made
    request.machine = command.machine;
    request.measures = false;
    const io::Deck deck = read_deck(run, command);
    const DeckRun deck_run = read_deck_run(deck, request, catalogue);
    for (const Study& study : deck_run.studies) {
      print_dry_run(*study.what, study.selection, deck_run.options,
                    deck_run.stored.bandwidth_gb_per_s(), {80, false, deck_run.patterns});
    }
  });
}

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
