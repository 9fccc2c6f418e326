// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/checkpoint.hpp"

#include <algorithm>
#include <cstring>
#include <system_error>

#include "base/io/atomic_file.hpp"
#include "base/support/error.hpp"
#include "program/seismic/hdf5_handle.hpp"
#include "program/seismic/part_file.hpp"

namespace tessera::io {

namespace fs = std::filesystem;

namespace {

/// A sum over values, modulo 2^64, of a mix of each one's bits and of its place in the whole array:
/// those of parts, in any order, add up to that of the whole. Any change within one value changes
/// it, since the mix (a product and a fold) differs for any two words. Made for speed: against
/// faults of disks, not against forgers.
template <class Word>
std::uint64_t sum_of(const void* values, std::size_t count, std::uint64_t place) {
  constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15ULL;
  constexpr std::uint64_t kFactor = 0xbf58476d1ce4e5b9ULL;
  const char* const first = static_cast<const char*>(values);
  std::uint64_t sum = 0, step = place * kStep;
  for (std::size_t i = 0; i < count; ++i, step += kStep) {
    Word word = 0;
    std::memcpy(&word, first + i * sizeof(Word), sizeof(Word));
    const std::uint64_t product = (step ^ word) * kFactor;
    sum += product ^ (product >> 32);
  }
  return sum;
}

/// The same of the cells of `box`, values[z][y][x], of an array.
std::uint64_t sum_of(const void* values, const CellBox& box, const CheckpointArray& array) {
  const ModelShape& shape = array.shape;
  const int value_bytes = array.value_bytes;
  const char* row = static_cast<const char*>(values);
  const auto count = static_cast<std::size_t>(box.nx());
  std::uint64_t sum = 0;
  for (std::int64_t z = box.z0; z < box.z1; ++z) {
    for (std::int64_t y = box.y0; y < box.y1; ++y) {
      const auto place = static_cast<std::uint64_t>((z * shape.ny + y) * shape.nx + box.x0);
      sum += value_bytes == 2   ? sum_of<std::uint16_t>(row, count, place)
             : value_bytes == 4 ? sum_of<std::uint32_t>(row, count, place)
                                : sum_of<std::uint64_t>(row, count, place);
      row += count * static_cast<std::size_t>(value_bytes);
    }
  }
  return sum;
}

constexpr std::int64_t kWriteBuffer = std::int64_t{32} << 20;
constexpr const char* kSamples = "samples";
constexpr const char* kSums = "sums";

/// As many planes of a box as the buffer holds, one at least.
std::int64_t planes_at_once(const CellBox& box, int value_bytes) {
  const std::int64_t plane = box.nx() * box.ny() * value_bytes;
  return std::clamp<std::int64_t>(kWriteBuffer / std::max<std::int64_t>(plane, 1), 1,
                                  std::max<std::int64_t>(box.nz(), 1));
}

hid_t type_of(int value_bytes) {
  return value_bytes == 2   ? H5T_NATIVE_UINT16
         : value_bytes == 4 ? H5T_NATIVE_FLOAT
                            : H5T_NATIVE_DOUBLE;
}

/// Calls body(z, slab, buffer) for all planes of a box, a few at a time: the first one's number in
/// the box, and what they are of the array.
template <class Body>
void for_each_slab(const CellBox& box, int value_bytes, const Body& body) {
  if (box.empty()) return;
  const std::int64_t most = planes_at_once(box, value_bytes);
  std::vector<char> buffer(static_cast<std::size_t>(most * box.ny() * box.nx() * value_bytes));
  for (std::int64_t z = 0; z < box.nz(); z += most) {
    CellBox slab = box;
    slab.z0 = box.z0 + z;
    slab.z1 = std::min(slab.z0 + most, box.z1);
    body(z, slab, buffer.data());
  }
}

void write_number(hid_t file, const char* name, std::int64_t value, const std::string& text) {
  write_attribute(file, name, H5T_NATIVE_INT64, {}, &value, text);
}

std::int64_t read_number(hid_t file, const char* name, const std::string& text) {
  const Hdf5Handle attribute(H5Aopen(file, name, H5P_DEFAULT), H5Aclose, text);
  std::int64_t value = 0;
  check_hdf5(H5Aread(attribute, H5T_NATIVE_INT64, &value), text);
  return value;
}

/// Whether a file is large enough for so many values: what a damaged header claims takes no memory.
bool may_hold(const fs::path& path, double values, int bytes) {
  std::error_code unknown;
  const std::uintmax_t size = fs::file_size(path, unknown);
  return !unknown && values * bytes <= static_cast<double>(size);
}

std::string reading(const fs::path& path) {
  return fmt::format("cannot read the checkpoint {}", path.string());
}

/// Reads of a checkpoint; errors say what to do about it.
template <class Read>
auto or_tell(const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    fail("{}; remove it, and the shot begins at step 0", error.what());
  }
}

Hdf5Shape extents_of(const ModelShape& n) {
  return {static_cast<hsize_t>(n.nz), static_cast<hsize_t>(n.ny), static_cast<hsize_t>(n.nx)};
}

Hdf5Shape samples_shape(const CheckpointHead& head) {
  return {static_cast<hsize_t>(head.step), static_cast<hsize_t>(head.receivers)};
}

CheckpointHead read_head(hid_t file, const std::string& text) {
  CheckpointHead head;
  head.identity = text_attribute(file, "identity", text);
  head.step = read_number(file, "step", text);
  head.receivers = read_number(file, "receivers", text);
  head.value_bytes = static_cast<int>(read_number(file, "value_bytes", text));
  head.shape = {read_number(file, "nx", text), read_number(file, "ny", text),
                read_number(file, "nz", text)};
  check_shape(head.shape, text);
  require((head.value_bytes == 4 || head.value_bytes == 8) && head.step >= 0 && head.receivers >= 0,
          "{}: it is damaged", text);
  return head;
}

/// The checksums of all fields in their order, then that of the samples.
std::vector<std::uint64_t> read_sums(hid_t file, const std::string& text) {
  require(H5Lexists(file, kSums, H5P_DEFAULT) > 0,
          "{}: it has no checksums: it is damaged, or an older version wrote it", text);
  const Hdf5Handle data = open_data(file, kSums, text);
  const Hdf5Shape shape = shape_of(data, text);
  constexpr hsize_t kMost = 64;
  require(shape.size() == 1 && shape[0] >= 1 && shape[0] <= kMost, "{}: its checksums are damaged",
          text);
  std::vector<std::uint64_t> sums(shape[0]);
  check_hdf5(H5Dread(data, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, sums.data()), text);
  return sums;
}

std::uint64_t sum_of_samples(const std::vector<float>& samples) {
  return sum_of<std::uint32_t>(samples.data(), samples.size(), 0);
}

/// The file with its samples and without the fields' values and the checksums, whose places it
/// returns.
std::vector<std::uint64_t> create(const fs::path& part, const CheckpointHead& head,
                                  const std::vector<CheckpointField>& fields,
                                  const std::vector<float>& samples, const std::string& text) {
  Hdf5Handle file = create_hdf5(part, text);
  const Hdf5Handle characters(H5Tcopy(H5T_C_S1), H5Tclose, text);
  check_hdf5(H5Tset_size(characters, std::max<std::size_t>(head.identity.size(), 1)), text);
  write_attribute(file, "identity", characters, {}, head.identity.c_str(), text);
  write_number(file, "step", head.step, text);
  write_number(file, "receivers", head.receivers, text);
  write_number(file, "value_bytes", head.value_bytes, text);
  write_number(file, "nx", head.shape.nx, text);
  write_number(file, "ny", head.shape.ny, text);
  write_number(file, "nz", head.shape.nz, text);
  std::vector<std::uint64_t> places;
  for (const CheckpointField& field : fields) {
    places.push_back(
        set_aside(file, field.name, type_of(field.value_bytes), extents_of(field.shape), text));
  }
  places.push_back(set_aside(file, kSums, H5T_NATIVE_UINT64, {fields.size() + 1}, text));
  write_data(file, kSamples, H5T_NATIVE_FLOAT, samples_shape(head), samples.data(), text);
  file.close(text);
  return places;
}

/// One writer's boxes of the fields, into the places set aside, and what of their checksums it is.
/// `sync`: to the disk, now.
std::vector<std::uint64_t> write_values(const fs::path& part,
                                        const std::vector<CheckpointField>& fields,
                                        const std::vector<std::uint64_t>& offsets,
                                        const std::string& text, bool sync) {
  const PartFile file(part, PartFile::write_only, text);
  std::vector<std::uint64_t> sums(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const ModelShape& shape = fields[i].shape;
    const int bytes = fields[i].value_bytes;
    const ArrayPlace place{offsets[i], shape.nx, shape.ny, shape.nz, bytes};
    for_each_slab(fields[i].box, bytes, [&](std::int64_t z, const CellBox& slab, char* buffer) {
      fields[i].fill(z, slab.nz(), buffer);
      file.write(place, slab, buffer);
      sums[i] += sum_of(buffer, slab, fields[i]);
    });
  }
  if (sync) file.sync();
  return sums;
}

}  // namespace

