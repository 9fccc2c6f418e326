// SPDX-License-Identifier: Apache-2.0
// The state of a shot between two steps, in one HDF5 file: what it takes to continue.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "program/seismic/model_files.hpp"
#include "program/seismic/part_file.hpp"

namespace tessera::io {

/// What a checkpoint says of itself.
struct CheckpointHead {
  std::string identity;        ///< what the shot computes, in text; the caller compares it
  std::int64_t step = 0;       ///< steps done
  ModelShape shape;            ///< of the global grid, layers included
  int value_bytes = 4;         ///< of a field's value: 4 or 8
  std::int64_t receivers = 0;  ///< samples a step
};

/// Fills, or takes, the planes [z, z + count) of a field's box, counted from its first: values
/// [z][y][x] of the box in the shot's precision.
using FillPlanes = std::function<void(std::int64_t z, std::int64_t count, void* values)>;
using TakePlanes = std::function<void(std::int64_t z, std::int64_t count, const void* values)>;

/// A field of the global grid, without halo, and where the values of this process come from.
struct CheckpointField {
  std::string name;
  FillPlanes fill;
};

/// Writes attributes `identity`, `step`, the fields as datasets [z][y][x] of float32 or float64,
/// `samples`, [step][receiver] of float32: what the receivers recorded until then, and `sums`: a
/// checksum of each field in their order and of the samples. Under
/// part_path(path) until all of it is on the disk, then renamed: a checkpoint is there whole, the
/// one before it or this one. Fields go through a buffer of a few planes. With several writers
/// each writes its `box` of the fields; the first has the samples. Throws Error where the disk
/// refuses it, which leaves the one before and no part of this one, and in a build without HDF5.
void write_checkpoint(const std::filesystem::path& path, const CheckpointHead& head,
                      const std::vector<CheckpointField>& fields, const std::vector<float>& samples,
                      const CellBox& box, const Writers& writers = {});
/// The same of a whole grid that one process has.
inline void write_checkpoint(const std::filesystem::path& path, const CheckpointHead& head,
                             const std::vector<CheckpointField>& fields,
                             const std::vector<float>& samples) {
  write_checkpoint(path, head, fields, samples, whole(head.shape));
}

/// Bytes of such a file.
[[nodiscard]] inline std::uint64_t checkpoint_bytes(const CheckpointHead& head, int fields) {
  const auto field = static_cast<std::uint64_t>(head.shape.cells() * head.value_bytes);
  return static_cast<std::uint64_t>(fields) * field +
         4 * static_cast<std::uint64_t>(head.step * head.receivers) +
         8 * static_cast<std::uint64_t>(fields + 1);
}

/// Throw Error for a file that cannot be read, is no checkpoint, or lacks a part, and for samples
/// that are not those of their checksum.
[[nodiscard]] CheckpointHead read_checkpoint_head(const std::filesystem::path& path);
[[nodiscard]] std::vector<float> read_checkpoint_samples(const std::filesystem::path& path);
/// With several writers all make the call, each with its `box` of the fields. Throws Error where
/// the values of one of the fields `names`, in the order in which they were written, are not those
/// of its checksum. Reads every field once.
void require_undamaged(const std::filesystem::path& path, const std::vector<std::string>& names,
                       const CellBox& box, const Writers& writers = {});
/// The cells of `box` of a field, whatever its checksum says.
void read_checkpoint_field(const std::filesystem::path& path, const std::string& name,
                           const CellBox& box, const TakePlanes& take);

}  // namespace tessera::io
