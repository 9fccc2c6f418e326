// SPDX-License-Identifier: Apache-2.0
// `tessera shot DECK`: a seismic shot: velocity model, sources, receivers, gather and snapshots.
#include "cli/commands.hpp"
#include "cli/deck_options.hpp"
#include "io/json_file.hpp"
#include "support/console.hpp"
#include "support/error.hpp"

#include "io/atomic_file.hpp"
#include "measure/machine_info.hpp"
#include "measure/memory.hpp"
#include "measure/topology.hpp"
#include "results/result.hpp"
#include "shot/files.hpp"
#include "shot/shot.hpp"
#include "support/interrupt.hpp"
#include "support/progress.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <memory>
#include <vector>

namespace tessera {
namespace {

struct ShotCommand {
  DeckOptions deck;
  std::string directory;
  bool restart = false;
  bool dry_run = false;
};

using namespace acoustic;

constexpr double kBytesPerGiB = 1024.0 * 1024.0 * 1024.0;
/// Below it a wave of f_max visibly lags and trails ripples over a few dozen wavelengths.
constexpr double kFewestPoints = 5;

double gib(std::int64_t bytes) { return static_cast<double>(bytes) / kBytesPerGiB; }

/// What is free before the shot takes any, in bytes; the same memory twice on a host.
struct Free {
  std::int64_t device = measure::available_memory_bytes();
  std::int64_t host = measure::available_host_memory_bytes();
};

void print_memory(const ShotCase& shot, const Free& free) {
  const Extents& n = shot.setup.n;
  const ShotMemory needed = memory_of(shot);
  say("{} x {} x {} cells (nx, ny, nz), {}, {}\n", n.nx, n.ny, n.nz, shot.precision,
      shot.how.full_name());
  if constexpr (kOnDevice) {
    say("memory: device {:.3f} GiB of {:.2f} GiB available, host {:.3f} GiB of {:.2f} GiB\n",
        gib(needed.fields), gib(free.device), gib(needed.staging), gib(free.host));
  } else {
    const std::int64_t bytes = needed.fields + needed.staging;
    say("memory: {:.3f} GiB ({:.3f} fields, {:.3f} model and staging) of {:.2f} GiB "
        "available\n",
        gib(bytes), gib(needed.fields), gib(needed.staging), gib(free.host));
  }
  flush_output();
}

void require_memory(const ShotCase& shot, const Free& free) {
  const Extents& n = shot.setup.n;
  const ShotMemory needed = memory_of(shot);
  const std::string of_file = needed.file == 0
                                  ? ""
                                  : fmt::format(" ({:.2f} GiB of it the model file {})",
                                                gib(needed.file), shot.source_file.file);
  const auto enough = [&](const char* where, std::int64_t bytes, std::int64_t available) {
    require(
        bytes <= available,
        "a grid of {} x {} x {} cells needs {:.2f} GiB of {} memory{}, {:.2f} GiB are available",
        n.nx, n.ny, n.nz, gib(bytes), where, kOnDevice && bytes == needed.fields ? "" : of_file,
        gib(available));
  };
  if (kOnDevice) enough("device", needed.fields, free.device);
  enough("host", needed.staging + (kOnDevice ? 0 : needed.fields), free.host);
}

void print_numerics(const ShotCase& shot) {
  const Setup& s = shot.setup;
  const double peak = shot.lowest_peak();
  say("velocity: {:g} to {:g} m/s\n"
      "time step: {:.6g} s, {} steps, {:.4g} s in all; CFL fraction {:.3f} of 1 (limit {:.6g} s)\n"
      "shortest wavelength: {:.4g} m at {:g} Hz, {:.2f} points on it\n"
      "PML: {} cells, {:.2f} wavelengths of {:g} Hz at {:g} m/s\n"
      "{} source{}, {} receivers, {} snapshots\n",
      shot.v.minimum, shot.v.maximum, s.dt(), shot.steps, static_cast<double>(shot.steps) * s.dt(),
      shot.cfl_fraction(), s.dt() / shot.cfl_fraction(), shot.v.minimum / s.f_max, s.f_max,
      shot.points_per_wavelength(), s.pml_cells, shot.pml_wavelengths(), peak, shot.v.maximum,
      shot.sources.size(), shot.sources.size() == 1 ? "" : "s", shot.receivers.size(),
      shot.snapshots());
  if (!shot.model.note.empty()) say("{}\n", shot.model.note);
  if (shot.moved_m > 1e-6 * shot.setup.h[0]) {  // more than rounding
    say("places moved to the nearest cell: by at most {:g} m along an axis\n", shot.moved_m);
  }
  flush_output();
  if (shot.points_per_wavelength() < kFewestPoints) {
    warn(
        fmt::format("{:.2f} points on the shortest wavelength, fewer than {}: expect numerical "
                    "dispersion; refine acoustic.h or lower the frequency",
                    shot.points_per_wavelength(), kFewestPoints));
  }
  if (shot.pml_wavelengths() < 0.5) {
    warn(
        fmt::format("the PML is {:.2f} wavelengths wide, less than half of one: expect "
                    "reflections; raise acoustic.pml_cells",
                    shot.pml_wavelengths()));
  }
  // Rock and water carry sound at 300 to 9000 m/s.
  constexpr float kSlow = 50;
  constexpr float kFast = 50000;
  if (shot.v.maximum < kSlow || shot.v.minimum > kFast) {
    warn(fmt::format("velocities of {:g} to {:g} m/s: {}", shot.v.minimum, shot.v.maximum,
                     shot.v.maximum < kSlow
                         ? "km/s? set model.quantity = \"velocity_km_s\", or give the model in m/s"
                         : "are they m/s already? model.quantity takes them for km/s"));
  }
  for (const ShotSource& source : shot.sources) {
    const Wavelet& w = source.wavelet;
    if (w.kind == Wavelet::Kind::ricker && w.t0 < 0.9 / w.f_peak) {
      warn(fmt::format(
          "a Ricker wavelet of f_peak = {:g} Hz with t0 = {:g} s is cut at its start: its "
          "first sample is no zero, and it radiates noise of all frequencies; t0 = {:g} s "
          "is late enough",
          w.f_peak, w.t0, 1.2 / w.f_peak));
    }
    if (w.kind == Wavelet::Kind::ricker && 2 * w.f_peak > s.f_max) {
      warn(
          fmt::format("a Ricker wavelet of f_peak = {:g} Hz reaches well beyond acoustic.f_max = "
                      "{:g} Hz; {:g} Hz covers it",
                      w.f_peak, s.f_max, kRickerBand * w.f_peak));
    }
  }
}

void print_times(const ShotCase& shot, const ShotOutcome& outcome) {
  const ShotTimes& t = outcome.times;
  const auto line = [&](const char* name, double seconds) {
    say("  {:<22} {:>9.3f} s {:>5.1f} %\n", name, seconds,
        t.wall > 0 ? 100 * seconds / t.wall : 0.0);
  };
  say("times ({} steps)\n", outcome.steps - outcome.first);
  if (t.joint > 0) {
    line("inner and PML together", t.joint);
  } else {
    line("inner", t.inner);
    line("PML", t.pml);
  }
  line("source and receivers", t.source_receivers);
  line("checks for NaN", t.checks);
  line("I/O", t.io);
  line("all", t.wall);
  if (kTimedEvery > 1) {
    say("  (kernels were timed on {} of the steps, one in {}, and scaled)\n", t.timed_steps,
        kTimedEvery);
  }
  if (outcome.status == ShotOutcome::Status::not_finite) return;  // a wrong result has no rate
  const double updates = static_cast<double>(shot.setup.n.cells()) *
                         static_cast<double>(outcome.steps - outcome.first) / 1e9;
  if (t.kernels() > 0) {
    say("rate: {:.4g} GCell/s in the kernels, {:.4g} GCell/s overall\n", updates / t.kernels(),
        updates / t.wall);
  }
  say("last field: u_min {:.9g}, u_max {:.9g}\n", outcome.u.min, outcome.u.max);
}

template <class Real>
ShotOutcome run_shot(ShotCase& shot, ShotFiles& files) {
  Shot<Real> run(shot);
  ShotCheckpoints& checkpoints = files.checkpoints();
  const std::int64_t first = checkpoints.first_step();
  if (first > 0) checkpoints.restore(run.solver());
  if (const std::string remark = run.operator_remark(); !remark.empty()) say("{}\n", remark);
  shot.model.v = std::vector<float>();  // freed: velocity is where the kernels run now
  Progress progress(stdout);
  const auto start = std::chrono::steady_clock::now();
  ShotSinks<Real> sinks;
  sinks.gather = [&](const Real* samples, std::int64_t steps) { files.gather(samples, steps); };
  sinks.snapshot = [&](std::int64_t, double, const float* values) { files.snapshot(values); };
  sinks.progress = [&](std::int64_t step) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    const auto updates =
        static_cast<double>(shot.setup.n.cells()) * static_cast<double>(step - first);
    progress.update(static_cast<double>(step) / static_cast<double>(shot.steps),
                    fmt::format("step {} of {}  {:.3g} GCell/s", step, shot.steps,
                                updates / passed.count() / 1e9));
  };
  sinks.stop = [] { return interrupted(); };
  if (checkpoints.wanted()) {
    sinks.wants_state = [&](std::int64_t step) { return checkpoints.due(step); };
    sinks.state = [&](std::int64_t step) { files.checkpoint(run.solver(), step); };
  }
  ShotOutcome outcome = run.run(sinks, first);
  progress.clear();
  return outcome;
}

/// Says how the shot stands to what is in its directory.
void print_restart(const ShotFiles& files, const ShotOutput& output) {
  const ShotCheckpoints& checkpoints = files.checkpoints();
  if (checkpoints.first_step() > 0) {
    say("goes on from the checkpoint at step {}\n", checkpoints.first_step());
  } else if (output.restart) {
    say("{} has no checkpoint: begins at step 0\n", output.directory.string());
  } else if (!checkpoints.set_aside().empty()) {
    warn(fmt::format(
        "begins at step 0, without --restart: an earlier shot's checkpoint is kept as {}",
        checkpoints.set_aside().string()));
  }
}

/// Runs a part of the shot. An error closes the files, and its message says what was recorded.
template <class Part>
auto or_keep(ShotFiles& files, const std::filesystem::path& directory, const Part& part) {
  try {
    return part();
  } catch (const std::exception& error) {
    const std::vector<std::string> kept = files.abandon();
    if (kept.empty()) throw;
    fail("{}; what was recorded is kept: {} in {}", error.what(), fmt::join(kept, ", "),
         directory.string());
  }
}

void shoot(const ShotCommand& command, const Registry& registry, const std::string& command_line) {
  const io::Deck deck = command.deck.read();
  // 1. What the deck wants, and whether it can work, before anything large is allocated.
  ShotCase shot = read_shot(deck, registry);
  ShotOutput output = read_shot_output(deck);
  if (!command.directory.empty()) output.directory = command.directory;
  output.restart = command.restart;
  const bool redact = deck.get("output.redact", false);
  for (const char* table : {"select", "measure"}) deck.allow(table);
  const Free free;
  print_memory(shot, free);
  // A dry run shows the numerics too where the velocity, on which they depend, fits at least.
  const bool postponed = command.dry_run && memory_of(shot).staging <= free.host;
  if (!postponed) require_memory(shot, free);
  load_velocity(deck, shot);
  deck.reject_unknown();
  print_numerics(shot);
  check_output(shot, output);
  if (command.dry_run) {
    require_memory(shot, free);
    return;
  }
  if (command.restart && is_complete(shot, output)) {
    say("{}: this shot is complete\n", output.directory.string());
    return;
  }
  say("{}", measure::topology_line());
  catch_interrupts();  // from here on there is something to save
  ShotFiles files(shot, output);
  print_restart(files, output);

  // 2. The shot.
  const ShotOutcome outcome = or_keep(files, output.directory, [&] {
    return shot.precision == "float" ? run_shot<float>(shot, files) : run_shot<double>(shot, files);
  });

  // 3. What there is, also of a run that ended early.
  or_keep(files, output.directory, [&] { files.finish(); });
  print_times(shot, outcome);
  nlohmann::json json = to_json(shot, outcome);
  json["schema"] = kShotSchema;
  json["date"] = measure::utc_now();
  json["command_line"] = command_line;
  json["machine"] = measure::machine_metadata(redact);
  json["build"] = measure::build_metadata();
  json["deck"] = deck.to_json();
  json["files"] = files.names();
  json["fingerprint"] = fingerprint(files.checkpoints().identity(), shot.steps);
  if (files.segy_interval_us() > 0) json["segy_interval_us"] = files.segy_interval_us();
  io::write_atomically(output.directory / "shot.json", io::json_text(json, 2) + "\n");
  std::string written;
  for (const auto& name : files.names()) written += name + ", ";
  written = fmt::format("{}: {}shot.json", output.directory.string(), written);
  switch (outcome.status) {
    case ShotOutcome::Status::not_finite:
      fail("{}; wrote what there was to {}", outcome.reason, written);
    case ShotOutcome::Status::stopped:
      say("{}; wrote what there is to {}\n", outcome.reason, written);
      flush_output();
      throw Interrupted{};
    case ShotOutcome::Status::complete:
      files.checkpoints().remove();
      say("wrote {}\n", written);
  }
}

}  // namespace