void write_checkpoint(const fs::path& path, const CheckpointHead& head,
                      const std::vector<CheckpointField>& fields, const std::vector<float>& samples,
                      const Writers& writers) {
  const Hdf5Quiet quiet;
  const std::string text = fmt::format("cannot write the checkpoint {}", path.string());
  fs::path part;
  writers.together([&] { part = part_path(path); });
  try {
    // 1. All but the fields' values and the checksums, by the first.
    std::vector<std::uint64_t> offsets(fields.size() + 1);
    writers.on_first([&] { offsets = create(part, head, fields, samples, text); });
    offsets = writers.share(offsets);
    // 2. The values, by all.
    std::vector<std::uint64_t> sums(fields.size());
    writers.together([&] {
      // The first's reach the disk with the name.
      sums = write_values(part, fields, offsets, text, !writers.first);
    });
    sums = writers.sum(sums);
    sums.push_back(sum_of_samples(samples));
    // 3. The checksums and its name.
    writers.on_first([&] {
      const ModelShape shape{static_cast<std::int64_t>(sums.size()), 1, 1};
      PartFile(part, PartFile::write_only, text)
          .write({offsets.back(), shape.nx, 1, 1, 8}, whole(shape), sums.data());
      sync_and_rename(part, path);
    });
  } catch (...) {
    std::error_code ignored;
    if (writers.first) fs::remove(part, ignored);
    throw;
  }
}

