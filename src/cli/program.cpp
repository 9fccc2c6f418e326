// SPDX-License-Identifier: Apache-2.0
#include "cli/program.hpp"

#include "cli/commands.hpp"
#include "measure/device.hpp"
#include "measure/flush_to_zero.hpp"
#include "measure/kokkos_settings.hpp"
#include "support/build_info.hpp"
#include "support/console.hpp"
#include "support/error.hpp"
#include "support/interrupt.hpp"
#include "support/text.hpp"

#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {
namespace {

/// A command line that only asks about the program, predicts, compares, fits a model or computes a
/// plan needs no device.
bool needs_no_device(int argc, char** argv) {
  const std::string_view command = argc < 2 ? "" : argv[1];
  return argc < 2 || command == "predict" || command == "plan" || command == "compare" ||
         std::any_of(argv + 1, argv + argc, [&](std::string_view arg) {
           return arg == "-h" || arg == "--help" || arg == "--version" ||
                  (command == "machine" && arg.substr(0, 11) == "--calibrate") ||
                  (command == "study" && arg.substr(0, 9) == "--predict");
         });
}

int report(std::string_view message) {
  write_error("tessera: error: " + shown(message) + "\n");
  return 1;
}

/// One line, with the nearest command where the word typed is none.
int usage_error(const CLI::App& app, int argc, char** argv, const CLI::ParseError& error) {
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands({})) commands.push_back(command->get_name());
  const std::string word = argc > 1 ? argv[1] : "";
  if (!word.empty() && word[0] != '-' &&
      std::find(commands.begin(), commands.end(), word) == commands.end()) {
    return report(fmt::format("there is no subcommand \"{}\"; the nearest is {}", word,
                              nearest_name(word, commands)));
  }
  return report(fmt::format("{}; see tessera --help", error.what()));
}

int run_command(int argc, char** argv, const Catalogue& catalogue) {
  // For result files: what was typed, without where this machine keeps the program.
  const std::string command_line =
      fmt::format("tessera {}", fmt::join(argv + std::min(argc, 1), argv + argc, " "));
  CLI::App app{"Tessera: blocking strategies for stencils, measured, verified and modelled"};
  app.require_subcommand(1);
  app.set_version_flag("--version", build_info().version + " (" + build_info().git_revision + ")");
  app.footer(
      "Start here:\n"
      "  tessera run inputs/quick.toml      a table of variants in under half a minute\n"
      "  tessera shot inputs/shot.toml      a seismic shot: gather and snapshots\n"
      "  tessera survey inputs/survey.toml  many shots: a line of sources, one SEG-Y of all\n"
      "  tessera study inputs/study.toml    many decks, all of this machine in one folder\n"
      "  tessera list                       every variant and configuration\n"
      "  tessera COMMAND --help             what a command takes, with examples\n"
      "Decks, machine files and published tables are looked for in the working directory, beside\n"
      "the deck, in $TESSERA_DATA, in the installed share/tessera and in the source tree, and in\n"
      "inputs/ there. Results go where they are named.");
  add_list_command(app, catalogue);
  add_describe_command(app, catalogue);
  add_run_command(app, catalogue, command_line);
  add_verify_command(app, catalogue);
  add_fit_command(app);
  add_machine_command(app, catalogue);
  add_predict_command(app, catalogue);
  add_plan_command(app);
  add_compare_command(app);
  add_shot_command(app, catalogue, command_line);
  add_survey_command(app, catalogue, command_line);
  add_tune_command(app, catalogue, command_line);
  add_study_command(app, catalogue, command_line);

  try {
    std::unique_ptr<Kokkos::ScopeGuard> kokkos;
    if (!needs_no_device(argc, argv)) {
      // Kokkos warns on stderr about unbound threads; `run` and `machine` record the binding.
      setenv("KOKKOS_DISABLE_WARNINGS", "1", 0);
      measure::check_kokkos_settings(argc, argv);
      measure::require_device();
      kokkos = std::make_unique<Kokkos::ScopeGuard>(argc, argv);
      measure::set_flush_to_zero();
    }
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::Success& e) {  // --help, --version
    std::ostringstream text;
    app.exit(e, text, text);
    write_output(text.str());
    return 0;
  } catch (const CLI::ParseError& e) {
    return usage_error(app, argc, argv, e);
  } catch (const Interrupted&) {
    write_error("tessera: interrupted\n");
    return interrupted_status();
  } catch (const Doubtful& e) {
    report(e.what());
    return kDoubtfulStatus;
  } catch (const Error& e) {
    return report(e.what());
  } catch (const std::bad_alloc&) {
    return report("out of memory");
  } catch (const std::exception& e) {
    return report(e.what());
  }
}

}  // namespace

int run_program(int argc, char** argv, const Catalogue& catalogue) {
  guard_descriptors();
  const int status = run_command(argc, argv, catalogue);
  const std::string refused = finish_output();
  if (refused.empty()) return status;
  report("cannot write standard output: " + refused);
  return status == 0 ? 1 : status;
}

}  // namespace tessera
