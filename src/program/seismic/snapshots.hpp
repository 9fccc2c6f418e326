// SPDX-License-Identifier: Apache-2.0
// Decimated snapshots of a wave field: HDF5 with an XDMF description that ParaView opens.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "program/seismic/part_file.hpp"
#include "program/seismic/segy.hpp"
#include "program/seismic/velocity_model.hpp"

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
  bool free_surface = false;      ///< No layer lies above the inner region.
  double time_step = 0;           ///< s
  std::vector<Position> sources;  ///< Stored for plots.
  std::vector<Position> receivers;
  std::vector<std::int64_t> planned;  ///< Steps after which a snapshot is taken, rising.
  double half_scale = 0;              ///< Pressures are IEEE half, times this; 0: float32.

  [[nodiscard]] int value_bytes() const { return half_scale > 0 ? 2 : 4; }  ///< of a pressure

  [[nodiscard]] std::int64_t cells() const { return x.count * y.count * z.count; }
  [[nodiscard]] CellBox whole() const { return {0, z.count, 0, y.count, 0, x.count}; }
  /// Place of the first sample, in m from the first inner cell, and between samples, in m; order
  /// z, y, x.
  [[nodiscard]] std::array<double, 3> origin() const;
  [[nodiscard]] std::array<double, 3> spacing() const;
  /// Name of the dataset of the field after a step.
  [[nodiscard]] static std::string dataset(std::int64_t step);
};

/// The cells that `options` keeps, out of a full grid's values (z slowest, x fastest): those of a
/// box of samples.
[[nodiscard]] std::vector<float> decimate(const VelocityModel& model,
                                          const SnapshotOptions& options, const CellBox& box);
[[nodiscard]] inline std::vector<float> decimate(const VelocityModel& model,
                                                 const SnapshotOptions& options) {
  return decimate(model, options, options.whole());
}

/// What of each snapshot this process has, which may be nothing, and who has the rest.
struct SnapshotPart {
  CellBox box;  ///< in samples
  Writers writers;
};

/// Writes snapshots one by one. The HDF5 file holds /velocity (m/s) and `/pressure/step_<n>`, all
/// float32 of shape [z][y][x], the latter with attributes time_s and step, or IEEE half
/// with an attribute scale_factor, as CF has it, and without XDMF, which has no name for it; /x, /y
/// and /z, the places along the axes (m), as their dimension scales; /snapshots_written, how many
/// of /pressure are filled in; /source_x, /receiver_z and so on (m), with scales /source and
/// /receiver of their numbers; attributes origin_m and spacing_m (both in axis_order: z, y, x),
/// time_step_s, pml_cells. Units, meanings and the direction of z are named as CF does. A snapshot
/// is a dataset of its own, not a part of one [time][z][y][x]: those that a run which ends early
/// did not take can then leave the file, where they would read as zeros. While the run continues
/// the files are
/// `<name>.part.h5` and `<name>.part.xdmf`. All that HDF5 keeps of the structure is written, and
/// the space of all snapshots taken, at the start: then a snapshot is values alone, and neither a
/// kill nor a failing write damages what is there. The HDF5 file is closed after each, so that it
/// can be opened at any time between; the XDMF is whole at any time. Values go to their places in
/// the file without HDF5, so that several processes write a snapshot together.
class SnapshotWriter {
 public:
  /// Creates the file with the decimated `velocity`, of several processes that of this one's part,
  /// as are the values that write() takes; what is thrown is thrown on all. For a run that
  /// continues the first `written` snapshots are copied from the file that it left, under the
  /// temporary name or the final one. Throws Error for bad options, an unwritable directory, a full
  /// disk, where neither file holds those snapshots, which stay then, and when HDF5 support is not
  /// built in; Interrupted once a signal came, nothing being left then.
  SnapshotWriter(SnapshotOptions options, const std::vector<float>& velocity,
                 std::size_t written = 0, std::optional<SnapshotPart> part = std::nullopt);
  SnapshotWriter(const SnapshotWriter&) = delete;
  SnapshotWriter& operator=(const SnapshotWriter&) = delete;
  /// Without finish() files that hold a snapshot stay under their temporary names; others are
  /// removed.
  ~SnapshotWriter();

  /// Fills in the wave field after the next planned step: values[z][y][x], decimated, of
  /// value_bytes().
  void write(const void* values);
  /// Makes the disk keep what was written, also where the power fails.
  void sync() const;
  /// Gives the files their final names.
  void finish();

  [[nodiscard]] std::size_t count() const { return written_; }
  [[nodiscard]] std::filesystem::path xdmf_path() const;

 private:
  /// With the first written_ snapshots of an earlier run.
  void create(const std::vector<float>& velocity);
  [[nodiscard]] std::filesystem::path find_earlier() const;
  /// The velocity, 0, or a snapshot, from 1 on.
  void fill(const PartFile& file, std::size_t field, const void* values) const;
  void describe(bool all);
  void write_xdmf(const std::string& hdf5_name);
  void remove_parts() noexcept;

  SnapshotOptions options_;
  SnapshotPart own_;
  std::filesystem::path part_, xdmf_part_;
  std::string text_;                   // how messages begin
  std::vector<std::uint64_t> places_;  // bytes at which the velocity and the snapshots begin
  std::size_t written_ = 0;            // of the planned snapshots
  std::size_t described_ = 0;          // snapshots that the growing XDMF names
  bool finished_ = false;
};

}  // namespace tessera::io