CheckpointHead read_checkpoint_head(const fs::path& path) {
  const Hdf5Quiet quiet;
  return or_tell([&] {
    const std::string text = reading(path);
    const Hdf5Handle file = open_hdf5(path, text);
    return read_head(file, text);
  });
}

std::vector<float> read_checkpoint_samples(const fs::path& path) {
  const Hdf5Quiet quiet;
  return or_tell([&] {
    const std::string text = reading(path);
    const Hdf5Handle file = open_hdf5(path, text);
    const CheckpointHead head = read_head(file, text);
    const Hdf5Handle data = open_data(file, kSamples, text);
    require(
        shape_of(data, text) == samples_shape(head) &&
            may_hold(path, static_cast<double>(head.step) * static_cast<double>(head.receivers), 4),
        "{}: its samples are damaged", text);
    std::vector<float> samples(static_cast<std::size_t>(head.step * head.receivers));
    if (!samples.empty()) {
      check_hdf5(H5Dread(data, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, samples.data()),
                 text);
    }
    require(sum_of_samples(samples) == read_sums(file, text).back(),
            "{}: its samples are damaged: they do not match their checksum", text);
    return samples;
  });
}

void require_undamaged(const fs::path& path, const std::vector<CheckpointArray>& fields,
                       const Writers& writers) {
  const Hdf5Quiet quiet;
  const std::string text = reading(path);
  std::vector<std::uint64_t> stored, found(fields.size());
  writers.together([&] {
    or_tell([&] {
      const Hdf5Handle file = open_hdf5(path, text);
      const CheckpointHead head = read_head(file, text);
      stored = read_sums(file, text);
      require(stored.size() == fields.size() + 1, "{}: it has {} checksums, expected {}", text,
              stored.size(), fields.size() + 1);
      for (std::size_t i = 0; i < fields.size(); ++i) {
        read_checkpoint_field(path, fields[i],
                              [&](std::int64_t z, std::int64_t count, const void* values) {
                                CellBox slab = fields[i].box;
                                slab.z0 += z;
                                slab.z1 = slab.z0 + count;
                                found[i] += sum_of(values, slab, fields[i]);
                              });
      }
    });
  });
  found = writers.sum(found);
  writers.together([&] {
    or_tell([&] {
      for (std::size_t i = 0; i < fields.size(); ++i) {
        require(found[i] == stored[i],
                "{}: its field {} is damaged: its values do not match their checksum", text,
                fields[i].name);
      }
    });
  });
}

void read_checkpoint_field(const fs::path& path, const CheckpointArray& field,
                           const TakePlanes& take) {
  const Hdf5Quiet quiet;
  const std::string text = reading(path);
  const Hdf5Handle file = open_hdf5(path, text);
  const int bytes = field.value_bytes;
  const Hdf5Handle data = open_data(file, field.name, text);
  require(shape_of(data, text) == extents_of(field.shape) &&
              may_hold(path, static_cast<double>(field.shape.cells()), bytes),
          "{}: its field {} is damaged", text, field.name);
  for_each_slab(field.box, bytes, [&](std::int64_t z, const CellBox& slab, char* buffer) {
    read_box(data, slab, type_of(bytes), buffer, text);
    take(z, slab.nz(), buffer);
  });
}

}  // namespace tessera::io
