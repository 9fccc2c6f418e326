// SPDX-License-Identifier: Apache-2.0
// `tessera compare RESULT...`: machines side by side, and what a change did to one. Needs no
// device.
#include "base/io/atomic_file.hpp"
#include "base/io/json_file.hpp"
#include "base/io/output_claims.hpp"
#include "base/support/console.hpp"
#include "base/support/data_directory.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"
#include "program/cli/commands.hpp"
#include "program/cli/options.hpp"
#include "program/compare/comparison.hpp"
#include "program/compare/difference.hpp"
#include "program/compare/exports.hpp"
#include "program/compare/text_report.hpp"
#include "program/results/machine_file.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera {
namespace {

constexpr InputKind kComparedFile{"file to compare", "published", ".toml"};

struct CompareCommand {
  std::vector<std::string> inputs, platforms;
  std::string csv, long_csv;
  double tolerance = 3;  // per cent
  bool json = false;
  bool difference = false;
  bool absolute = false;
  bool any_machine = false;
  compare::ReportOptions report;
};

/// The file of an input. Throws Error where it is not there, and says how a name with an = was
/// read.
std::filesystem::path find_compared(const compare::NamedInput& input) {
  try {
    return find_input(kComparedFile, input.path);
  } catch (const Error& error) {
    require(input.name.empty(), "{} ({}={} is read as NAME=PATH)", error.what(), input.name,
            input.path.string());
    throw;
  }
}

/// Inputs where any command looks for files: "published/sai-table2.toml", from any directory.
std::vector<std::string> find_all(const std::vector<std::string>& inputs) {
  std::vector<std::string> found;
  for (const std::string& input : inputs) {
    const compare::NamedInput named = compare::split_input(input);
    std::filesystem::path file = named.path;
    if (is_folder(file)) {
      for (const std::filesystem::path& inside : compare::files_in(file)) note_input(inside);
    } else {
      file = find_compared(named);
    }
    found.push_back(named.name.empty() ? file.string() : named.name + "=" + file.string());
  }
  return found;
}

/// Inputs without the names that they give.
std::vector<std::filesystem::path> paths_of(const std::vector<std::string>& inputs) {
  std::vector<std::filesystem::path> paths;
  for (const std::string& input : inputs) paths.push_back(compare::split_input(input).path);
  return paths;
}

/// The machine file of a published column, where there is one.
std::optional<machine::Machine> find_machine(const std::string& name) {
  std::filesystem::path path;
  try {
    path = find_input(kMachineFile, name);
  } catch (const Error&) {
    return std::nullopt;  // a paper's GPU need not have one
  }
  return machine::read_machine(path);
}

/// The result files that a path names: itself, or those in a folder, whose other files are passed
/// over.
void add_stored(const std::string& path, std::vector<compare::StoredFile>& stored) {
  if (!is_folder(path)) {
    stored.push_back({path, results::read_json(find_input(kResultFile, path))});
    return;
  }
  const std::size_t before = stored.size();
  for (const std::filesystem::path& file : compare::files_in(path)) {
    if (results::is_result_file(file)) {
      stored.push_back({file.string(), results::read_json(file)});
    }
  }
  require(stored.size() > before, "{}: no result file in it", path);
}

void print_difference(const CompareCommand& command) {
  require(
      command.inputs.size() >= 2,
      "--difference requires stored files or folders, and last the run that is set beside them; "
      "got {} input",
      command.inputs.size());
  const results::ResultFile run =
      results::read_json(find_input(kResultFile, command.inputs.back()));
  std::vector<compare::StoredFile> stored;
  for (std::size_t i = 0; i + 1 < command.inputs.size(); ++i) {
    add_stored(command.inputs[i], stored);
  }
  const compare::Difference found = compare::difference(
      stored, run, {command.tolerance / 100, command.absolute, command.any_machine});
  if (command.json) {
    say("{}\n", io::json_text(to_json(found), 2));
  } else {
    say("{}", format_difference(found));
  }
  const std::size_t worse =
      found.count(compare::Verdict::slower) + found.count(compare::Verdict::lost);
  require(worse == 0, "{} of {} rows became slower or are valid no more", worse, found.rows.size());
}

void compare_files(CompareCommand& command) {
  require(!command.inputs.empty(),
          "compare requires result files or folders of them: begin with tessera run "
          "inputs/quick.toml -o out/quick.json; tessera compare out/quick.json");
  if (command.difference) return print_difference(command);
  const std::vector<std::string> inputs = find_all(command.inputs);
  command.report.width = terminal_width();
  const compare::Comparison all =
      compare::compare(compare::collect(inputs, find_machine), command.platforms);
  // Once every input is read, which notes it, machine files of published columns too.
  const auto locks = io::claim_outputs({command.csv, command.long_csv}, {paths_of(inputs)});
  if (command.json) {
    say("{}\n", io::json_text(to_json(all), 2));
  } else {
    say("{}", format_report(all, command.report));
  }
  if (!command.csv.empty()) {
    io::write_atomically(command.csv, to_p3_csv(all));
    if (const std::size_t rows = compare::count_without_bound(all); rows > 0) {
      warn(
          fmt::format("{}: without \"arch eff\", since {} rates have no bound that is known: "
                      "--platforms chooses platforms that have one",
                      command.csv, rows));
    }
  }
  if (!command.long_csv.empty()) io::write_atomically(command.long_csv, to_long_csv(all));
}

}  // namespace

