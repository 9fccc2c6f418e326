// SPDX-License-Identifier: Apache-2.0
// Where a snapshot file's samples lie, and the XDMF that describes the file to ParaView.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "program/seismic/snapshots.hpp"

namespace tessera::io {

/// Place of the first sample, in m from the first inner cell; order z, y, x.
[[nodiscard]] std::array<double, 3> snapshot_origin(const SnapshotOptions& options);

/// Between samples, in m; order z, y, x.
[[nodiscard]] std::array<double, 3> snapshot_spacing(const SnapshotOptions& options);

/// Name of the dataset of the field after a step.
[[nodiscard]] std::string snapshot_dataset(std::int64_t step);

/// The XDMF of a file `hdf5_name` in which the first `written` of the planned snapshots are filled
/// in; of the velocity alone where none is.
[[nodiscard]] std::string snapshot_xdmf(const SnapshotOptions& options, std::size_t written,
                                        const std::string& hdf5_name);

}  // namespace tessera::io
