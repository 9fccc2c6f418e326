// SPDX-License-Identifier: Apache-2.0
// `tessera run DECK`: a study of variants on one case, as a table and a result file.
#include "cli/commands.hpp"
#include "cli/deck_options.hpp"
#include "cli/plans.hpp"
#include "cli/study.hpp"
#include "error.hpp"
#include "interrupt.hpp"
#include "io/atomic_file.hpp"
#include "measure/machine_file.hpp"
#include "measure/machine_info.hpp"
#include "measure/memory.hpp"
#include "measure/result_table.hpp"
#include "measure/streams.hpp"
#include "measure/timing.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <utility>

namespace tessera {
namespace {

struct RunCommand {
  DeckOptions deck;
  std::vector<std::string> variants, exclude;
  std::string output, machine;
  bool dry_run = false;
};

/// A machine file and what it says; no path: none was named.
struct StoredMachine {
  std::string path;
  measure::Machine machine;
};

struct Output {
  std::filesystem::path json, csv;  ///< csv empty: not wanted
};

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;

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

/// The machine file of the option, else of the deck.
StoredMachine read_stored_machine(const io::Deck& deck, const std::string& option) {
  StoredMachine stored;
  if (deck.contains("measure.machine")) stored.path = deck.get_path("measure.machine").string();
  if (!option.empty()) stored.path = option;
  if (!stored.path.empty()) stored.machine = measure::read_machine(stored.path);
  return stored;
}

void warn_of_shortfall(const StoredMachine& stored, const measure::StreamRates& now) {
  if (stored.path.empty()) return;
  const std::string text = measure::shortfall(stored.machine, now, stored.path);
  if (!text.empty()) fmt::print(stderr, "tessera: warning: {}\n", text);
}

void require_memory(const Case& c) {
  const auto needed = static_cast<double>(c.memory_bytes());
  const auto available = static_cast<double>(measure::available_memory_bytes());
  require(needed <= available,
          "a grid of {} x {} x {} cells needs {:.2f} GiB of {} memory, {:.2f} GiB are available",
          c.n.nx, c.n.ny, c.n.nz, needed / kGiB, kOnDevice ? "device" : "host", available / kGiB);
}

void print_case(const Case& c, const std::vector<Selected>& selection) {
  const measure::StepWork work = c.work();
  fmt::print(
      "{} {}, {} x {} x {} cells (nx, ny, nz), {} steps, {:.1f} B a cell at least, "
      "{:.2f} GiB, {} configurations x {} decompositions\n",
      c.stencil, c.precision, c.n.nx, c.n.ny, c.n.nz, c.steps, work.minimal_bytes / work.cells,
      static_cast<double>(c.memory_bytes()) / kGiB, selection.size(), c.decompositions.size());
}

void print_dry_run(const Case& c, const std::vector<Selected>& selection,
                   const StudyOptions& options, const measure::StreamRates& streams) {
  const measure::StepWork work = c.work();
  const double step_s = work.minimal_bytes / (1e9 * streams.update.median);
  fmt::print("\n{:<40} {:<8} {:>11} {:>6} {:>10} {:>11}  {}\n", "variant:configuration", "regions",
             "teams", "team", "scratch B", "loads/cell", "remark");
  int runnable = 0;
  for (const auto& decomposition : c.decompositions) {
    for (const Selected& how : selection) {
      const Plan p = plan_of_regions(how, c.regions(decomposition), value_bytes(c.precision));
      if (!p.supported()) {
        fmt::print("{:<40} {:<8} unsupported: {}\n", how.full_name(), decomposition, p.unsupported);
        continue;
      }
      ++runnable;
      fmt::print("{:<40} {:<8} {:>11} {:>6} {:>10} {:>11.1f}  {}\n", how.full_name(), decomposition,
                 p.league, p.team, p.scratch_bytes, p.loads,
                 how.variant->configurations[how.configuration].note);
    }
  }
  const double total =
      runnable * (options.warmup_s + options.repetitions * static_cast<double>(c.steps) * step_s);
  fmt::print(
      "\nmemory: {:.2f} GiB needed, {:.2f} GiB available\n"
      "predicted: {:.4g} ms a step or {:.4g} GCell/s where only memory bounds (update "
      "bandwidth {:.4g} GB/s, measured now); at least {:.3g} s in all, verification apart\n",
      static_cast<double>(c.memory_bytes()) / kGiB,
      static_cast<double>(measure::available_memory_bytes()) / kGiB, 1e3 * step_s,
      work.cells / step_s / 1e9, streams.update.median, total);
}

/// The final field's range, once where all configurations agree: to be compared with other codes'.
void print_ranges(const std::vector<measure::Result>& results) {
  std::map<std::pair<double, double>, std::vector<std::string>> rows;
  for (const measure::Result& r : results) {
    if (r.u_min && r.u_max) {
      rows[{*r.u_min, *r.u_max}].push_back(
          fmt::format("{}:{} {}", r.variant, r.configuration, r.decomposition));
    }
  }
  for (const auto& [range, names] : rows) {
    fmt::print(
        "final field: u_min = {:.9g}, u_max = {:.9g} ({})\n", range.first, range.second,
        rows.size() == 1 ? "every configuration" : fmt::format("{}", fmt::join(names, ", ")));
  }
}

/// A pattern without wildcards asks for its configuration by name.
bool asked_by_name(const std::vector<std::string>& patterns, const measure::Result& row) {
  const std::string full = row.variant + ":" + row.configuration;
  return std::find(patterns.begin(), patterns.end(), full) != patterns.end();
}

void run(const RunCommand& command, const std::string& command_line) {
  const io::Deck deck = command.deck.read();
  // 1. The deck: case, selection, measurement, output; then nothing unknown may be left.
  const std::unique_ptr<Case> study_case = make_case(deck);
  Case& c = *study_case;
  auto patterns = deck.get<std::vector<std::string>>("select.variants", {c.family + "/*"});
  auto exclude = deck.get<std::vector<std::string>>("select.exclude", {});
  if (!command.variants.empty()) patterns = command.variants;
  exclude.insert(exclude.end(), command.exclude.begin(), command.exclude.end());
  StudyOptions options;
  options.warmup_s = deck.get_in("measure.warmup_s", options.warmup_s, 0.0, 3600.0);
  options.repetitions =
      deck.get_in("measure.repetitions", options.repetitions, measure::kMinRepetitions, 1 << 20);
  const bool redact = deck.get("output.redact", false);
  const Output output = read_output(deck, command.output);
  const StoredMachine stored = read_stored_machine(deck, command.machine);
  for (const char* table : {"model", "shot", "source", "receivers", "snapshots"}) deck.allow(table);
  deck.reject_unknown();
  const auto selection = all_variants().select(patterns, exclude);
  require(!selection.empty(), "select.exclude leaves no variant");
  if (!command.dry_run) require_memory(c);  // a dry run shows by how much
  print_case(c, selection);

  // A long run must not end in a file that cannot be written.
  for (const auto& path : {output.json, output.csv}) {
    if (command.dry_run || path.empty()) continue;
    io::require_writable_directory(path.parent_path().empty() ? "." : path.parent_path());
  }

  // 2. What this machine's memory gives, now.
  measure::StreamOptions stream_options;
  stream_options.precision = c.precision;
  const measure::StreamRates streams = measure::measure_streams(stream_options);
  warn_of_shortfall(stored, streams);
  if (command.dry_run) {
    print_dry_run(c, selection, options, streams);
    std::fflush(stdout);
    require_memory(c);
    return;
  }
  fmt::print("streams: copy {:.4g}, triad {:.4g}, update {:.4g} GB/s ({})\n", streams.copy.median,
             streams.triad.median, streams.update.median, measure::device_name());
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const auto say = [terminal](const std::string& line) {
    if (terminal) fmt::print(stderr, "\r\033[K{}", line);
  };

  // 3. Verify, time, write.
  options.seed = static_cast<std::uint64_t>(
      std::chrono::system_clock::now().time_since_epoch().count());  // fresh data each run
  measure::ResultFile file;
  file.date = measure::utc_now();
  file.command_line = command_line;
  file.machine = measure::machine_metadata(redact);
  file.build = measure::build_metadata();
  file.deck = deck.to_json();
  file.streams = streams;
  file.results = run_study(c, selection, options, streams, say);
  if (terminal) fmt::print(stderr, "\r\033[K");
  const bool any = std::any_of(file.results.begin(), file.results.end(),
                               [](const auto& row) { return !row.samples_s.empty(); });
  if (interrupted() && !any) {
    fmt::print(stderr, "tessera: nothing was measured: {} is left as it was\n",
               output.json.string());
    throw Interrupted{};
  }
  fmt::print("\n{}", measure::format_table(file.results));
  print_ranges(file.results);
  measure::write_json(file, output.json);
  if (!output.csv.empty()) measure::write_csv(file, output.csv);
  fmt::print("\nresults: {}{}{}\n", output.json.string(), output.csv.empty() ? "" : " and ",
             output.csv.string());

  // 4. What the exit status must tell.
  if (interrupted()) throw Interrupted{};
  for (const measure::Result& row : file.results) {
    require(row.status != measure::Status::invalid, "{}:{} ({}) is invalid: {}", row.variant,
            row.configuration, row.decomposition, row.reason);
    require(row.status != measure::Status::unsupported || !asked_by_name(patterns, row),
            "{}:{} ({}) was asked for by name and is unsupported: {}", row.variant,
            row.configuration, row.decomposition, row.reason);
  }
}

}  // namespace

void add_run_command(CLI::App& app, const std::string& command_line) {
  auto command = std::make_shared<RunCommand>();
  CLI::App* sub = app.add_subcommand("run", "Verify and time variants on the case of a deck");
  command->deck.add_to(*sub);
  sub->add_option("-v,--variants", command->variants,
                  "Globs over family/variant:configuration, instead of select.variants");
  sub->add_option("-x,--exclude", command->exclude, "Globs to leave out, besides select.exclude");
  sub->add_option("-o,--output", command->output, "Result file, instead of output.json");
  sub->add_option("-m,--machine", command->machine,
                  "Machine file of this machine, instead of measure.machine: warn where today's\n"
                  "triad is more than 5 % under the stored one");
  sub->add_flag("--dry-run", command->dry_run,
                "Show plan, memory and predicted time; run nothing. Fails where memory is short");
  sub->footer(
      "Every configuration is first compared with the sequential reference on small ragged grids,\n"
      "then with `naive` at run size. One that differs is INVALID, shows no rate, and the exit\n"
      "status is not zero. Ctrl-C finishes the step and writes what is there.\n"
      "Examples:\n"
      "  tessera run inputs/quick.toml\n"
      "  tessera run inputs/quick.toml -v 'acoustic/st_*' --set case.nx=300\n"
      "  tessera run inputs/sai-table2.toml --set case.steps=100 --dry-run\n"
      "  tessera machine -o here.json; tessera run inputs/quick.toml --machine here.json");
  sub->callback([command, command_line] { run(*command, command_line); });
}

}  // namespace tessera