void add_shot_command(CLI::App& app, const Catalogue& catalogue, const std::string& command_line) {
  auto command = std::make_shared<ShotCommand>();
  CLI::App* sub = app.add_subcommand("shot", "Model a seismic shot: gather and snapshots");
  command->deck.add_to(*sub);
  sub->add_option("-o,--output", command->directory, "Directory, instead of output.directory");
  sub->add_flag(
      "--restart", command->restart,
      "Go on from the checkpoint of shot.checkpoint_every; without one, from the beginning");
  sub->add_flag("--dry-run", command->dry_run,
                "Show memory, time step, points per wavelength and PML width; run nothing");
  sub->footer(
      "Writes gather.csv, gather.sgy, snapshots.h5 with snapshots.xdmf (for ParaView) and\n"
      "shot.json, under names with .part until the end. Ctrl-C finishes the step and writes what\n"
      "is there. A shot that was stopped or killed goes on with --restart where its deck has\n"
      "shot.checkpoint_every; its files are then those of a shot that never stopped. Draw them "
      "with tools/plot_shot.py DIRECTORY.\n"
      "Examples:\n"
      "  tessera shot inputs/shot.toml\n"
      "  tessera shot inputs/shot.toml --dry-run --set case.nx=600\n"
      "  tessera shot inputs/shot.toml --set shot.variant=acoustic/st_reg_fixed:32x16 -o out/b");
  sub->callback(
      [command, command_line, &catalogue] { shoot(*command, catalogue.variants, command_line); });
}

}  // namespace tessera
