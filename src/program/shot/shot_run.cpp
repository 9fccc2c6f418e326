// SPDX-License-Identifier: Apache-2.0
#include "program/shot/shot_run.hpp"

#include "base/case/phases.hpp"
#include "base/comm/agree.hpp"
#include "base/io/atomic_file.hpp"
#include "base/io/json_file.hpp"
#include "base/support/console.hpp"
#include "base/support/error.hpp"
#include "base/support/interrupt.hpp"
#include "program/measure/machine_info.hpp"
#include "program/results/result.hpp"
#include "program/shot/files.hpp"
#include "program/shot/identity.hpp"
#include "program/shot/ranks.hpp"
#include "program/shot/shot.hpp"
#include "program/shot/shot_report.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace tessera {

using namespace shot;

namespace {

/// A shot's steps and, of several ranks, what they consist of.
struct Steps {
  ShotOutcome outcome;
  comm::StepPhases phases;
};

template <class Real>
Steps run_steps(ShotCase& shot, ShotFiles& files, const ShotRun& how) {
  Shot<Real> run(shot);
  const std::int64_t first = files.checkpoints().first_step();
  if (first > 0) files.checkpoints().restore(run.solver());
  if (const std::string remark = run.operator_remark(); !remark.empty()) say("{}\n", remark);
  if (how.last) shot.model.v = std::vector<float>();  // velocity is where the kernels run now
  const auto start = std::chrono::steady_clock::now();
  ShotSinks<Real> sinks;
  sinks.gather = [&](const Real* samples, std::int64_t steps) { files.gather(samples, steps); };
  sinks.snapshot = [&](std::int64_t, double, const float* values) { files.snapshot(values); };
  sinks.progress = [&](std::int64_t step) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    const auto updates =
        static_cast<double>(shot.setup.n.cells()) * static_cast<double>(step - first);
    how.progress(static_cast<double>(step) / static_cast<double>(shot.steps),
                 fmt::format("step {} of {}  {:.3g} GCell/s", step, shot.steps,
                             updates / passed.count() / 1e9));
  };
  sinks.stop = [] { return interrupted(); };
  if (files.checkpoints().wanted()) {
    sinks.wants_state = [&](std::int64_t step) { return files.checkpoints().due(step); };
    sinks.state = [&](std::int64_t step) { files.checkpoint(run.solver(), step); };
  }
  Steps done{run.run(sinks, first), {}};
  const ShotOutcome& o = done.outcome;
  const std::int64_t steps = o.steps - o.first;
  if (how.last && !shot.parallel.ranks.alone() && o.status == ShotOutcome::Status::complete &&
      steps > 0) {
    comm::PhaseSteps timed;
    timed.count = 10;  // a fence and the ranks' start weigh a tenth
    timed.step_s = o.times.kernels() / static_cast<double>(steps);
    timed.make = [&](const ExecSpace& exec) {
      for (int i = 0; i < timed.count; ++i) {
        run.update(exec);
        run.solver().advance();
      }
    };
    done.phases = comm::measure_phases(shot.parallel.ranks, *run.solver().halo(), timed);
  }
  return done;
}

/// Runs a part of the shot. An error closes the files, and its message says what was recorded.
template <class Part>
auto or_keep(ShotFiles& files, const std::filesystem::path& directory, const Part& part) {
  const auto message = [&](const std::exception& error, const std::vector<std::string>& kept) {
    return fmt::format("{}; what was recorded is kept: {} in {}", error.what(),
                       fmt::join(kept, ", "), directory.string());
  };
  try {
    return part();
  } catch (const comm::AgreedError& error) {
    const std::vector<std::string> kept = files.abandon();
    if (kept.empty()) throw;
    throw comm::AgreedError(message(error, kept));
  } catch (const std::exception& error) {
    const std::vector<std::string> kept = files.abandon();
    if (kept.empty()) throw;
    throw Error(message(error, kept));
  }
}

nlohmann::json place_json(const Station& station) {
  const auto& c = station.cell;
  return {{"x_m", station.at.x}, {"y_m", station.at.y}, {"z_m", station.at.z},
          {"cell_x", c[2]},      {"cell_y", c[1]},      {"cell_z", c[0]}};
}

