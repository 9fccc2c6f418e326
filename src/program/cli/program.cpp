// SPDX-License-Identifier: Apache-2.0
#include "program/cli/program.hpp"

#include "base/comm/session.hpp"
#include "base/support/build_info.hpp"
#include "base/support/console.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"
#include "base/support/interrupt.hpp"
#include "base/support/text.hpp"
#include "program/cli/commands.hpp"
#include "program/cli/options.hpp"
#include "program/cli/rank_device.hpp"
#include "program/measure/device.hpp"
#include "program/measure/flush_to_zero.hpp"
#include "program/measure/kokkos_settings.hpp"

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

/// The command that is named; none where there is no such.
const Command* command_of(int argc, char** argv) {
  return argc < 2 ? nullptr : find_command(argv[1]);
}

/// How a command ended, and what is left to say of it.
struct Ended {
  int status = 0;
  std::string message;
};

Ended failed(std::string_view message, int status = 1) {
  return {status, "error: " + std::string(message)};
}

void report(const Ended& ended) {
  if (!ended.message.empty()) write_error("tessera: " + shown(ended.message) + "\n");
}

void require_command_for_ranks(int argc, char** argv) {
  const Command* command = command_of(argc, argv);
  if (comm::world().alone() || command == nullptr || command->takes_ranks) return;
  fail("tessera {} runs on one rank, and there are {}: run, verify, shot and survey run on several",
       command->name, comm::world().size());
}

/// One line, with the nearest command where the word typed is none.
Ended usage_error(int argc, char** argv, const CLI::ParseError& error) {
  const std::string word = argc > 1 ? argv[1] : "";
  if (word == "compare") {
    return failed("machines are compared in Python: tools/compare.py RESULT... (needs pandas)");
  }
  if (!word.empty() && word[0] != '-' && find_command(word) == nullptr) {
    std::vector<std::string> names;
    for (const Command& command : commands()) names.push_back(command.name);
    return failed(fmt::format("there is no subcommand \"{}\"; the nearest is {}", word,
                              nearest_name(word, names)));
  }
  return failed(fmt::format("{}; see tessera --help", error.what()));
}

/// Options, commands and the text of --help. `command_line` is what result files say.
void describe_program(CLI::App& app, const Catalogue& catalogue, const std::string& command_line) {
  app.require_subcommand(1);
  const BuildInfo& build = build_info();
  app.set_version_flag("--version", fmt::format("{} ({}{})", build.version, build.git_revision,
                                                build.git_dirty ? "+" : ""));
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
  for (const Command& command : commands()) command.add(app, catalogue, command_line);
  refuse_empty_values(app);
}

Ended run_command(int argc, char** argv, const Catalogue& catalogue) {
  CLI::App app{"Tessera: blocking strategies for stencils, measured, verified and modelled"};
  // What was typed, without where this machine keeps the program.
  describe_program(
      app, catalogue,
      fmt::format("tessera {}", fmt::join(argv + std::min(argc, 1), argv + argc, " ")));
  try {
    require_command_for_ranks(argc, argv);
    require_values(argc, argv);
    std::unique_ptr<Kokkos::ScopeGuard> kokkos;
    if (needs_device(argc, argv)) {
      // Kokkos warns on stderr about unbound threads; `run` and `machine` record the binding.
      setenv("KOKKOS_DISABLE_WARNINGS", "1", 0);
      measure::check_kokkos_settings(argc, argv);
      measure::require_device();
      choose_device(argc, argv);
      kokkos = std::make_unique<Kokkos::ScopeGuard>(argc, argv);
      measure::set_flush_to_zero();
    }
    app.parse(argc, argv);
    // Also of a command that came to its end before it looked: who told it to stop learns of it.
    stop_if_interrupted();
    return {};
  } catch (const CLI::Success& e) {  // --help, --version
    std::ostringstream text;
    app.exit(e, text, text);
    write_output(text.str());
    return {};
  } catch (const CLI::ParseError& e) {
    return usage_error(argc, argv, e);
  } catch (const Interrupted&) {
    return {interrupted_status(), "interrupted"};
  } catch (const Doubtful& e) {
    return failed(e.what(), kDoubtfulStatus);
  } catch (const Error& e) {
    return failed(e.what());
  } catch (const std::bad_alloc&) {
    return failed("out of memory");
  } catch (const std::exception& e) {
    return failed(e.what());
  }
}

/// The same on all ranks of a job: they end with one status and one message.
int run_on_ranks(int argc, char** argv, const Catalogue& catalogue) {
  const comm::Session session;
  if (!comm::world().alone()) leave_interrupts();
  if (!comm::world().first()) silence_output();
  Ended ended = run_command(argc, argv, catalogue);
  ended.status = session.end_together(ended.status, ended.message);
  if (!ended.message.empty()) silence_output(false);
  report(ended);
  return ended.status;
}

}  // namespace

bool needs_device(int argc, char** argv) {
  const Command* command = command_of(argc, argv);
  return command != nullptr && command->needs_device &&
         std::none_of(argv + 2, argv + argc, [&](std::string_view word) {
           return word == "-h" || word == "--help" ||
                  (!command->without_device.empty() && word.starts_with(command->without_device));
         });
}

int run_program(int argc, char** argv, const Catalogue& catalogue) {
  guard_descriptors();
  int status = 0;
  try {
    status = run_on_ranks(argc, argv, catalogue);
  } catch (const Error& e) {  // no session
    report(failed(e.what()));
    status = 1;
  }
  const std::string refused = finish_output();
  if (refused.empty()) return status;
  report(failed("cannot write standard output: " + refused));
  return status == 0 ? 1 : status;
}

}  // namespace tessera
