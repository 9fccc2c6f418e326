// SPDX-License-Identifier: Apache-2.0
// `tessera run DECK`: a study of variants on one case, as a table and a result file.
#include "base/comm/session.hpp"
#include "base/io/atomic_file.hpp"
#include "base/io/json_file.hpp"
#include "base/support/console.hpp"
#include "base/support/duration.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"
#include "base/support/interrupt.hpp"
#include "program/cli/commands.hpp"
#include "program/cli/deck_options.hpp"
#include "program/cli/options.hpp"
#include "program/results/measurement_warnings.hpp"
#include "program/results/result_table.hpp"
#include "program/run/deck_run.hpp"
#include "program/run/roofs.hpp"
#include "program/run/run.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>

namespace tessera {
namespace {

struct RunCommand {
  DeckOptions deck;
  RunRequest request;
  std::string budget;
  bool dry_run = false;
  bool wide = false;
  bool all = false;
  bool figures_of_merit = false;
  bool strict = false;
  bool quick_roofs = false;
  bool json = false;
};

void dry_run(const DeckRun& run, const RunRequest& request, bool all) {
  int runnable = 0;
  for (const Study& study : run.studies) {
    stop_if_interrupted();
    runnable +=
        print_dry_run(*study.what, study.selection, run.options, run.stored.bandwidth_gb_per_s(),
                      {terminal_width(), all, run.patterns});
  }
  say("{}", roofs_plan(run, request));
  flush_output();
  for (const Study& study : run.studies) require_memory(*study.what);
  require(runnable > 0, "none of the selected configurations can run here");
}

void run_profiled(DeckRun& run, Progress& progress) {
  for (Study& study : run.studies) {
    auto rows = run_for_profiler(*study.what, study.selection, [&](double part, const auto& text) {
      progress.update(part, text);
    });
    std::move(rows.begin(), rows.end(), std::back_inserter(run.file.results));
    study.what.reset();  // with its fields
  }
  progress.clear();
  something_to_save();
  say("\n{}ran for a profiler: nothing was verified or timed\n",
      results::format_table(run.file.results));
  if (!run.folder.is_none()) results::write_json(run.file, run.folder.file("result.json"));
}

/// Writes the outputs. Where they cannot be written: why, and which file has the rows.
std::string try_to_write(const DeckRun& run) {
  try {
    write_outputs(run);
    return {};
  } catch (const Error& error) {
    const std::filesystem::path kept = run.folder.file("result.json");
    return is_plain_file(kept)
               ? fmt::format("{}; the rows are kept in {}", error.what(), kept.string())
               : error.what();
  }
}

void print_result(const DeckRun& run, const RunCommand& command, bool written) {
  if (command.json) {
    say("{}\n", io::json_text(results::to_json(run.file), 2));
  } else if (command.figures_of_merit) {
    say("{}", results::format_figures_of_merit(run.file.results));
  } else {
    print_study(run.file, {command.wide, {terminal_width(), command.all, run.patterns}});
    if (!written || run.folder.is_none()) return;
    say("results: {}: result.json and result.csv\n", run.folder.path().string());
  }
}

/// The last block of what is printed for people or for harnesses.
void print_verdict(const DeckRun& run, const RunCommand& command) {
  if (command.json) return;
  if (!command.figures_of_merit && !run.folder.is_none()) {
    say("next: tools/report.py {} -o report.html draws the rows; tessera tune DECK finds tiles\n",
        run.folder.path().string());
  }
  const auto rows = run.rows();
  say("{}", results::format_verdict({rows.begin(), rows.end()}));
}

void run_deck(RunCommand& command, const Catalogue& catalogue) {
  RunRequest& request = command.request;
  // What a program reads stands alone on stdout.
  request.talk = command.json || command.figures_of_merit ? stderr : stdout;
  request.measures = !command.dry_run;
  request.prints_json = command.json;
  if (command.quick_roofs) setenv("TESSERA_QUICK_ROOFS", "1", 1);
  if (!command.budget.empty()) {
    request.budget_s = parse_duration(command.budget, "--time-budget");
  }
  const io::Deck deck = command.deck.read();
  require(!request.stored_roofs || !request.machine.empty() || deck.contains("measure.machine"),
          "--stored-roofs requires --machine FILE: the roofs are those of that file");
  catch_interrupts();  // not before: a deck may be a pipe without a writer
  nothing_to_save();
  DeckRun run = read_deck_run(deck, request, catalogue);
  if (command.dry_run) return dry_run(run, request, command.all);
  Progress progress(request.talk, kSecondsBetweenLines);
  if (request.profile) {
    run_profiled(run, progress);
  } else {
    measure_deck(run, request, catalogue, progress);
    something_to_save();
    const std::string unwritten = try_to_write(run);
    print_result(run, command, unwritten.empty());
    flush_output();
    require(unwritten.empty(), "{}", unwritten);
  }
  const std::vector<std::string> warnings =
      request.profile ? std::vector<std::string>() : results::measurement_warnings(run.file);
  for (const std::string& warning : warnings) say(request.talk, "doubtful: {}\n", warning);
  if (!request.profile) print_verdict(run, command);
  if (interrupted()) throw Interrupted{};
  check_rows(run);
  if (request.profile || is_whole(run)) run.folder.complete();
  if (command.strict && !warnings.empty()) {
    throw Doubtful(
        fmt::format("{} reasons to doubt these measurements (--strict)", warnings.size()));
  }
}

}  // namespace

void add_run_command(CLI::App& app, const Catalogue& catalogue, const std::string& command_line) {
  auto command = std::make_shared<RunCommand>();
  CLI::App* sub = app.add_subcommand("run", "Verify and time variants on the case of a deck");
  command->deck.add_to(*sub);
  add_selection_options(*sub, command->request.variants, command->request.exclude);
  sub->add_option("-o,--output", command->request.folder,
                  "Folder of the results, which the run makes, instead of output.directory or\n"
                  "out/DECK-PLATFORM-DATE");
  sub->add_option(
      "-m,--machine", command->request.machine,
      "Machine file of this machine, or the name of one in inputs/machines, instead of\n"
      "measure.machine: warn where today's triad is more than 5 % under the stored one");
  sub->add_flag("--stored-roofs", command->request.stored_roofs,
                "Take the roofs (streams and peak) from the machine file; measure none");
  sub->add_flag("--quick-roofs", command->quick_roofs,
                "Measure the roofs in a tenth of a second, over arrays that a cache may hold: for\n"
                "trying things out. TESSERA_QUICK_ROOFS=1 does so for every command");
  sub->add_option("-c,--counters", command->request.counters,
                  "Result file that tools/counters.py filled, instead of measure.counters: also\n"
                  "print intensities and roofline fractions by its measured volumes");
  sub->add_option("--tuned", command->request.tuned,
                  "File of winners of `tessera tune`: of each variant run only its best tile");
  sub->add_option("--platform", command->request.platform,
                  "Name of this machine in the result file, for tools/compare.py");
  add_rank_options(*sub, command->request.transport);
  sub->add_flag(
      "--resume", command->request.resume,
      "Continue the newest folder of this deck and platform, or that of --output: keep the\n"
      "rows that are finished. Refused if deck, binary or machine differ");
  sub->add_option("--time-budget", command->budget,
                  "Start nothing new after 90s, 20m, 1.5h ...; what was measured is written");
  sub->add_flag("--wide", command->wide, "Every column, whatever the terminal's width");
  sub->add_flag("--all", command->all, "Also name each row that cannot run here, with its reason");
  sub->add_flag(
      "--strict", command->strict,
      "Exit status 3 where the measurements are doubtful: rows that vary, a rate above its\n"
      "bound, a grid that fits a cache, a busy machine, threads that are not bound or too many,\n"
      "a build with assertions or less than -O2");
  sub->add_flag("--fom", command->figures_of_merit,
                "For benchmark harnesses, print a line a valid row and nothing else on stdout:\n"
                "FOM NAME = VALUE GCell/s; then what ends every run, the fastest row's such line\n"
                "and PASS, or FAIL where a row is invalid or none is valid");
  sub->add_flag("--json", command->json,
                "Print the result file and nothing else on stdout; without\n"
                " --output no folder is made");
  sub->add_flag("--profile", command->request.profile,
                "For a profiler: run the steps of each configuration once, between two marks, and\n"
                "verify and time nothing. No rates; files are written only with --output");
  sub->add_flag("--dry-run", command->dry_run,
                "Show plan and memory, and with --machine the time that memory alone would allow;\n"
                "measure, allocate and write nothing. Fails where memory is short, and where the\n"
                "run with these options could not begin");
  refuse_together(*sub, "--json", {"--fom", "--wide", "--all"});
  refuse_together(*sub, "--fom", {"--wide", "--all"});
  refuse_together(*sub, "--stored-roofs", {"--quick-roofs"});
  refuse_together(*sub, "--dry-run", {"--fom", "--json", "--profile"});
  // Nothing is measured, so that nothing is doubted, resumed or set beside roofs and counters.
  refuse_together(*sub, "--profile",
                  {"--machine", "--counters", "--resume", "--time-budget", "--wide", "--all",
                   "--strict", "--fom", "--json"});
  sub->footer(
      "Every configuration is first compared with the sequential reference on small ragged grids,\n"
      "then with the family's plainest variant at run size. One that differs is INVALID, shows no\n"
      "rate, and the exit status is not zero. The folder holds result.json, result.csv and "
      "run.json,\n"
      "which says whether the run is complete. Ctrl-C finishes the step and writes what is there;\n"
      "rows are kept as they come, so that a killed run can be resumed.\n"
      "Examples:\n"
      "  tessera run inputs/quick.toml\n"
      "  tessera run inputs/quick.toml -v 'acoustic/st_*' --set case.nx=300\n"
      "  tessera run inputs/sai-table2.toml --set case.steps=100 --dry-run\n"
      "  mpirun -n 2 tessera run inputs/quick.toml\n"
      "  tessera machine -o here.json; tessera run inputs/quick.toml --machine here.json\n"
      "  tools/counters.py inputs/quick.toml --result out/quick/result.json");
  command->request.command_line = command_line;
  sub->callback([command, &catalogue] { run_deck(*command, catalogue); });
}

}  // namespace tessera
