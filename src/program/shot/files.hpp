// SPDX-License-Identifier: Apache-2.0
// What a shot records, as it grows: gather.csv, gather.sgy, snapshots.h5 with snapshots.xdmf.
#pragma once

#include "program/seismic/gather.hpp"
#include "program/seismic/snapshots.hpp"
#include "program/shot/checkpoint.hpp"
#include "program/shot/output.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace tessera::shot {

/// Gather and snapshots while they grow. Until finish() they have names with ".part"; without
/// finish() what was recorded stays under those names. Of several ranks all make the same calls,
/// and what is thrown is thrown on all; gather() and abandon() are not collective, and gather() is
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
  std::vector<std::string> names_;
};

}  // namespace tessera::shot
