// SPDX-License-Identifier: Apache-2.0
// The state of a shot between two steps, in one HDF5 file: what it takes to continue.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
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
/// [z][y][x] of the box as the array has them.
using FillPlanes = std::function<void(std::int64_t z, std::int64_t count, void* values)>;
using TakePlanes = std::function<void(std::int64_t z, std::int64_t count, const void* values)>;

/// A field without halo, of all processes, and the box of it that this one has.
struct CheckpointArray {
  std::string name;
  ModelShape shape;
  CellBox box;
  int value_bytes;  ///< of floats 4 or 8; 2: the bits of another format
};

/// One of the global grid that this process has all of.
[[nodiscard]] inline CheckpointArray whole_array(std::string name, const CheckpointHead& head) {
  return {std::move(name), head.shape, whole(head.shape), head.value_bytes};
}

/// And where its values come from.
struct CheckpointField : CheckpointArray {
  FillPlanes fill;
};

/// Bytes of a checkpoint.
[[nodiscard]] inline std::uint64_t checkpoint_bytes(const CheckpointHead& head,
                                                    const std::vector<CheckpointArray>& fields) {
  std::uint64_t bytes = 4 * static_cast<std::uint64_t>(head.step * head.receivers);
  for (const CheckpointArray& field : fields)
    bytes += static_cast<std::uint64_t>(field.shape.cells() * field.value_bytes) + 8;
  return bytes + 8;
}

/// Writes attributes `identity`, `step`, the fields as datasets [z][y][x],
/// `samples`, [step][receiver] of float32: what the receivers recorded until then, and `sums`: a
/// checksum of each field in their order and of the samples. Under
/// part_path(path) until all of it is on the disk, then renamed: a checkpoint is there whole, the
/// one before it or this one. Fields go through a buffer of a few planes. With several writers
/// each writes its box of the fields; the first has the samples. Throws Error where the disk
/// refuses it, which leaves the one before and no part of this one, and in a build without HDF5.
void write_checkpoint(const std::filesystem::path& path, const CheckpointHead& head,
                      const std::vector<CheckpointField>& fields, const std::vector<float>& samples,
                      const Writers& writers = {});

/// Throw Error for a file that cannot be read, is no checkpoint, or lacks a part, and for samples
/// that are not those of their checksum.
[[nodiscard]] CheckpointHead read_checkpoint_head(const std::filesystem::path& path);
[[nodiscard]] std::vector<float> read_checkpoint_samples(const std::filesystem::path& path);
/// With several writers all make the call, each with its box of the fields. Throws Error where
/// the values of one of the fields, in the order in which they were written, are not those
/// of its checksum. Reads every field once.
void require_undamaged(const std::filesystem::path& path,
                       const std::vector<CheckpointArray>& fields, const Writers& writers = {});
/// The cells of the box of a field, whatever its checksum says.
void read_checkpoint_field(const std::filesystem::path& path, const CheckpointArray& field,
                           const TakePlanes& take);

}  // namespace tessera::io