/// What shot.json says about the shot and its outcome.
nlohmann::json to_json(const ShotCase& shot, const ShotOutcome& outcome) {
  const acoustic::Setup& s = shot.setup;
  const ShotTimes& t = outcome.times;
  const auto rate = [&](double seconds) -> nlohmann::json {
    if (seconds <= 0 || outcome.status == ShotOutcome::Status::not_finite) return nullptr;
    return static_cast<double>(s.n.cells()) * static_cast<double>(outcome.steps - outcome.first) /
           seconds / 1e9;
  };
  const auto number = [](double value) -> nlohmann::json {
    if (std::isfinite(value)) return value;
    return nullptr;
  };
  nlohmann::json json;
  json["schema"] = "tessera-shot-1";
  json["status"] = to_string(outcome.status);
  json["reason"] = outcome.reason;
  json["variant"] = shot.how.variant->full_name();
  json["configuration"] = shot.how.variant->configurations[shot.how.configuration].text;
  json["decomposition"] = to_string(s.decomposition);
  json["operator"] = shot.inner ? "ete" : "fd";
  json["precision"] = shot.precision;
  json["storage"] = to_string(s.storage);
  if (s.storage != Storage::plain) json["storage_scale"] = shot.storage_scale();
  json["nx"] = s.n.nx;
  json["ny"] = s.n.ny;
  json["nz"] = s.n.nz;
  json["pml_cells"] = s.pml_cells;
  json["free_surface"] = s.free_surface;
  json["steps"] = shot.steps;
  json["steps_done"] = outcome.steps;
  if (outcome.first > 0) json["restarted_at_step"] = outcome.first;
  json["time_step_s"] = s.dt();
  json["v_min_m_per_s"] = shot.v.minimum;
  json["v_max_m_per_s"] = shot.v.maximum;
  json["cfl_fraction"] = shot.cfl_fraction();
  json["points_per_wavelength"] = shot.points_per_wavelength();
  json["pml_wavelengths"] = shot.pml_wavelengths();
  for (const ShotSource& source : shot.sources) {
    json["sources"].push_back(place_json(source.station));
  }
  json["receivers"] = shot.receivers.size();
  json["u_min"] = number(outcome.u.min);
  json["u_max"] = number(outcome.u.max);
  json["times_s"] = {{"inner", t.inner},
                     {"pml", t.pml},
                     {"inner_and_pml_together", t.joint},
                     {"source_receivers", t.source_receivers},
                     {"checks", t.checks},
                     {"io", t.io},
                     {"wall", t.wall},
                     {"timed_steps", t.timed_steps}};
  json["gcell_per_s"] = {{"kernels", rate(t.kernels())}, {"overall", rate(t.wall)}};
  return json;
}

void write_json(const ShotCase& shot, const ShotOutput& output, const ShotRun& how,
                const ShotFiles& files, const Steps& done) {
  nlohmann::json json = to_json(shot, done.outcome);
  json["date"] = results::utc_now();
  json["command_line"] = how.command_line;
  json["machine"] = measure::machine_metadata(how.redact);
  json["build"] = measure::build_metadata();
  json["deck"] = how.deck->to_json();
  if (const comm::Parallel& parallel = shot.parallel; !parallel.ranks.alone()) {
    json["parallel"] = parallel_json(rank_grid_of(shot), parallel.transport->name(),
                                     parallel.options.overlap, done.phases);
  }
  if (!how.accuracy.is_null()) json["accuracy"] = how.accuracy;
  json["files"] = files.names();
  json["file_bytes"] = files.bytes();
  json["fingerprint"] = fingerprint(files.checkpoints().identity(), shot.steps);
  if (files.segy_interval_us() > 0) json["segy_interval_us"] = files.segy_interval_us();
  io::write_atomically(output.directory / "shot.json", io::json_text(json, 2) + "\n");
}

}  // namespace

io::RunFolder open_shot_folder(const ShotCase& shot, ShotOutput& output,
                               io::FolderRequest request) {
  const comm::Ranks& ranks = shot.parallel.ranks;
  io::RunFolder folder;
  comm::together(ranks, [&] {
    if (!ranks.first()) return;
    request.identity = folder_identity(shot, output);
    folder = io::RunFolder(request);
  });
  output.directory = ranks.broadcast(folder.path().string());
  return folder;
}

ShotDone run_shot(ShotCase& shot, const ShotOutput& output, const ShotRun& how,
                  io::RunFolder& folder) {
  catch_interrupts();  // from here on there is something to save
  ShotFiles files(shot, output);
  const comm::Ranks& ranks = shot.parallel.ranks;
  const std::int64_t step = files.checkpoints().first_step();
  if (step > 0) say("continues from the checkpoint at step {}\n", step);

  // 1. The shot.
  const Steps steps = or_keep(files, output.directory, [&] {
    return shot.precision == "float" ? run_steps<float>(shot, files, how)
                                     : run_steps<double>(shot, files, how);
  });

  // 2. What there is, also of a run that ended early.
  const bool complete = steps.outcome.status == ShotOutcome::Status::complete;
  or_keep(files, output.directory, [&] { files.finish(); });
  comm::together(ranks, [&] {
    if (!ranks.first()) return;
    write_json(shot, output, how, files, steps);
    if (!complete) return;
    files.checkpoints().remove();
    folder.complete();
  });
  ShotDone done{steps.outcome, ""};
  for (const auto& name : files.names()) done.written += name + ", ";
  done.written = fmt::format("{}: {}shot.json", output.directory.string(), done.written);
  return done;
}

}  // namespace tessera
