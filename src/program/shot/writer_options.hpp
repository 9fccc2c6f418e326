// SPDX-License-Identifier: Apache-2.0
// What the writers of a shot's gather and snapshots are told.
#pragma once

#include "program/seismic/gather.hpp"
#include "program/seismic/snapshots.hpp"
#include "program/shot/deck.hpp"
#include "program/shot/output.hpp"

#include <cstdint>

namespace tessera::shot {

/// Of gather.csv and gather.sgy, where they are wanted.
[[nodiscard]] io::GatherOptions gather_options(const ShotCase& shot, const ShotOutput& output);

/// Bytes that these files take on the disk.
[[nodiscard]] std::uint64_t gather_bytes(const ShotCase& shot, const ShotOutput& output);

/// Bytes of snapshots.h5, about.
[[nodiscard]] std::uint64_t snapshot_bytes(const ShotCase& shot);

/// Of snapshots.h5, with a list of all steps: ask first whether there is room for them.
[[nodiscard]] io::SnapshotOptions snapshot_options(const ShotCase& shot, const ShotOutput& output);

}  // namespace tessera::shot
