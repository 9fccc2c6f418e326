// SPDX-License-Identifier: Apache-2.0
// Where the files of a shot go, which ones are requested, and whether they can be written.
#pragma once

#include "base/io/deck.hpp"
#include "program/seismic/gather.hpp"
#include "program/seismic/snapshots.hpp"
#include "program/shot/deck.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tessera::shot {

/// Where the files go and which ones are requested.
struct ShotOutput {
  std::filesystem::path directory = {};  ///< of the run's folder
  bool csv = true;
  bool segy = true;
  int segy_interval_us = 0;  ///< between the samples of gather.sgy; 0: io::segy_interval()
};

/// Reads output.csv, output.segy (true where SEG-Y support is built in) and
/// output.segy_interval_ms. Throws Error for bad values.
[[nodiscard]] ShotOutput read_shot_output(const io::Deck& deck);

/// Names of the files that hold what is recorded, without the directory.
[[nodiscard]] std::vector<std::string> recorded_names(const ShotCase& shot,
                                                      const ShotOutput& output);

/// Throws Error where no requested file would record anything, and where one cannot hold what
/// the shot will record (io::plan_segy()). The model must be loaded, on which the steps may depend.
void check_output(const ShotCase& shot, const ShotOutput& output);

/// Of gather.csv and gather.sgy, where they are requested.
[[nodiscard]] io::GatherOptions gather_options(const ShotCase& shot, const ShotOutput& output);

/// Steps that a shot of a duration makes beyond it, so that the last samples of gather.sgy are not
/// extrapolated.
[[nodiscard]] std::int64_t steps_beyond(const ShotCase& shot, const ShotOutput& output);

/// Bytes that these files take on the disk.
[[nodiscard]] std::uint64_t gather_bytes(const ShotCase& shot, const ShotOutput& output);

/// Bytes of snapshots.h5, about.
[[nodiscard]] std::uint64_t snapshot_bytes(const ShotCase& shot);

/// Of snapshots.h5, with a list of all steps: check first whether there is room for them.
[[nodiscard]] io::SnapshotOptions snapshot_options(const ShotCase& shot, const ShotOutput& output);

}  // namespace tessera::shot
