// SPDX-License-Identifier: Apache-2.0
#include "program/shot/files.hpp"

#include "base/comm/agree.hpp"
#include "base/io/atomic_file.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"
#include "program/shot/ranks.hpp"
#include "program/shot/writer_options.hpp"

#include <cstdint>
#include <utility>

namespace tessera::shot {

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
  io::SnapshotPart part{cell_box(snapshot_box_of(shot)), writers_of(ranks_)};
  part.writers.on_first([&] {
    io::require_free_space(output.directory, gather_bytes(shot, output) + snapshot_bytes(shot));
  });
  io::SnapshotOptions o = snapshot_options(shot, output);
  const std::vector<float> velocity = io::decimate(shot.model, o, part.box);
  const auto written = static_cast<std::size_t>(checkpoints_.first_step() / shot.snapshot_every);
  snapshots_ =
      std::make_unique<io::SnapshotWriter>(std::move(o), velocity, written, std::move(part));
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

void ShotFiles::snapshot(const float* values) { snapshots_->write(values); }

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

}  // namespace tessera::shot
