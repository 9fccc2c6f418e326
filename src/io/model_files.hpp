// SPDX-License-Identifier: Apache-2.0
// Readers of velocity files. What the numbers mean (unit, spacing) is decided by load_model().
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tessera::io {

/// Values as they are in a file: z slowest, x fastest.
struct ModelFile {
  std::int64_t nx = 0, ny = 0, nz = 0;
  std::vector<float> values;
};

/// Reads little-endian float32 values; the file must hold exactly nx * ny * nz of them.
/// Throws Error with the bytes found and wanted otherwise.
[[nodiscard]] ModelFile read_raw_model(const std::filesystem::path& path, std::int64_t nx,
                                       std::int64_t ny, std::int64_t nz);

/// Reads a dataset of shape [z][x] (then ny = 1) or [z][y][x] of any number type.
/// Throws Error when the file, the dataset or HDF5 support is missing.
[[nodiscard]] ModelFile read_hdf5_model(const std::filesystem::path& path,
                                        const std::string& dataset);

/// Reads a SEG-Y file with a trace (nz samples, first on top) for each column, x fastest, then y.
/// nx = 0 means: all traces lie along x. Throws Error when the number of traces isn't nx * ny, for
/// sample formats other than 4-byte IBM and IEEE floats, and when SEG-Y support is missing.
[[nodiscard]] ModelFile read_segy_model(const std::filesystem::path& path, std::int64_t nx,
                                        std::int64_t ny);

/// Whether this build reads and writes HDF5 and SEG-Y files.
[[nodiscard]] bool have_hdf5();
[[nodiscard]] bool have_segy();

}  // namespace tessera::io
