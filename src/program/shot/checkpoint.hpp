// SPDX-License-Identifier: Apache-2.0
// checkpoint.h5: the state of a shot, written now and then, and read to go on.
#pragma once

#include "program/seismic/checkpoint.hpp"
#include "program/seismic/part_file.hpp"
#include "program/shot/identity.hpp"
#include "variants/acoustic/case/solver.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tessera::shot {

/// The checkpoints of a shot in its directory. A checkpoint holds u, the u before it and phi of the
/// global grid, the step, what the receivers recorded until then, and the shot's identity. Of
/// several ranks all make the same calls; each writes and reads its cells, and the first has the
/// samples. On how many ranks a checkpoint was written makes no difference to it.
class ShotCheckpoints {
 public:
  /// The shot continues from the directory's checkpoint, if there is one. Throws Error for a
  /// checkpoint of another shot, naming what differs, and for one that cannot be read or is
  /// damaged.
  ShotCheckpoints(const ShotCase& shot, const std::filesystem::path& directory);

  /// Collective. Throws Error where a restart in that directory would find a checkpoint to be of
  /// another shot, unreadable or damaged. Reads all of it, and writes nothing.
  static void require_usable(const ShotCase& shot, const std::filesystem::path& directory);

  /// The step to restart from; 0: from fields at rest.
  [[nodiscard]] std::int64_t first_step() const { return first_step_; }
  /// samples[step * receivers + receiver] recorded until now.
  [[nodiscard]] const std::vector<float>& samples() const { return samples_; }
  [[nodiscard]] const ShotIdentity& identity() const { return identity_; }

  /// Sets u, the u before it and phi to those of first_step().
  template <class Real>
  void restore(acoustic::Solver<Real>& solver) const;

  /// Whether checkpoints are written at all.
  [[nodiscard]] bool wanted() const { return every_.wanted(); }
  /// Takes what the receivers recorded, `count` numbers; on the first rank.
  void record(const float* samples, std::size_t count);
  /// Whether one is due after `step` steps. Of several ranks the first has the clock, and is asked
  /// every few steps.
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
  io::CellBox box_;  // of this rank
  CheckpointEvery every_;
  std::filesystem::path path_;
  ShotIdentity identity_;
  io::CheckpointHead head_;
  std::int64_t first_step_ = 0;
  std::vector<float> samples_;
  std::int64_t last_step_ = 0;
  Clock::time_point last_time_ = Clock::now();
};

}  // namespace tessera::shot
