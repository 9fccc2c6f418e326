// SPDX-License-Identifier: Apache-2.0
// Readers of velocity files. What the numbers mean (unit, spacing) is decided by load_model().
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "program/seismic/part_file.hpp"

namespace tessera::io {

/// Samples of a file along each axis: z slowest, x fastest.
struct ModelShape {
  std::int64_t nx = 0, ny = 0, nz = 0;

  /// The largest number there is, where a file's header claims more than that.
  [[nodiscard]] std::int64_t cells() const { return product(product(nx, ny), nz); }
  /// Of the values in memory; likewise.
  [[nodiscard]] std::int64_t bytes() const { return product(4, cells()); }

 private:
  [[nodiscard]] static std::int64_t product(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    const bool fits = !__builtin_mul_overflow(a, b, &result);
    return fits ? result : std::numeric_limits<std::int64_t>::max();
  }
};

/// All cells of a shape.
[[nodiscard]] inline CellBox whole(const ModelShape& n) { return {0, n.nz, 0, n.ny, 0, n.nx}; }

/// Values as they are in a file, all of it or the cells of a box.
struct ModelFile {
  ModelShape shape;  ///< of what was read
  std::vector<float> values;
};

/// Bytes of a regular file. Throws Error, beginning with `text`, where it is not one or is missing.
[[nodiscard]] std::uint64_t regular_file_bytes(const std::filesystem::path& path,
                                               const std::string& text);

/// Throws Error, beginning with `text`, where a shape is not a model's: an axis of no or more than
/// 2^31 samples, more than 2^40 in all.
void check_shape(const ModelShape& shape, const std::string& text);

/// An empty model of a shape, its memory allocated. Throws Error, beginning with `text`, where the
/// shape is not a model's (check_shape) or there is not enough memory.
[[nodiscard]] ModelFile allocate_model(const ModelShape& shape, const std::string& text);

/// Reads the cells of `part` of little-endian float32 values, whose axes are `order`, the slowest
/// first; the file must hold exactly as many as the shape. Throws Error with the bytes found and
/// expected otherwise, and where an order without y is of a shape that has it.
[[nodiscard]] ModelFile read_raw_model(const std::filesystem::path& path, const ModelShape& shape,
                                       const std::string& order, const CellBox& part);

/// What a file says of its own values must agree with the deck.
struct HeaderChecks {
  /// false: what a file says of itself is ignored, except for its shape
  bool headers = true;
  /// Spacings in m: the deck's, else the grid's, where known.
  std::optional<double> dz = std::nullopt, dx = std::nullopt, dy = std::nullopt;
  std::string quantity = "velocity_m_s";  ///< the deck's
};

/// The shape of a dataset of any number type, [z][x] (then ny = 1) or [z][y][x], and its values,
/// all or those of `part`. Throws Error when the file, the dataset, a filter or HDF5 support is
/// missing, where values lie in other files, and where `checks` find another form than the
/// documented one (docs/velocity.md) or a contradiction to the deck. Without checks values are
/// taken as they are, whatever quantity they are of.
[[nodiscard]] ModelShape hdf5_model_shape(const std::filesystem::path& path,
                                          const std::string& dataset,
                                          const HeaderChecks& checks = {.headers = false});
[[nodiscard]] ModelFile read_hdf5_model(const std::filesystem::path& path,
                                        const std::string& dataset, const CellBox& part,
                                        const HeaderChecks& checks = {.headers = false});
[[nodiscard]] inline ModelFile read_hdf5_model(const std::filesystem::path& path,
                                               const std::string& dataset) {
  return read_hdf5_model(path, dataset, whole(hdf5_model_shape(path, dataset)));
}

/// A SEG-Y file with a trace (nz samples, first on top) for each column, x fastest, then y. nx = 0:
/// all traces, shared evenly by ny rows; ny = 0 too: rows by in-line and cross-line numbers. Both
/// byte orders, revisions 0 to 2, samples as IBM or IEEE floats or as integers. Throws Error where
/// the traces are not nx * ny or of several lengths, where headers say feet, another spacing than
/// the deck, another order of traces or traces that are no data, for other formats, and without
/// SEG-Y support.
[[nodiscard]] ModelShape segy_model_shape(const std::filesystem::path& path, std::int64_t nx,
                                          std::int64_t ny, const HeaderChecks& checks);
/// Only the traces in `part` are read. Warns of times in headers that are
/// not followed: lags, statics, mutes.
[[nodiscard]] ModelFile read_segy_model(const std::filesystem::path& path, std::int64_t nx,
                                        std::int64_t ny, const HeaderChecks& checks,
                                        const CellBox& part);
[[nodiscard]] inline ModelFile read_segy_model(const std::filesystem::path& path, std::int64_t nx,
                                               std::int64_t ny, const HeaderChecks& checks) {
  return read_segy_model(path, nx, ny, checks, whole(segy_model_shape(path, nx, ny, checks)));
}

/// Whether this build reads and writes HDF5 and SEG-Y files.
[[nodiscard]] bool have_hdf5();
[[nodiscard]] bool have_segy();

}  // namespace tessera::io
