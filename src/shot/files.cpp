// SPDX-License-Identifier: Apache-2.0
#include "shot/files.hpp"

#include "comm/agree.hpp"
#include "io/atomic_file.hpp"
#include "io/json_file.hpp"
#include "io/model_files.hpp"
#include "shot/ranks.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

#include <algorithm>
#include <cmath>
#include <system_error>

namespace tessera::acoustic {
namespace {

constexpr int kCsvBytes = 14;  // of a sample in text, at the most but for rare ones

nlohmann::json place_json(const Station& station) {
  const auto& c = station.cell;
  return {{"x_m", station.at.x}, {"y_m", station.at.y}, {"z_m", station.at.z},
          {"cell_x", c[2]},      {"cell_y", c[1]},      {"cell_z", c[0]}};
}

std::vector<std::string> segy_text(const ShotCase& shot) {
  const Setup& s = shot.setup;
  std::vector<std::string> lines = {
      "SYNTHETIC SHOT GATHER, PRESSURE, WRITTEN BY TESSERA",
      "ACOUSTIC, CONSTANT DENSITY, 8TH ORDER IN SPACE, 2ND IN TIME, PML",
      fmt::format("GRID {} X {} X {} CELLS (X, Y, Z), PML {} CELLS{}", s.n.nx, s.n.ny, s.n.nz,
                  s.pml_cells, s.free_surface ? ", FREE SURFACE AT Z = 0" : ""),
      fmt::format("SPACING {:g} {:g} {:g} M, TIME STEP OF THE RUN {:.9g} S", s.h[0], s.h[1], s.h[2],
                  s.dt()),
      "COORDINATES FROM THE FIRST CELL OF THE INNER REGION, Z DOWNWARD"};
  if (shot.sources.size() < 2) return lines;
  // A trace header has room for one source.
  lines.push_back(
      fmt::format("{} SOURCES TOGETHER; THE TRACE HEADERS NAME THE FIRST (X, Y, Z IN M):",
                  shot.sources.size()));
  constexpr std::size_t kMost = 28;
  for (std::size_t i = 0; i < shot.sources.size() && i < kMost; ++i) {
    const io::Position& at = shot.sources[i].station.at;
    lines.push_back(fmt::format("SOURCE {}: {:g} {:g} {:g}", i + 1, at.x, at.y, at.z));
  }
  if (shot.sources.size() > kMost) {
    lines.push_back(fmt::format("AND {} MORE: GATHER.CSV HAS THEM", shot.sources.size() - kMost));
  }
  return lines;
}

std::vector<io::Position> places_of(const std::vector<Station>& stations) {
  std::vector<io::Position> places;
  for (const Station& station : stations) places.push_back(station.at);
  return places;
}

std::vector<io::Position> places_of(const std::vector<ShotSource>& sources) {
  std::vector<io::Position> places;
  for (const ShotSource& source : sources) places.push_back(source.station.at);
  return places;
}

/// What the gather takes on the disk.
std::uint64_t gather_bytes(const ShotCase& shot, const ShotOutput& output) {
  const auto samples = static_cast<std::uint64_t>(shot.steps) * shot.receivers.size();
  return samples * ((output.csv ? kCsvBytes : 0U) + (output.segy ? 4U : 0U));
}

io::GatherOptions gather_options(const ShotCase& shot, const ShotOutput& output) {
  const Setup& s = shot.setup;
  io::GatherOptions g;
  if (output.csv) g.csv_path = output.directory / "gather.csv";
  if (output.segy) g.segy_path = output.directory / "gather.sgy";
  g.receivers = places_of(shot.receivers);
  g.sources = places_of(shot.sources);
  g.time_step = s.dt();
  g.first_time = s.dt();
  g.samples = shot.steps;
  g.highest_frequency = shot.highest_frequency();
  g.segy_interval_us = output.segy_interval_us;
  g.shot_number = shot.number;
  g.cell = std::min({s.h[0], s.h[1], s.h[2]});
  g.flush_every = kReceiverChunk;
  g.text = segy_text(shot);
  return g;
}

/// Every file that a shot may leave in its directory.
std::vector<std::filesystem::path> all_outputs(const std::filesystem::path& directory) {
  return {directory / "gather.csv",     directory / "gather.sgy",    directory / "snapshots.h5",
          directory / "snapshots.xdmf", directory / "checkpoint.h5", directory / "shot.json"};
}

/// Creates the directory and claims it for the first rank, with what its links lead to.
std::vector<io::OutputLock> claim(const comm::Ranks& ranks,
                                  const std::filesystem::path& directory) {
  std::vector<io::OutputLock> locks;
  comm::together(ranks, [&] {
    if (!ranks.first()) return;
    io::require_writable_directory(directory);
    locks = io::lock_directory(directory, all_outputs(directory));
  });
  return locks;
}

/// Names of the files that hold what is recorded.
std::vector<std::string> names_of(const ShotCase& shot, const ShotOutput& output) {
  std::vector<std::string> names;
  if (!shot.receivers.empty() && output.csv) names.emplace_back("gather.csv");
  if (!shot.receivers.empty() && output.segy) names.emplace_back("gather.sgy");
  if (shot.snapshot_every > 0) {
    names.emplace_back("snapshots.h5");
    names.emplace_back("snapshots.xdmf");
  }
  return names;
}

/// Why no file would record anything, with the way out; empty where one does.
std::string records_nothing(const ShotCase& shot, const ShotOutput& output) {
  if (shot.snapshots() > 0) return {};
  const bool gather = output.csv || output.segy;
  if (gather && !shot.receivers.empty()) return {};
  const std::string missing =
      shot.receivers.empty() ? "there are no receivers" : "output.csv and output.segy are false";
  const std::string snapshots = shot.snapshot_every == 0
                                    ? "there are no snapshots"
                                    : fmt::format("snapshots.every = {} is more than the {} steps",
                                                  shot.snapshot_every, shot.steps);
  return fmt::format("nothing would be recorded: {}, and {}; {}, or snapshots within the run",
                     missing, snapshots,
                     shot.receivers.empty() ? "give [[receivers]]" : "set one of them to true");
}

}  // namespace

ShotOutput read_shot_output(const io::Deck& deck, const char* folder) {
  ShotOutput out;
  out.directory = deck.get("output.directory", folder);
  out.csv = deck.get("output.csv", true);
  out.segy = deck.get("output.segy", io::have_segy());
  const char* key = "output.segy_interval_ms";
  if (deck.contains(key)) {
    const double us = 1000 * deck.get_in(key, 1e-3, io::SegyWriter::kMaxField / 1000.0);
    require(std::abs(us - std::round(us)) < 1e-6, "{} = {} ms is no whole number of microseconds",
            deck.where(key), us / 1000);
    out.segy_interval_us = static_cast<int>(std::round(us));
  }
  return out;
}

void check_output(const ShotCase& shot, const ShotOutput& output) {
  const std::string nothing = records_nothing(shot, output);
  require(nothing.empty(), "{}", nothing);
  // Also the names of what is not wanted: finish() removes what an earlier shot left there.
  const std::vector<std::filesystem::path> all = all_outputs(output.directory);
  io::require_plain_files(all);
  for (const std::filesystem::path& path : all) {
    require_not_read(path);
    require_not_read(io::part_path(path));
  }
  if (output.segy && !shot.receivers.empty()) {
    static_cast<void>(io::plan_segy(gather_options(shot, output)));
  }
}

ShotFiles::ShotFiles(const ShotCase& shot, const ShotOutput& output)
    : ranks_(shot.parallel.ranks),
      directory_(output.directory),
      locks_(claim(ranks_, output.directory)),
      checkpoints_(shot, output.directory, output.restart),
      receivers_(shot.receivers.size()),
      names_(names_of(shot, output)) {
  comm::together(ranks_, [&] {
    if (ranks_.first()) set_unwanted_aside();
  });
  if (shot.snapshot_every > 0) create_snapshots(shot, output);
  comm::together(ranks_, [&] {
    if (ranks_.first() && receivers_ > 0 && (output.csv || output.segy)) {
      create_gather(shot, output);
    }
  });
}

// The writers do so for the files that are wanted.
void ShotFiles::set_unwanted_aside() const {
  const auto wanted = [&](const char* name) {
    return std::find(names_.begin(), names_.end(), name) != names_.end();
  };
  for (const char* name : {"gather.csv", "gather.sgy"}) {
    if (!wanted(name)) io::set_aside(io::part_path(directory_ / name));
  }
  if (!wanted("snapshots.h5")) io::set_snapshots_aside(directory_ / "snapshots.h5");
}

void ShotFiles::create_snapshots(const ShotCase& shot, const ShotOutput& output) {
  const Setup& s = shot.setup;
  io::SnapshotOptions o;
  o.path = output.directory / "snapshots.h5";
  o.x = shot.snapshot_x;
  o.y = shot.snapshot_y;
  o.z = shot.snapshot_z;
  o.dx = s.h[0];
  o.dy = s.h[1];
  o.dz = s.h[2];
  o.pml_cells = s.pml_cells;
  o.free_surface = s.free_surface;
  o.time_step = s.dt();
  o.sources = places_of(shot.sources);
  o.receivers = places_of(shot.receivers);
  for (std::int64_t k = 1; k <= shot.snapshots(); ++k) o.planned.push_back(k * shot.snapshot_every);
  io::SnapshotPart part{cell_box(snapshot_box_of(shot)), writers_of(ranks_)};
  part.writers.on_first([&] {
    io::require_free_space(output.directory, gather_bytes(shot, output) + o.file_bytes());
  });
  const std::vector<float> velocity = io::decimate(shot.model, o, part.box);
  std::optional<std::size_t> goes_on;
  if (const std::int64_t first = checkpoints_.first_step(); first > 0) {
    goes_on = static_cast<std::size_t>(first / shot.snapshot_every);
  }
  snapshots_ =
      std::make_unique<io::SnapshotWriter>(std::move(o), velocity, goes_on, std::move(part));
}

void ShotFiles::create_gather(const ShotCase& shot, const ShotOutput& output) {
  const io::GatherOptions g = gather_options(shot, output);
  const std::int64_t first = checkpoints_.first_step();
  if (shot.snapshot_every == 0) {
    io::require_free_space(output.directory, gather_bytes(shot, output));
  }
  if (first > 0) {  // the checkpoint holds what the growing files did
    std::error_code ignored;
    for (const auto& path : {g.csv_path, g.segy_path}) {
      if (!path.empty()) std::filesystem::remove(io::part_path(path), ignored);
    }
  }
  gather_ = std::make_unique<io::GatherWriter>(g);
  gather_->record(checkpoints_.samples().data(), first);
}

template <class Real>
void ShotFiles::gather(const Real* samples, std::int64_t steps) {
  if (!gather_) return;
  converted_.assign(samples, samples + static_cast<std::size_t>(steps) * receivers_);
  gather_->record(converted_.data(), steps);
  checkpoints_.record(converted_.data(), converted_.size());
}

template <class Real>
void ShotFiles::checkpoint(const Solver<Real>& solver, std::int64_t step) {
  if (snapshots_) snapshots_->sync();
  checkpoints_.write(solver, step);
}

template void ShotFiles::checkpoint(const Solver<float>&, std::int64_t);
template void ShotFiles::checkpoint(const Solver<double>&, std::int64_t);

template void ShotFiles::gather(const float*, std::int64_t);
template void ShotFiles::gather(const double*, std::int64_t);

void ShotFiles::snapshot(const float* values) { snapshots_->write(values); }

void ShotFiles::finish() {
  comm::together(ranks_, [&] {
    if (gather_) gather_->finish();
  });
  if (snapshots_) snapshots_->finish();
  if (!ranks_.first()) return;
  for (const char* name : {"gather.csv", "gather.sgy", "snapshots.h5", "snapshots.xdmf"}) {
    std::error_code ignored;
    if (std::find(names_.begin(), names_.end(), name) == names_.end()) {
      std::filesystem::remove(io::resolve_link(directory_ / name), ignored);
    }
  }
}

nlohmann::json ShotFiles::bytes() const {
  nlohmann::json bytes = nlohmann::json::object();
  for (const std::string& name : names_) bytes[name] = bytes_of_file(directory_ / name);
  return bytes;
}

std::vector<std::string> ShotFiles::abandon() {
  gather_.reset();
  snapshots_.reset();
  std::vector<std::string> kept;
  if (!ranks_.first()) return kept;
  for (const std::string& name : names_) {
    const std::filesystem::path named = directory_ / name;
    const std::filesystem::path part = io::part_path(named);
    if (!path_exists(part)) continue;
    const bool here = part.parent_path() == named.parent_path();
    kept.push_back((here ? part.filename() : part).string());
  }
  return kept;
}

namespace {

/// Whether a file is there with the bytes that shot.json says, where it does.
bool is_whole(const std::filesystem::path& file, const nlohmann::json& found,
              const std::string& name) {
  if (!path_exists(file)) return false;
  if (!found.contains("file_bytes") || !found["file_bytes"].is_object()) return true;
  const nlohmann::json bytes = found["file_bytes"].value(name, nlohmann::json());
  return bytes.is_number_unsigned() && bytes.get<std::uintmax_t>() == bytes_of_file(file);
}

}  // namespace

bool is_complete(const ShotCase& shot, const ShotOutput& output) {
  const std::filesystem::path path = output.directory / "shot.json";
  if (!path_exists(path)) return false;
  const nlohmann::json found = io::read_json_file(path);
  const auto text = [&](const char* key) -> std::string {
    if (!found.contains(key)) return {};
    require(found[key].is_string(), "{}: its {} is {}: not what a shot leaves", path.string(), key,
            io::brief(found[key]));
    return found[key].get<std::string>();
  };
  const std::vector<std::string> wanted = names_of(shot, output);
  return found.is_object() && text("status") == "complete" &&
         text("fingerprint") == fingerprint(identity_of(shot), shot.steps) &&
         std::all_of(wanted.begin(), wanted.end(), [&](const std::string& name) {
           return is_whole(output.directory / name, found, name);
         });
}

nlohmann::json to_json(const ShotCase& shot, const ShotOutcome& outcome) {
  const Setup& s = shot.setup;
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
  json["status"] = to_string(outcome.status);
  json["reason"] = outcome.reason;
  json["variant"] = shot.how.variant->full_name();
  json["configuration"] = shot.how.variant->configurations[shot.how.configuration].text;
  json["decomposition"] = to_string(s.decomposition);
  json["operator"] = shot.inner ? "ete" : "fd";
  json["precision"] = shot.precision;
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

}  // namespace tessera::acoustic