void add_compare_command(CLI::App& app) {
  auto command = std::make_shared<CompareCommand>();
  CLI::App* sub = app.add_subcommand(
      "compare", "Set machines side by side: efficiencies, performance portability, rankings");
  sub->add_option(
      "inputs", command->inputs,
      "Result files, published tables, files of `tessera predict -o`, folders of these;\n"
      "NAME=PATH gives a platform a name");
  sub->add_option("-p,--platforms", command->platforms,
                  "Globs over platform names: these form the set, of whatever origin");
  sub->add_flag("--configurations", command->report.configurations,
                "Also a line a configuration, the same on all platforms");
  sub->add_flag("--cascade", command->report.cascade,
                "Also each variant's platforms from best to worst, and Phi so far");
  sub->add_flag("--wide", command->report.wide,
                "Each table in one piece, whatever the terminal's width, with the tiles that "
                "won");
  sub->add_flag("--summary", command->report.summary,
                "Platforms, remarks and families alone, without the table of each problem");
  sub->add_flag("--json", command->json, "Print JSON");
  sub->add_option(
      "--csv", command->csv,
      "Write a line a variant, problem and platform, in the columns of the P3 analysis\n"
      "library");
  sub->add_option("--long-csv", command->long_csv,
                  "Write every row, one line each, for data frames");
  sub->add_flag(
      "--difference", command->difference,
      "Set the last file, a run, beside stored ones (files, folders) of the same machine:\n"
      "row by row faster, slower or the same. Exit status 1 where something became slower\n"
      "or is valid no more");
  sub->add_option("--tolerance", command->tolerance,
                  "Per cent that --difference takes for none (3); the samples' spread counts too")
      ->check([](const std::string& text) {  // CLI::Range takes nan
        double value = -1;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool fine =
            error == std::errc() && end == text.data() + text.size() && value >= 0 && value <= 100;
        return fine ? std::string() : text + " is not between 0 and 100";
      });
  sub->add_flag("--absolute", command->absolute,
                "--difference: compare GCell/s, not shares of each run's copy bandwidth");
  sub->add_flag("--any-machine", command->any_machine,
                "--difference: with stored files of other machines too");
  refuse_together(*sub, "--difference",
                  {"--platforms", "--configurations", "--cascade", "--wide", "--summary", "--csv",
                   "--long-csv"});
  refuse_without(*sub, "--difference", {"--tolerance", "--absolute", "--any-machine"});
  // JSON has all that there is; the summary no tables.
  refuse_together(*sub, "--json", {"--configurations", "--cascade", "--wide", "--summary"});
  refuse_together(*sub, "--summary", {"--configurations", "--cascade"});
  sub->footer(
      "% bound: share of what bounds the platform (architectural efficiency). % best: of the best\n"
      "variant there (application efficiency). Phi: harmonic mean over the platforms named, 0 "
      "where\n"
      "a variant is unsupported or invalid on one (docs/studies.md). Measured, published and\n"
      "predicted platforms form sets of their own unless --platforms names them.\n"
      "Examples:\n"
      "  tessera compare results/nvidia-h100 results/nvidia-h200\n"
      "  tessera compare inputs/published/sai-table2.toml --cascade\n"
      "  tessera compare laptop=out/quick.json desk=desk/quick.json --csv p3.csv\n"
      "  tessera compare --difference before.json after.json\n"
      "  tessera compare --difference results/nvidia-h100 out/sai-table2.json");
  sub->callback([command] { compare_files(*command); });
}

}  // namespace tessera
