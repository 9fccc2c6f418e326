// SPDX-License-Identifier: Apache-2.0
// Decimated snapshots of a wave field: HDF5 with an XDMF description that ParaView opens.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "io/segy_writer.hpp"
#include "io/velocity_model.hpp"

namespace tessera::io {

/// Which cells of an axis a snapshot keeps: first, first + stride, ... (count of them).
struct SampledAxis {
  std::int64_t first = 0;
  std::int64_t stride = 1;
  std::int64_t count = 0;
};

/// Every `stride`-th of the cells [begin, end), beginning with the first.
/// Throws Error unless stride >= 1 and begin < end.
[[nodiscard]] SampledAxis sample_axis(std::int64_t begin, std::int64_t end, std::int64_t stride);

/// What a snapshot file holds, and how it is written.
struct SnapshotOptions {
  std::filesystem::path path;     ///< The HDF5 file; the XDMF lies beside it.
  SampledAxis x, y, z;            ///< Cells of the full grid, PML layers included.
  double dx = 0, dy = 0, dz = 0;  ///< Spacing of the full grid, m.
  std::int64_t pml_cells = 0;     ///< The coordinates' origin is the first inner cell.
  double time_step = 0;           ///< s
  std::vector<Position> sources;  ///< Stored for plots.
  std::vector<Position> receivers;
  int compression = 0;  ///< 0 to 9: deflate level, where HDF5 has the filter.

  [[nodiscard]] std::int64_t cells() const { return x.count * y.count * z.count; }
  /// Bytes of the velocity and of `snapshots` snapshots, uncompressed.
  [[nodiscard]] std::uint64_t file_bytes(std::int64_t snapshots) const {
    return 4ULL * static_cast<std::uint64_t>(cells()) * static_cast<std::uint64_t>(snapshots + 1);
  }
};

/// The cells that `options` keeps, out of a full grid's values (z slowest, x fastest).
[[nodiscard]] std::vector<float> decimate(const VelocityModel& model,
                                          const SnapshotOptions& options);

/// Writes snapshots one by one. The HDF5 file holds /velocity (m/s) and `/pressure/step_<n>`, all
/// float32 of shape [z][y][x], the latter with attributes time_s and step; /sources_m and
/// /receivers_m (rows x, y, z); attributes origin_m and spacing_m (both z, y, x), time_step_s,
/// pml_cells.
/// While the run goes on the files are `<name>.part.h5` and `<name>.part.xdmf`. The HDF5 file is
/// closed, and the XDMF rewritten, after each snapshot, so both can be opened at any time between.
class SnapshotWriter {
 public:
  /// Creates the file with the decimated `velocity`. Throws Error for bad options, an unwritable
  /// directory, a full disk, and when HDF5 support is not built in.
  SnapshotWriter(SnapshotOptions options, const std::vector<float>& velocity);
  SnapshotWriter(const SnapshotWriter&) = delete;
  SnapshotWriter& operator=(const SnapshotWriter&) = delete;
  /// Without finish() files that hold a snapshot stay under their temporary names; others are
  /// removed.
  ~SnapshotWriter();

  /// Appends the wave field after `step` steps, at time `time` (s): values[z][y][x], decimated.
  void write(std::int64_t step, double time, const float* values);
  /// Gives the files their final names; files of an earlier run stay whole until then.
  void finish();

  [[nodiscard]] std::size_t count() const { return steps_.size(); }
  [[nodiscard]] std::filesystem::path xdmf_path() const;

 private:
  void create(const std::vector<float>& velocity);
  void append(std::int64_t step, double time, const float* values);
  void describe(bool all);
  void remove_parts() noexcept;
  [[nodiscard]] std::string xdmf(const std::string& hdf5_name) const;

  SnapshotOptions options_;
  std::filesystem::path part_;
  std::vector<std::pair<std::int64_t, double>> steps_;  // step and time of each snapshot
  std::size_t described_ = 0;                           // snapshots that the growing XDMF names
  bool finished_ = false;
};

}  // namespace tessera::io
