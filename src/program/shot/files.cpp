// SPDX-License-Identifier: Apache-2.0
#include "program/shot/files.hpp"

#include "base/comm/agree.hpp"
#include "base/grid/transfer.hpp"
#include "base/io/atomic_file.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"
#include "program/shot/output.hpp"
#include "program/shot/ranks.hpp"

#include <cmath>
#include <cstdint>
#include <system_error>
#include <utility>

namespace tessera::shot {
namespace {

std::unique_ptr<io::SnapshotWriter> snapshot_writer(const ShotCase& shot, io::SnapshotOptions o,
                                                    std::size_t written) {
  io::SnapshotPart part{cell_box(snapshot_box_of(shot)), writers_of(shot.parallel.ranks)};
  const std::vector<float> velocity = io::decimate(shot.model, o, part.box);
  return std::make_unique<io::SnapshotWriter>(std::move(o), velocity, written, std::move(part));
}

}  // namespace

void write_model(const ShotCase& shot, const std::filesystem::path& path) {
  require(path.extension() == ".h5", "--model {}: name a file that ends in .h5", path.string());
  io::SnapshotOptions o = snapshot_options(shot, {});
  o.path = path;
  o.planned.clear();
  o.half_scale = 0;
  snapshot_writer(shot, std::move(o), 0)->finish();
}

ShotFiles::ShotFiles(const ShotCase& shot, const ShotOutput& output)
    : ranks_(shot.parallel.ranks),
      directory_(output.directory),
      checkpoints_(shot, output.directory),
      receivers_(shot.receivers.size()),
      names_(recorded_names(shot, output)) {
  if (shot.snapshot_every > 0) create_snapshots(shot, output);
  comm::together(ranks_, [&] {
    if (ranks_.first() && receivers_ > 0 && (output.csv || output.segy)) {
      create_gather(shot, output);
    }
  });
}

void ShotFiles::create_snapshots(const ShotCase& shot, const ShotOutput& output) {
  writers_of(ranks_).on_first([&] {
    io::require_free_space(output.directory, gather_bytes(shot, output) + snapshot_bytes(shot));
  });
  const auto written = static_cast<std::size_t>(checkpoints_.first_step() / shot.snapshot_every);
  io::SnapshotOptions options = snapshot_options(shot, output);
  half_scale_ = options.half_scale;
  if (half_scale_ > 0) halves_.resize(static_cast<std::size_t>(snapshot_box_of(shot).cells()));
  snapshots_ = snapshot_writer(shot, std::move(options), written);
}

void ShotFiles::create_gather(const ShotCase& shot, const ShotOutput& output) {
  const io::GatherOptions g = gather_options(shot, output);
  const std::int64_t first = checkpoints_.first_step();
  if (shot.snapshot_every == 0) {
    io::require_free_space(output.directory, gather_bytes(shot, output));
  }
  gather_ = std::make_unique<io::GatherWriter>(g);
  gather_->record(checkpoints_.samples().data(), first);  // which the growing files held too
}

template <class Real>
void ShotFiles::gather(const Real* samples, std::int64_t steps) {
  if (!gather_) return;
  converted_.assign(samples, samples + static_cast<std::size_t>(steps) * receivers_);
  // Zero without a sign: several ranks may have another one than one rank.
  for (float& sample : converted_) sample += 0.0F;
  gather_->record(converted_.data(), steps);
  checkpoints_.record(converted_.data(), converted_.size());
}

template <class Real>
void ShotFiles::checkpoint(const acoustic::Solver<Real>& solver, std::int64_t step) {
  if (snapshots_) snapshots_->sync();
  checkpoints_.write(solver, step);
}

template void ShotFiles::checkpoint(const acoustic::Solver<float>&, std::int64_t);
template void ShotFiles::checkpoint(const acoustic::Solver<double>&, std::int64_t);

template void ShotFiles::gather(const float*, std::int64_t);
template void ShotFiles::gather(const double*, std::int64_t);

void ShotFiles::snapshot(const float* values) {
  if (half_scale_ == 0) return snapshots_->write(values);
  comm::together(ranks_, [&] {
    std::transform(values, values + halves_.size(), halves_.begin(), [&](float value) {
      const auto half = Half::encode(static_cast<float>(half_scale_ * value));
      require(std::isfinite(Half::decode(half)),
              "snapshots.format = \"half\": u = {:.4g} is too large; lower acoustic.storage_scale, "
              "which is {:.6g}",
              value, half_scale_);
      return half;
    });
  });
  snapshots_->write(halves_.data());
}

void ShotFiles::finish() {
  comm::together(ranks_, [&] {
    if (gather_) gather_->finish();
  });
  if (snapshots_) snapshots_->finish();
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
    const std::filesystem::path part = io::part_path(directory_ / name);
    if (path_exists(part)) kept.push_back(part.filename().string());
  }
  return kept;
}

