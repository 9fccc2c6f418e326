// SPDX-License-Identifier: Apache-2.0
// checkpoint.h5: the state of a shot, written now and then, and read to go on.
#pragma once

#include "program/seismic/checkpoint.hpp"
#include "program/seismic/writers.hpp"
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
  /// With `restart` the shot goes on from the directory's checkpoint, if there is one; else an
  /// earlier shot's gets a name of its own (io::set_aside). Throws Error for a checkpoint of
  /// another shot, naming what differs, and for one that cannot be read or is damaged.
  ShotCheckpoints(const ShotCase& shot, const std::filesystem::path& directory, bool restart);

  /// Collective. Throws Error where a restart in that directory would find a checkpoint to be of
  /// another shot, unreadable or damaged. Reads all of it, and writes nothing. Returns its step, 0
  /// where there is none.
  static std::int64_t require_usable(const ShotCase& shot, const std::filesystem::path& directory);

  /// The step to restart from; 0: from fields at rest.
  [[nodiscard]] std::int64_t first_step() const { return first_step_; }
  /// samples[step * receivers + receiver] recorded until now.
  [[nodiscard]] const std::vector<float>& samples() const { return samples_; }
  /// The name that an earlier shot's checkpoint got; empty where there was none.
  [[nodiscard]] const std::filesystem::path& set_aside() const { return aside_; }
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
  /// Removes that of this shot, which is complete; another's stays.
  static void remove(const ShotCase& shot, const std::filesystem::path& directory);

 private:
  using Clock = std::chrono::steady_clock;

  /// Looks for the checkpoint to restart from; returns its step, 0 for none.
  [[nodiscard]] std::int64_t find(const ShotCase& shot, const std::filesystem::path& directory,
                                  bool restart);

  comm::Ranks ranks_;
  io::Writers writers_;
  io::CellBox box_;  // of this rank
  CheckpointEvery every_;
  std::filesystem::path path_;
  ShotIdentity identity_;
  io::CheckpointHead head_;
  std::int64_t first_step_ = 0;
  std::vector<float> samples_;
  std::filesystem::path aside_;
  std::int64_t last_step_ = 0;
  Clock::time_point last_time_ = Clock::now();
};

}  // namespace tessera::shot
