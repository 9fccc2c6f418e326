// SPDX-License-Identifier: Apache-2.0
// `tessera shot DECK`: a seismic shot: velocity model, sources, receivers, gather and snapshots.
#include "base/comm/agree.hpp"
#include "base/comm/session.hpp"
#include "base/io/json_file.hpp"
#include "base/io/run_folder.hpp"
#include "base/support/console.hpp"
#include "base/support/error.hpp"
#include "base/support/interrupt.hpp"
#include "base/support/progress.hpp"
#include "program/cli/commands.hpp"
#include "program/cli/deck_options.hpp"
#include "program/measure/machine_info.hpp"
#include "program/measure/topology.hpp"
#include "program/shot/accuracy.hpp"
#include "program/shot/files.hpp"
#include "program/shot/grazing.hpp"
#include "program/shot/keys.hpp"
#include "program/shot/output.hpp"
#include "program/shot/ranks.hpp"
#include "program/shot/shot_report.hpp"
#include "program/shot/shot_run.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>

namespace tessera {
namespace {

struct ShotCommand {
  DeckOptions deck;
  std::string directory, transport, model;
  bool restart = false;
  bool dry_run = false;
  bool accuracy = false;
};

using namespace shot;

/// Throws Error where a folder has this shot, complete, of another number of steps.
void require_same_steps(const ShotCase& shot, const std::filesystem::path& folder) {
  const auto steps =
      io::value_or(io::read_json_file(folder / "shot.json"), "steps", std::int64_t{0});
  require(steps == shot.steps,
          "{} holds this shot, complete, of {} steps, not {}; name another folder with -o",
          folder.string(), steps, shot.steps);
}

/// The end of a dry run: what would be refused in the folder, and of a shot that continues in its
/// checkpoint.
void check_restart(ShotCase& shot, const ShotOutput& output, io::FolderRequest wanted) {
  const comm::Ranks& ranks = shot.parallel.ranks;
  std::string earlier;
  bool complete = false;
  comm::together(ranks, [&] {
    if (!ranks.first()) return;
    wanted.identity = folder_identity(shot, output);
    io::require_possible_folder(wanted);
    earlier = io::folder_to_resume(wanted).string();
    if (earlier.empty()) return;
    complete = io::value_or(io::read_run_record(earlier), "state", std::string()) == "complete";
    if (complete) require_same_steps(shot, earlier);
  });
  earlier = ranks.broadcast(earlier);
  if (ranks.broadcast(complete)) return;
  if (shot.inner) shot.inner->require_possible(medium_of(shot));
  if (!earlier.empty()) static_cast<void>(ShotCheckpoints(shot, earlier));
}

void shoot(const ShotCommand& command, const Catalogue& catalogue,
           const std::string& command_line) {
  const io::Deck deck = command.deck.read();
  shot::check_shot_deck(deck, catalogue, "shot");
  // 1. What the deck needs, and whether it can work, before anything large is allocated.
  ShotCase shot = read_shot(deck, catalogue.variants);
  comm::ParallelOptions parallel = read_parallel(deck);
  if (!command.transport.empty()) parallel.transport = command.transport;
  shot.parallel = comm::Parallel(comm::world(), parallel);
  const bool first = shot.parallel.ranks.first();
  require_fit_for_ranks(shot);
  ShotOutput output = read_shot_output(deck);
  const std::string named = io::folder_named(deck, command.directory);
  const bool redact = deck.get("output.redact", false);
  const FreeMemory free;
  print_memory(shot, free);
  const comm::Ranks& ranks = shot.parallel.ranks;
  comm::together(ranks, [&] {
    // A dry run shows the numerics too where the velocity, on which they depend, fits at least.
    const bool postponed = command.dry_run && memory_of(shot).staging <= free.host;
    if (!postponed) require_memory(shot, free);
  });
  load_velocity(deck, shot);
  if (command.accuracy && shot.accuracy_steps == 0) shot.accuracy_steps = shot.steps;
  print_numerics(shot);
  print_velocities(shot);
  GrazingPaths grazing(shot);
  for (const ShotSource& source : shot.sources) grazing.add(source.station.at, shot.receivers);
  if (const std::string said = grazing.warning(); !said.empty()) warn(said);
  for (const std::string& warning : unit_warnings(deck, shot)) warn(warning);
  for (const std::string& idle : idle_keys(deck, shot, output)) warn(idle);
  comm::together(ranks, [&] {
    if (first) check_output(shot, output);
    require_memory(shot, free);  // the model said how many steps there are
  });
  if (!command.model.empty()) write_model(shot, command.model);
  io::FolderRequest wanted{
      .folder = named,
      .command = "shot",
      .deck = deck.name(),
      .platform = measure::machine_metadata(redact).at("name").get<std::string>(),
      .command_line = command_line,
      .identity = {},
      .resume = command.restart,
      .resume_option = "--restart"};
  if (command.dry_run) return check_restart(shot, output, std::move(wanted));
  io::RunFolder folder = open_shot_folder(shot, output, std::move(wanted));
  bool complete = false;
  comm::together(ranks, [&] {
    complete = first && folder.was_complete();
    if (complete) require_same_steps(shot, output.directory);
  });
  if (ranks.broadcast(complete)) {
    say("{}: this shot is complete\n", output.directory.string());
    return;
  }
  if (first && command.restart && !ShotCheckpoints::exists(output.directory)) {
    say("{} has no checkpoint: begins at step 0\n", output.directory.string());
  }
  say("{}", measure::topology_line());

  // 2. The shot, and what it leaves.
  nlohmann::json accuracy = measure_accuracy(shot);
  Progress progress(stdout);
  const ShotDone done = run_shot(
      shot, output,
      {.deck = &deck,
       .command_line = command_line,
       .redact = redact,
       .accuracy = std::move(accuracy),
       .progress = [&](double part, const std::string& text) { progress.update(part, text); }},
      folder);
  progress.clear();
  const ShotOutcome& outcome = done.outcome;
  if (first) print_times(shot, outcome);
  switch (outcome.status) {
    case ShotOutcome::Status::not_finite:
      say("{}", format_verdict(shot, outcome));
      fail("{}; wrote what there was to {}", outcome.reason, done.written);
    case ShotOutcome::Status::stopped:
      say("{}; wrote what there is to {}\n", outcome.reason, done.written);
      flush_output();
      throw Interrupted{};
    case ShotOutcome::Status::complete:
      say("wrote {}\n{}", done.written, format_verdict(shot, outcome));
  }
}

}  // namespace

void add_shot_command(CLI::App& app, const Catalogue& catalogue, const std::string& command_line) {
  auto command = std::make_shared<ShotCommand>();
  CLI::App* sub = app.add_subcommand("shot", "Model a seismic shot: gather and snapshots");
  command->deck.add_to(*sub);
  sub->add_option("-o,--output", command->directory,
                  "Folder, which the shot makes, instead of output.directory or\n"
                  "out/DECK-PLATFORM-DATE");
  add_rank_options(*sub, command->transport);
  sub->add_flag(
      "--restart", command->restart,
      "Continue the shot in the folder, the newest or that of --output, from the checkpoint of\n"
      "shot.checkpoint_every; without one, from the beginning");
  sub->add_flag("--accuracy", command->accuracy, kAccuracyHelp);
  CLI::Option* dry_run =
      sub->add_flag("--dry-run", command->dry_run,
                    "Show memory, time step, points per wavelength, PML width and velocities; run\n"
                    "nothing. With --restart a checkpoint that cannot be used is refused here too");
  sub->add_option("--model", command->model,
                  "Write the velocity, source and receivers into this HDF5 file, as snapshots.h5\n"
                  "has them; tools/plot_shot.py DECK --model draws them")
      ->needs(dry_run);
  sub->footer(
      "Writes gather.csv, gather.sgy, snapshots.h5 with snapshots.xdmf (for ParaView) and\n"
      "shot.json into a folder of its own, under names with .part until the end; run.json says\n"
      "whether it is complete. Ctrl-C finishes the step and writes what is there. A shot that was\n"
      "stopped or killed continues with --restart where its deck has\n"
      "shot.checkpoint_every; its files are then those of a shot that never stopped. Draw them "
      "with tools/plot_shot.py FOLDER.\n"
      "Examples:\n"
      "  tessera shot inputs/shot.toml\n"
      "  mpirun -n 2 tessera shot inputs/shot.toml\n"
      "  tessera shot inputs/shot.toml --dry-run --set case.nx=600\n"
      "  tessera shot inputs/shot.toml --set shot.variant=acoustic/st_reg_fixed:32x16 -o out/b");
  sub->callback([command, command_line, &catalogue] { shoot(*command, catalogue, command_line); });
}

}  // namespace tessera