namespace {

/// The fields in the file: of the grid, and of convolutional layers the slabs.
std::vector<io::CheckpointArray> arrays_of(const ShotCase& shot) {
  const acoustic::Setup& s = shot.setup;
  const Domain domain = domain_of(shot);
  const auto array = [&](const char* name, const Domain& d) {
    return io::CheckpointArray{
        name, {d.grid.nx, d.grid.ny, d.grid.nz}, cell_box(d.box), shot.value_bytes()};
  };
  const char* before = keeps_difference(s.storage) ? "u_difference" : "u_before";
  std::vector<io::CheckpointArray> arrays{array("u", domain), array(before, domain)};
  if (s.storage != Storage::plain) arrays[0].value_bytes = arrays[1].value_bytes = 2;
  if (!s.convolutional()) arrays.push_back(array("phi", domain));
  constexpr const char* kSlabs[3][2] = {
      {"psi_x", "zeta_x"}, {"psi_y", "zeta_y"}, {"psi_z", "zeta_z"}};
  for (int axis = 0; s.convolutional() && axis < 3; ++axis) {
    for (const char* name : kSlabs[axis])
      arrays.push_back(array(name, acoustic::slab_of(s.layers(), domain, axis)));
  }
  return arrays;
}

/// Calls body(field) for those behind them; of fields in 16 bits these, times their scale, as phi
/// is.
template <class Real, class Body>
void for_each_field(const acoustic::Solver<Real>& solver, const Body& body) {
  const acoustic::StoredWaves<Real>& waves = solver.waves();
  if (waves.any()) {
    body(waves.u_bits());
    body(waves.kept_bits());
  } else {
    body(solver.u());
    body(solver.next());
  }
  if (!solver.setup().convolutional()) body(solver.phi());
  for (const Field<Real>* field : solver.absorber().memory()) body(*field);
}

constexpr const char* kFile = "checkpoint.h5";
constexpr const char* kWayOut = "remove it, and the shot begins at step 0";

/// What a checkpoint of this shot says of itself. Throws Error for one of another shot.
io::CheckpointHead head_of_this(const std::filesystem::path& path, const ShotIdentity& identity,
                                std::int64_t steps) {
  io::CheckpointHead found = io::read_checkpoint_head(path);
  require(found.identity == to_text(identity), "{} is of another shot; {}", path.string(), kWayOut);
  require(found.step <= steps, "{} is at step {}, beyond the {} of this deck; {}", path.string(),
          found.step, steps, kWayOut);
  return found;
}

}  // namespace

ShotCheckpoints::ShotCheckpoints(const ShotCase& shot, const std::filesystem::path& directory)
    : ranks_(shot.parallel.ranks),
      writers_(writers_of(ranks_)),
      arrays_(arrays_of(shot)),
      every_(shot.checkpoint_every),
      path_(directory / kFile),
      identity_(identity_of(shot)) {
  const Extents& n = shot.setup.n;
  head_.identity = to_text(identity_);
  head_.shape = {n.nx, n.ny, n.nz};
  head_.value_bytes = shot.value_bytes();
  head_.receivers = static_cast<std::int64_t>(shot.receivers.size());
  writers_.on_first([&] {
    if (wanted()) {
      io::CheckpointHead last = head_;
      last.step = shot.steps;
      io::require_free_space(directory, 2 * io::checkpoint_bytes(last, arrays_));
    }
    if (!exists(directory)) return;
    first_step_ = head_of_this(path_, identity_, shot.steps).step;
    samples_ = io::read_checkpoint_samples(path_);
  });
  first_step_ = last_step_ = ranks_.broadcast(first_step_);
  if (first_step_ > 0) io::require_undamaged(path_, arrays_, writers_);
}

template <class Real>
void ShotCheckpoints::restore(acoustic::Solver<Real>& solver) const {
  writers_.together([&] {
    std::size_t i = 0;
    for_each_field(solver, [&]<class T>(const Field<T>& field) {
      io::read_checkpoint_field(
          path_, arrays_[i++], [&](std::int64_t z, std::int64_t count, const void* values) {
            planes_from_host(field, static_cast<int>(z), static_cast<int>(z + count),
                             static_cast<const T*>(values));
          });
    });
  });
}

void ShotCheckpoints::record(const float* samples, std::size_t count) {
  if (wanted()) samples_.insert(samples_.end(), samples, samples + count);
}

bool ShotCheckpoints::due(std::int64_t step) const {
  if (every_.steps > 0) return step / every_.steps > last_step_ / every_.steps;
  constexpr std::int64_t kAskEvery = 10;  // steps: ranks wait for each other's answer
  if (every_.seconds <= 0 || (!ranks_.alone() && step % kAskEvery != 0)) return false;
  const std::chrono::duration<double> passed = Clock::now() - last_time_;
  return ranks_.broadcast(passed.count() >= every_.seconds);
}

template <class Real>
void ShotCheckpoints::write(const acoustic::Solver<Real>& solver, std::int64_t step) {
  std::vector<io::CheckpointField> fields;
  for_each_field(solver, [&]<class T>(const Field<T>& field) {
    fields.push_back(
        {arrays_[fields.size()], [&field](std::int64_t z, std::int64_t count, void* values) {
           planes_to_host(field, static_cast<int>(z), static_cast<int>(z + count),
                          static_cast<T*>(values));
         }});
  });
  head_.step = step;
  io::write_checkpoint(path_, head_, fields, samples_, writers_);
  last_step_ = step;
  last_time_ = Clock::now();
}

bool ShotCheckpoints::exists(const std::filesystem::path& directory) {
  return path_exists(directory / kFile);
}

void ShotCheckpoints::remove() const {
  std::error_code ignored;
  // A write that was killed leaves its part.
  for (const auto& path : {path_, io::part_path(path_)}) std::filesystem::remove(path, ignored);
}

template void ShotCheckpoints::restore(acoustic::Solver<float>&) const;
template void ShotCheckpoints::restore(acoustic::Solver<double>&) const;
template void ShotCheckpoints::write(const acoustic::Solver<float>&, std::int64_t);
template void ShotCheckpoints::write(const acoustic::Solver<double>&, std::int64_t);

}  // namespace tessera::shot
