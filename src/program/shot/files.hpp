// SPDX-License-Identifier: Apache-2.0
// What a shot writes as it goes: gather.csv, gather.sgy, snapshots.h5 with snapshots.xdmf, and
// checkpoint.h5, its state, to continue from.
#pragma once

#include "program/seismic/checkpoint.hpp"
#include "program/seismic/gather.hpp"
#include "program/seismic/part_file.hpp"
#include "program/seismic/snapshots.hpp"
#include "program/shot/identity.hpp"
#include "program/shot/output.hpp"
#include "variants/acoustic/case/solver.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace tessera::shot {

/// Writes a snapshot file of the model, sources and receivers alone. Collective; the model must be
/// loaded.
void write_model(const ShotCase& shot, const std::filesystem::path& path);

/// The checkpoints of a shot in its directory. A checkpoint holds u, the u before it and phi, or
/// the memory of convolutional layers, of the global grid, the step, what the receivers recorded
/// until then, and the shot's identity. Of several ranks all make the same calls; each writes and
/// reads its cells, and the first has the samples. On how many ranks a checkpoint was written makes
/// no difference to it.
class ShotCheckpoints {
 public:
  /// The shot continues from the directory's checkpoint, if there is one. Throws Error for a
  /// checkpoint of another shot, and for one that cannot be read or is
  /// damaged.
  ShotCheckpoints(const ShotCase& shot, const std::filesystem::path& directory);

  /// The step to restart from; 0: from fields at rest.
  [[nodiscard]] std::int64_t first_step() const { return first_step_; }
  /// samples[step * receivers + receiver] recorded until now.
  [[nodiscard]] const std::vector<float>& samples() const { return samples_; }
  [[nodiscard]] const ShotIdentity& identity() const { return identity_; }

  /// Sets the fields to those of first_step().
  template <class Real>
  void restore(acoustic::Solver<Real>& solver) const;

  /// Whether checkpoints are written at all.
  [[nodiscard]] bool wanted() const { return every_.wanted(); }
  /// Takes what the receivers recorded, `count` numbers; on the first rank.
  void record(const float* samples, std::size_t count);
  /// Whether one is due after `step` steps. With several ranks the first one's clock counts; it
  /// is queried every few steps.
  [[nodiscard]] bool due(std::int64_t step) const;
  /// Writes one after `step` steps, whose samples have all been recorded.
  template <class Real>
  void write(const acoustic::Solver<Real>& solver, std::int64_t step);
  /// Whether a directory has one.
  [[nodiscard]] static bool exists(const std::filesystem::path& directory);
  /// Removes that of this shot, which is complete.
  void remove() const;

 private:
  using Clock = std::chrono::steady_clock;

  comm::Ranks ranks_;
  io::Writers writers_;
  std::vector<io::CheckpointArray> arrays_;
  CheckpointEvery every_;
  std::filesystem::path path_;
  ShotIdentity identity_;
  io::CheckpointHead head_;
  std::int64_t first_step_ = 0;
  std::vector<float> samples_;
  std::int64_t last_step_ = 0;
  Clock::time_point last_time_ = Clock::now();
};

/// Gather and snapshots while they grow. Until finish() they have names with ".part"; without
/// finish() what was recorded stays under those names. With several ranks all make the same
/// calls, and an error is thrown on all; gather() and abandon() are not collective, and gather() is
/// the first's alone.
class ShotFiles {
 public:
  /// Creates the files in the shot's folder; where that has a checkpoint they hold what was
  /// recorded before it. Throws Error for too little disk space, a checkpoint that is damaged, and
  /// support that is not built in.
  ShotFiles(const ShotCase& shot, const ShotOutput& output);

  /// Appends samples[step * receivers + receiver].
  template <class Real>
  void gather(const Real* samples, std::int64_t steps);
  /// Of the next planned step: what of it this rank has.
  void snapshot(const float* values);
  [[nodiscard]] ShotCheckpoints& checkpoints() { return checkpoints_; }
  [[nodiscard]] const ShotCheckpoints& checkpoints() const { return checkpoints_; }
  /// Writes a checkpoint after `step` steps, all that was recorded until then being on the disk.
  template <class Real>
  void checkpoint(const acoustic::Solver<Real>& solver, std::int64_t step);

  /// Completes the files with what they hold and gives them their names.
  void finish();
  /// After an error: closes the files and returns the names of those that hold data, ".part" and
  /// all; empty where nothing was recorded yet.
  [[nodiscard]] std::vector<std::string> abandon();
  /// What finish() left, without the directory.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// Bytes of each of them, for shot.json.
  [[nodiscard]] nlohmann::json bytes() const;
  [[nodiscard]] int segy_interval_us() const { return gather_ ? gather_->segy_interval_us() : 0; }

 private:
  void create_gather(const ShotCase& shot, const ShotOutput& output);
  void create_snapshots(const ShotCase& shot, const ShotOutput& output);

  comm::Ranks ranks_;
  std::filesystem::path directory_;
  ShotCheckpoints checkpoints_;
  std::size_t receivers_;
  std::vector<float> converted_;
  std::unique_ptr<io::GatherWriter> gather_;
  std::unique_ptr<io::SnapshotWriter> snapshots_;
  double half_scale_ = 0;              // of snapshots in IEEE half
  std::vector<std::uint16_t> halves_;  // of one
  std::vector<std::string> names_;
};

}  // namespace tessera::shot
