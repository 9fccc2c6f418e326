// SPDX-License-Identifier: Apache-2.0
// `tessera run DECK`: a study of variants on one case, as a table and a result file.
#include "study/run.hpp"
#include "cli/commands.hpp"
#include "cli/deck_options.hpp"
#include "io/atomic_file.hpp"
#include "measure/machine_info.hpp"
#include "measure/streams.hpp"
#include "measure/timing.hpp"
#include "measure/topology.hpp"
#include "results/doubts.hpp"
#include "results/published.hpp"
#include "results/result_csv.hpp"
#include "results/result_table.hpp"
#include "study/inputs.hpp"
#include "study/profile.hpp"
#include "study/report.hpp"
#include "study/tuned.hpp"
#include "support/error.hpp"
#include "support/interrupt.hpp"
#include "support/text.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>

namespace tessera {
namespace {

struct RunCommand {
  DeckOptions deck;
  std::vector<std::string> variants, exclude;
  std::string output, machine, counters, tuned, platform;
  bool dry_run = false;
  bool profile = false;
  bool wide = false;
  bool all = false;
  bool figures_of_merit = false;
  bool strict = false;
  bool json = false;
};

struct Output {
  std::filesystem::path json, csv;  ///< csv empty: not wanted
};

Output read_output(const io::Deck& deck, const std::string& option) {
  Output out;
  const std::string stem = std::filesystem::path(deck.name()).stem().string();
  out.json =
      deck.contains("output.json") ? deck.get<std::string>("output.json") : "out/" + stem + ".json";
  const auto csv = deck.get<std::string>(
      "output.csv", std::filesystem::path(out.json).replace_extension(".csv").string());
  out.csv = csv;
  if (!option.empty()) {
    out.json = option;
    // The deck's table belongs to the deck's result: this one gets its own.
    if (!csv.empty()) out.csv = std::filesystem::path(option).replace_extension(".csv");
  }
  return out;
}

/// The selection in the order of the patterns that take it, the registry's within one pattern.
void sort_by_patterns(std::vector<Selected>& selection, const std::vector<std::string>& patterns) {
  const auto rank = [&](const Selected& s) {
    return std::find_if(patterns.begin(), patterns.end(),
                        [&](const std::string& pattern) {
                          const bool whole = pattern.find(':') != std::string::npos;
                          return glob_match(pattern,
                                            whole ? s.full_name() : s.variant->full_name());
                        }) -
           patterns.begin();
  };
  std::stable_sort(selection.begin(), selection.end(),
                   [&](const Selected& a, const Selected& b) { return rank(a) < rank(b); });
}

/// A case of the deck and the configurations that run on it.
struct Study {
  std::unique_ptr<Case> what;
  std::vector<Selected> selection;
};

/// Drops variants that compute other stencils of the family, unless they were asked for by name and
/// compute none of the deck's: these tell so in their row.
void keep_what_computes(const std::vector<std::unique_ptr<Case>>& cases, const Case& c,
                        std::vector<Selected>& selection,
                        const std::vector<std::string>& patterns) {
  std::erase_if(selection, [&](const Selected& s) {
    const bool named = std::find(patterns.begin(), patterns.end(), s.full_name()) != patterns.end();
    const bool elsewhere = std::any_of(cases.begin(), cases.end(), [&](const auto& other) {
      return s.variant->computes(other->stencil);
    });
    return !s.variant->computes(c.stencil) && (!named || elsewhere);
  });
}

/// A pattern without wildcards asks for its configuration by name.
bool asked_by_name(const std::vector<std::string>& patterns, const measure::Result& row) {
  const std::string full = row.variant + ":" + row.configuration;
  return std::find(patterns.begin(), patterns.end(), full) != patterns.end();
}

/// Result files begin alike, whatever is run.
measure::ResultFile begin_file(const io::Deck& deck, const RunCommand& command,
                               const std::string& command_line, bool redact) {
  measure::ResultFile file;
  file.date = measure::utc_now();
  file.command_line = command_line;
  file.machine = measure::machine_metadata(redact);
  if (!command.platform.empty()) file.machine["name"] = command.platform;
  file.build = measure::build_metadata();
  file.deck = deck.to_json();
  return file;
}

void append(std::vector<measure::Result>& rows, std::vector<measure::Result> more) {
  std::move(more.begin(), more.end(), std::back_inserter(rows));
}

/// The region whose figures stand for the whole in tables that go by regions.
std::string first_region(const Case& c) {
  return std::string(c.regions(c.decompositions.front()).front().name);
}

/// What the exit status must tell.
void check_outcome(const measure::ResultFile& file, const std::vector<std::string>& patterns) {
  if (interrupted()) throw Interrupted{};
  for (const measure::Result& row : file.results) {
    require(row.status != measure::Status::invalid, "{}:{} ({}) is invalid: {}", row.variant,
            row.configuration, row.decomposition, row.reason);
    require(row.status != measure::Status::unsupported || !asked_by_name(patterns, row),
            "{}:{} ({}) was asked for by name and is unsupported: {}", row.variant,
            row.configuration, row.decomposition, row.reason);
  }
}

void run(const RunCommand& command, const std::string& command_line, const Catalogue& catalogue) {
  io::Deck deck = command.deck.read();
  // The check at run size would only add fields, and kernels that nobody counts.
  if (command.profile) deck.set("measure.verify_at_size=false");
  // 1. The deck: case, selection, measurement, output; then nothing unknown may be left.
  std::vector<std::unique_ptr<Case>> cases = make_cases(deck, catalogue.families);
  const std::string precision = cases.front()->precision;
  auto patterns =
      deck.get<std::vector<std::string>>("select.variants", {cases.front()->family + "/*"});
  auto exclude = deck.get<std::vector<std::string>>("select.exclude", {});
  if (!command.variants.empty()) patterns = command.variants;
  exclude.insert(exclude.end(), command.exclude.begin(), command.exclude.end());
  StudyOptions options;
  options.warmup_s = deck.get_in("measure.warmup_s", options.warmup_s, 0.0, 3600.0);
  options.repetitions =
      deck.get_in("measure.repetitions", options.repetitions, measure::kMinRepetitions, 1 << 20);
  const bool redact = deck.get("output.redact", false);
  Output output = read_output(deck, command.output);
  // A file without rates must not take the place of one with them.
  if (command.profile) output = {command.output, {}};
  const StoredMachine stored = read_stored_machine(deck, command.machine);
  if (deck.contains("measure.registers")) {
    options.registers =
        measure::read_kernel_resources(deck.get_path("measure.registers", kKernelResources));
  }
  const StoredCounters counters = read_stored_counters(deck, command.counters);
  const std::optional<measure::Published> published = read_deck_published(deck);
  for (const char* table : {"model", "shot", "source", "receivers", "snapshots", "fit"}) {
    deck.allow(table);
  }
  deck.reject_unknown();
  auto all = catalogue.variants.select(patterns, exclude);
  sort_by_patterns(all, patterns);
  require(!all.empty(), "select.exclude leaves no variant");
  // What a program reads stands alone on stdout.
  std::FILE* talk = command.json || command.figures_of_merit ? stderr : stdout;
  std::vector<Study> studies;
  for (std::unique_ptr<Case>& made : cases) {
    std::vector<Selected> selection = all;
    keep_what_computes(cases, *made, selection, patterns);
    require(!selection.empty(), "the selection leaves no variant that computes {}", made->stencil);
    std::string tiles = "configurations: as selected, not tuned";
    if (!command.tuned.empty()) {
      tiles = apply_tuned(read_tuned(command.tuned), tuned_key(*made), selection);
      require(!selection.empty(), "{}: its winners are none of the selected configurations for {}",
              command.tuned, made->stencil);
    }
    if (!command.dry_run) require_memory(*made);  // a dry run shows by how much
    print_case(*made, selection, talk);
    fmt::print(talk, "{}\n", tiles);
    studies.push_back({nullptr, std::move(selection)});
  }
  for (std::size_t i = 0; i < cases.size(); ++i) studies[i].what = std::move(cases[i]);

  // A long run must not end in a file that cannot be written.
  if (!command.dry_run) {
    if (!command.profile || !output.json.empty()) io::require_writable_file(output.json);
    if (!output.csv.empty()) io::require_writable_file(output.csv);
  }
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const auto say = [terminal](const std::string& line) {
    if (terminal) fmt::print(stderr, "\r\033[K{}", line);
  };
  if (command.profile) {
    measure::ResultFile file = begin_file(deck, command, command_line, redact);
    for (Study& study : studies) {
      append(file.results, run_for_profiler(*study.what, study.selection, say));
      study.what.reset();  // with its fields
    }
    if (terminal) fmt::print(stderr, "\r\033[K");
    fmt::print("\n{}ran for a profiler: nothing was verified or timed\n",
               measure::format_table(file.results));
    if (!output.json.empty()) measure::write_json(file, output.json);
    return check_outcome(file, patterns);
  }

  if (command.dry_run) {
    for (const Study& study : studies) {
      print_dry_run(*study.what, study.selection, options, stored.bandwidth_gb_per_s());
    }
    std::fflush(stdout);
    for (const Study& study : studies) require_memory(*study.what);
    return;
  }

  // 2. What this machine's memory gives, now.
  measure::StreamOptions stream_options;
  stream_options.precision = precision;
  const measure::StreamRates streams = measure::measure_streams(stream_options);
  warn_of_shortfall(stored, streams);
  fmt::print(talk, "streams: copy {:.4g}, triad {:.4g}, update {:.4g} GB/s ({})\n",
             streams.copy.median, streams.triad.median, streams.update.median,
             measure::device_name());
  fmt::print(talk, "{}", measure::topology_line());

  options.target = model_of_this_machine(stored, streams);

  // 3. Verify, time, write.
  options.seed = static_cast<std::uint64_t>(
      std::chrono::system_clock::now().time_since_epoch().count());  // fresh data each run
  measure::ResultFile file = begin_file(deck, command, command_line, redact);
  file.streams = streams;
  file.roofline = measure_roofline(streams, stored, precision);
  options.target.flop_per_s = 1e9 * file.roofline->peak_gflop_per_s;
  const std::string region(first_region(*studies.front().what));
  for (Study& study : studies) {
    append(file.results,
           run_study(*study.what, study.selection, catalogue.variants, options, streams, say));
    study.what.reset();  // with its fields
  }
  if (terminal) fmt::print(stderr, "\r\033[K");
  const bool any = std::any_of(file.results.begin(), file.results.end(),
                               [](const auto& row) { return !row.samples_s.empty(); });
  if (interrupted() && !any) {
    fmt::print(stderr, "tessera: nothing was measured: {} is left as it was\n",
               output.json.string());
    throw Interrupted{};
  }
  take_counters(file.results, counters);
  for (measure::Result& row : file.results) set_roofline(row, *file.roofline);
  if (published) attach_published(file.results, *published, region);
  measure::write_json(file, output.json);
  if (!output.csv.empty()) measure::write_csv(file, output.csv);
  if (command.json) {
    fmt::print("{}\n", measure::to_json(file).dump(2));
  } else if (command.figures_of_merit) {
    fmt::print("{}", measure::format_figures_of_merit(file.results));
  } else {
    print_study(file, {command.wide, {terminal_width(), command.all, patterns}});
    fmt::print("results: {}{}{}\n", output.json.string(), output.csv.empty() ? "" : " and ",
               output.csv.string());
  }
  const std::vector<std::string> doubts = measure::doubts_of(file);
  for (const std::string& doubt : doubts) fmt::print(talk, "doubtful: {}\n", doubt);
  check_outcome(file, patterns);
  if (command.strict && !doubts.empty()) {
    throw Doubtful(fmt::format("{} doubts about these measurements (--strict)", doubts.size()));
  }
}

}  // namespace

void add_run_command(CLI::App& app, const Catalogue& catalogue, const std::string& command_line) {
  auto command = std::make_shared<RunCommand>();
  CLI::App* sub = app.add_subcommand("run", "Verify and time variants on the case of a deck");
  command->deck.add_to(*sub);
  sub->add_option("-v,--variants", command->variants,
                  "Globs over family/variant:configuration, instead of select.variants");
  sub->add_option("-x,--exclude", command->exclude, "Globs to leave out, besides select.exclude");
  sub->add_option("-o,--output", command->output, "Result file, instead of output.json");
  sub->add_option(
      "-m,--machine", command->machine,
      "Machine file of this machine, or the name of one in inputs/machines, instead of\n"
      "measure.machine: warn where today's triad is more than 5 % under the stored one");
  sub->add_option("-c,--counters", command->counters,
                  "Result file that tools/counters.py filled, instead of measure.counters: also\n"
                  "print intensities and roofline fractions by its measured volumes");
  sub->add_option("--tuned", command->tuned,
                  "File of winners of `tessera tune`: of each variant run only its best tile");
  sub->add_option("--platform", command->platform,
                  "Name of this machine in the result file, for `tessera compare`");
  sub->add_flag("--wide", command->wide, "Every column, whatever the terminal's width");
  sub->add_flag("--all", command->all, "Also name each row that cannot run here, with its reason");
  sub->add_flag(
      "--strict", command->strict,
      "Exit status 3 where the measurements are doubtful: rows that vary, a rate above its\n"
      "bound, a grid that fits a cache, a busy machine, threads that are not bound or too many");
  auto* fom = sub->add_flag("--fom", command->figures_of_merit,
                            "Print one line a row for benchmark harnesses and nothing else on\n"
                            "stdout: FOM NAME VALUE GCell/s STATUS");
  sub->add_flag("--json", command->json, "Print the result file and nothing else on stdout")
      ->excludes(fom);
  sub->add_flag("--profile", command->profile,
                "For a profiler: run the steps of each configuration once, between two marks, and\n"
                "verify and time nothing. No rates; a file is written only with --output")
      ->excludes(sub->add_flag(
          "--dry-run", command->dry_run,
          "Show plan and memory, and with --machine the time that memory alone would allow;\n"
          "measure and allocate nothing. Fails where memory is short"));
  sub->footer(
      "Every configuration is first compared with the sequential reference on small ragged grids,\n"
      "then with the family's plainest variant at run size. One that differs is INVALID, shows no\n"
      "rate, and the exit status is not zero. Ctrl-C finishes the step and writes what is there.\n"
      "Examples:\n"
      "  tessera run inputs/quick.toml\n"
      "  tessera run inputs/quick.toml -v 'acoustic/st_*' --set case.nx=300\n"
      "  tessera run inputs/sai-table2.toml --set case.steps=100 --dry-run\n"
      "  tessera machine -o here.json; tessera run inputs/quick.toml --machine here.json\n"
      "  tools/counters.py inputs/quick.toml --result out/quick.json");
  sub->callback([command, command_line, &catalogue] { run(*command, command_line, catalogue); });
}

}  // namespace tessera
