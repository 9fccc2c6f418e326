// SPDX-License-Identifier: Apache-2.0
// `tessera compare RESULT...`: machines side by side, and what a change did to one. Needs no
// device.
#include "cli/commands.hpp"
#include "compare/comparison.hpp"
#include "compare/difference.hpp"
#include "compare/exports.hpp"
#include "compare/text_report.hpp"
#include "io/atomic_file.hpp"
#include "machine/machine_file.hpp"
#include "support/data_directory.hpp"
#include "support/error.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

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
  compare::ReportOptions report;
};

/// Inputs where any command looks for files: "published/sai-table2.toml", from any directory.
std::vector<std::string> find_all(const std::vector<std::string>& inputs) {
  std::vector<std::string> found;
  for (const std::string& input : inputs) {
    const std::size_t path = input.find('=') + 1;  // 0 where there is no name
    const std::string file = input.substr(path);
    found.push_back(input.substr(0, path) + (std::filesystem::is_directory(file)
                                                 ? file
                                                 : find_input(kComparedFile, file).string()));
  }
  return found;
}

/// The machine file of a published column, where there is one.
std::optional<measure::Machine> find_machine(const std::string& name) {
  std::filesystem::path path;
  try {
    path = find_input(kMachineFile, name);
  } catch (const Error&) {
    return std::nullopt;  // a paper's card need not have one
  }
  return measure::read_machine(path);
}

void print_difference(const CompareCommand& command) {
  require(command.inputs.size() == 2,
          "--difference wants two result files, before and after; got {}", command.inputs.size());
  const compare::Difference found =
      compare::difference(measure::read_json(find_input(kResultFile, command.inputs[0])),
                          measure::read_json(find_input(kResultFile, command.inputs[1])),
                          {command.tolerance / 100, command.absolute});
  if (command.json) {
    fmt::print("{}\n", to_json(found).dump(2));
  } else {
    fmt::print("{}", format_difference(found));
  }
  const std::size_t worse =
      found.count(compare::Verdict::slower) + found.count(compare::Verdict::lost);
  require(worse == 0, "{} of {} rows became slower or are valid no more", worse, found.rows.size());
}

void compare_files(const CompareCommand& command) {
  if (command.difference) return print_difference(command);
  for (const std::string& path : {command.csv, command.long_csv}) {
    if (!path.empty()) io::require_writable_file(path);
  }
  const compare::Comparison all =
      compare::compare(compare::collect(find_all(command.inputs), find_machine), command.platforms);
  if (command.json) {
    fmt::print("{}\n", to_json(all).dump(2));
  } else {
    fmt::print("{}", format_report(all, command.report));
  }
  if (!command.csv.empty()) io::write_atomically(command.csv, to_p3_csv(all));
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
         "NAME=PATH gives a platform a name")
      ->required();
  sub->add_option("-p,--platforms", command->platforms,
                  "Globs over platform names: these form the set, of whatever origin");
  sub->add_flag("--configurations", command->report.configurations,
                "Also a line a configuration, the same on all platforms");
  sub->add_flag("--cascade", command->report.cascade,
                "Also each variant's platforms from best to worst, and Phi so far");
  sub->add_flag("--json", command->json, "Print JSON");
  sub->add_option(
      "--csv", command->csv,
      "Write a line a variant, problem and platform, in the columns of the P3 analysis\n"
      "library");
  sub->add_option("--long-csv", command->long_csv,
                  "Write every row, one line each, for data frames");
  sub->add_flag(
      "--difference", command->difference,
      "Of two files of one machine: row by row faster, slower or the same. Exit status 1\n"
      "where something became slower or is valid no more");
  sub->add_option("--tolerance", command->tolerance,
                  "Per cent that --difference takes for none (3); the samples' spread counts too")
      ->check(CLI::Range(0.0, 100.0));
  sub->add_flag("--absolute", command->absolute,
                "--difference: compare GCell/s, not shares of each run's copy bandwidth");
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
      "  tessera compare --difference before.json after.json");
  sub->callback([command] { compare_files(*command); });
}

}  // namespace tessera
