// SPDX-License-Identifier: Apache-2.0
// What the writers of a shot's gather and snapshots are told.
#pragma once

#include "io/gather.hpp"
#include "io/snapshots.hpp"
#include "shot/deck.hpp"
#include "shot/output.hpp"

#include <cstdint>

namespace tessera::shot {

/// Of gather.csv and gather.sgy, where they are wanted.
[[nodiscard]] io::GatherOptions gather_options(const ShotCase& shot, const ShotOutput& output);

/// Bytes that these files take on the disk.
[[nodiscard]] std::uint64_t gather_bytes(const ShotCase& shot, const ShotOutput& output);

/// Of snapshots.h5.
[[nodiscard]] io::SnapshotOptions snapshot_options(const ShotCase& shot, const ShotOutput& output);

}  // namespace tessera::shot
