// SPDX-License-Identifier: Apache-2.0
// What an earlier run left in its snapshot file, for one that goes on.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "program/seismic/snapshots.hpp"

namespace tessera::io {

/// Name of the dataset that counts the snapshots written.
inline constexpr const char* kSnapshotsWritten = "/snapshots_written";

/// The samples `box` of a field of a snapshot file. Throws Error where it is not there in the shape
/// that `options` has.
[[nodiscard]] std::vector<float> read_snapshot(const std::filesystem::path& path,
                                               const std::string& name,
                                               const SnapshotOptions& options, const CellBox& box);

/// The file, growing or finished, that holds the first `written` snapshots. Throws Error where none
/// does, with the way out. Of `options` only the path matters. One process asks.
[[nodiscard]] std::filesystem::path earlier_snapshots(const SnapshotOptions& options,
                                                      std::size_t written);

}  // namespace tessera::io
