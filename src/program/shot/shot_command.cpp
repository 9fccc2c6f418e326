// SPDX-License-Identifier: Apache-2.0
// `tessera shot DECK`: a seismic shot: velocity model, sources, receivers, gather and snapshots.
#include "base/comm/agree.hpp"
#include "base/comm/session.hpp"
#include "base/io/atomic_file.hpp"
#include "base/io/output_lock.hpp"
#include "base/support/console.hpp"
#include "base/support/error.hpp"
#include "base/support/interrupt.hpp"
#include "base/support/progress.hpp"
#include "program/cli/commands.hpp"
#include "program/cli/deck_options.hpp"
#include "program/measure/topology.hpp"
#include "program/shot/checkpoint.hpp"
#include "program/shot/files.hpp"
#include "program/shot/output.hpp"
#include "program/shot/ranks.hpp"
#include "program/shot/record.hpp"
#include "program/shot/shot_report.hpp"
#include "program/shot/shot_run.hpp"
#include "program/shot/unit_warnings.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>
#include <string>

namespace tessera {
namespace {

struct ShotCommand {
  DeckOptions deck;
  std::string directory, transport;
  bool restart = false;
  bool dry_run = false;
};

using namespace shot;

/// is_complete(); of a shot.json that no shot has left it says what to do.
bool is_complete_here(const ShotCase& shot, const ShotOutput& output) {
  try {
    return is_complete(shot, output);
  } catch (const Error& error) {
    fail("{}; remove it, and the shot continues from its checkpoint or begins at step 0",
         error.what());
  }
}

void shoot(const ShotCommand& command, const Registry& registry, const std::string& command_line) {
  const io::Deck deck = command.deck.read();
  // 1. What the deck wants, and whether it can work, before anything large is allocated.
  ShotCase shot = read_shot(deck, registry);
  comm::ParallelOptions parallel = read_parallel(deck);
  if (!command.transport.empty()) parallel.transport = command.transport;
  shot.parallel = comm::Parallel(comm::world(), parallel);
  const bool first = shot.parallel.ranks.first();
  require_fit_for_ranks(shot);
  ShotOutput output = read_shot_output(deck);
  if (!command.directory.empty()) output.directory = command.directory;
  output.restart = command.restart;
  const bool redact = deck.get("output.redact", false);
  for (const char* table : {"select", "measure", "survey"}) deck.allow(table);
  const FreeMemory free;
  print_memory(shot, free);
  const comm::Ranks& ranks = shot.parallel.ranks;
  comm::together(ranks, [&] {
    // A dry run shows the numerics too where the velocity, on which they depend, fits at least.
    const bool postponed = command.dry_run && memory_of(shot).staging <= free.host;
    if (!postponed) require_memory(shot, free);
  });
  load_velocity(deck, shot);
  deck.reject_unknown();
  print_numerics(shot);
  for (const std::string& warning : unit_warnings(deck, shot)) warn(warning);
  for (const std::string& idle : idle_keys(deck, shot, output)) warn(idle);
  comm::together(ranks, [&] {
    if (first) check_output(shot, output);
    require_memory(shot, free);  // the model said how many steps there are
    if (!command.dry_run) return;
    if (!first) return;
    io::require_possible_file(output.directory / "shot.json");
    io::require_free_directory(output.directory);
  });
  bool complete = false;
  comm::together(ranks, [&] {
    complete = first && command.restart && is_complete_here(shot, output);
    // Of a kill after the last file.
    if (complete && !command.dry_run) ShotCheckpoints::remove(shot, output.directory);
  });
  complete = ranks.broadcast(complete);
  if (command.dry_run) {
    if (shot.inner && !complete) shot.inner->require_possible(medium_of(shot));
    if (command.restart && !complete) require_goes_on(shot, output);
    return;
  }
  if (complete) {
    say("{}: this shot is complete\n", output.directory.string());
    return;
  }
  if (first && command.restart && !ShotCheckpoints::exists(output.directory)) {
    say("{} has no checkpoint: begins at step 0\n", output.directory.string());
  }
  say("{}", measure::topology_line());

  // 2. The shot, and what it leaves.
  Progress progress(stdout);
  const ShotDone done = run_shot(
      shot, output,
      {.deck = &deck,
       .command_line = command_line,
       .redact = redact,
       .progress = [&](double part, const std::string& text) { progress.update(part, text); }});
  progress.clear();
  const ShotOutcome& outcome = done.outcome;
  if (first) print_times(shot, outcome);
  switch (outcome.status) {
    case ShotOutcome::Status::not_finite:
      fail("{}; wrote what there was to {}", outcome.reason, done.written);
    case ShotOutcome::Status::stopped:
      say("{}; wrote what there is to {}\n", outcome.reason, done.written);
      flush_output();
      throw Interrupted{};
    case ShotOutcome::Status::complete:
      say("wrote {}\n", done.written);
  }
}

}  // namespace

void add_shot_command(CLI::App& app, const Catalogue& catalogue, const std::string& command_line) {
  auto command = std::make_shared<ShotCommand>();
  CLI::App* sub = app.add_subcommand("shot", "Model a seismic shot: gather and snapshots");
  command->deck.add_to(*sub);
  sub->add_option("-o,--output", command->directory, "Directory, instead of output.directory");
  add_rank_options(*sub, command->transport);
  sub->add_flag(
      "--restart", command->restart,
      "Go on from the checkpoint of shot.checkpoint_every; without one, from the beginning");
  sub->add_flag("--dry-run", command->dry_run,
                "Show memory, time step, points per wavelength and PML width; run nothing. With\n"
                "--restart a checkpoint that cannot be restarted is refused here too");
  sub->footer(
      "Writes gather.csv, gather.sgy, snapshots.h5 with snapshots.xdmf (for ParaView) and\n"
      "shot.json, under names with .part until the end. Ctrl-C finishes the step and writes what\n"
      "is there. A shot that was stopped or killed continues with --restart where its deck has\n"
      "shot.checkpoint_every; its files are then those of a shot that never stopped. Draw them "
      "with tools/plot_shot.py DIRECTORY.\n"
      "Examples:\n"
      "  tessera shot inputs/shot.toml\n"
      "  mpirun -n 4 tessera shot inputs/shot.toml\n"
      "  tessera shot inputs/shot.toml --dry-run --set case.nx=600\n"
      "  tessera shot inputs/shot.toml --set shot.variant=acoustic/st_reg_fixed:32x16 -o out/b");
  sub->callback(
      [command, command_line, &catalogue] { shoot(*command, catalogue.variants, command_line); });
}

}  // namespace tessera
