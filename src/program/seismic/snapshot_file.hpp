// SPDX-License-Identifier: Apache-2.0
// The HDF5 file of snapshots, except for the values of its fields: what one process writes, whoever
// writes the values.
#pragma once

#include "program/seismic/snapshots.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tessera::io {

/// Creates the file with all its fields, none of them filled, and makes the disk set their bytes
/// aside. Returns the bytes at which the velocity and the planned snapshots begin. Throws Error,
/// beginning with `text`, as the functions below do; Interrupted, the file not whole, once a signal
/// came.
[[nodiscard]] std::vector<std::uint64_t> create_snapshot_file(const std::filesystem::path& path,
                                                              const SnapshotOptions& options,
                                                              const std::string& text);
/// Notes how many snapshots are filled.
void count_snapshot(const std::filesystem::path& path, std::size_t written,
                    const std::string& text);
/// Takes the names of those from number `written` on out of the file.
void drop_snapshots(const std::filesystem::path& path, const SnapshotOptions& options,
                    std::size_t written, const std::string& text);

/// How many snapshots a file holds; none where it is no such file.
[[nodiscard]] std::size_t snapshots_in(const std::filesystem::path& path);
/// The samples `box` of a field of a snapshot file, as floats of 4 or 2 bytes. Throws Error where
/// it is not there in the shape that `options` has.
void read_snapshot(const std::filesystem::path& path, const std::string& name,
                   const SnapshotOptions& options, const CellBox& box, int value_bytes,
                   void* values);

}  // namespace tessera::io
