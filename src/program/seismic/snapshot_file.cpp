// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/snapshot_file.hpp"

#include "base/support/error.hpp"
#include "base/support/interrupt.hpp"
#include "program/seismic/hdf5_handle.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <numeric>
#include <system_error>
#include <utility>

namespace tessera::io {

namespace fs = std::filesystem;

namespace {

/// Name of the dataset that counts the snapshots written: those after it are not filled yet.
constexpr const char* kSnapshotsWritten = "/snapshots_written";
/// The fields' axes, slowest first, by the names of their scales.
constexpr std::array<const char*, 3> kAxes = {"z", "y", "x"};

Hdf5Shape field_shape(const SnapshotOptions& o) {
  return {static_cast<hsize_t>(o.z.count), static_cast<hsize_t>(o.y.count),
          static_cast<hsize_t>(o.x.count)};
}

void write_text(hid_t object, const char* name, const char* value, const std::string& text) {
  check_hdf5(H5LTset_attribute_string(object, ".", name, value), text);
}

void describe(hid_t data, const char* units, const char* meaning, const std::string& text) {
  write_text(data, "units", units, text);
  write_text(data, "long_name", meaning, text);
}

/// A place along an axis: z is a depth.
void describe_axis(hid_t data, char axis, const std::string& text) {
  describe(data, "m", axis == 'z' ? "depth below the first inner cell" : "distance from it", text);
  if (axis == 'z') write_text(data, "positive", "down", text);
}

/// A dimension scale "receiver", its numbers, and "receiver_x" and so on along it.
void write_positions(hid_t file, const std::string& name, const std::vector<Position>& positions,
                     const std::string& text) {
  if (positions.empty()) return;
  std::vector<std::int64_t> numbers(positions.size());
  std::iota(numbers.begin(), numbers.end(), 1);
  write_data(file, name.c_str(), H5T_NATIVE_INT64, {numbers.size()}, numbers.data(), text,
             [&](hid_t data) { check_hdf5(H5DSset_scale(data, name.c_str()), text); });
  for (const auto& [axis, member] :
       {std::pair('x', &Position::x), std::pair('y', &Position::y), std::pair('z', &Position::z)}) {
    std::vector<double> places;
    for (const Position& p : positions) places.push_back(p.*member);
    write_data(file, (name + "_" + axis).c_str(), H5T_NATIVE_DOUBLE, {places.size()}, places.data(),
               text, [&, axis = axis](hid_t data) {
                 describe_axis(data, axis, text);
                 const Hdf5Handle scale = open_data(file, name, text);
                 check_hdf5(H5DSattach_scale(data, scale, 0), text);
               });
  }
}

/// A dimension scale of HDF5: the places of the samples along an axis, in m.
void write_scale(hid_t file, const char* axis, double first, double step, std::int64_t count,
                 const std::string& text) {
  std::vector<double> places;
  for (std::int64_t i = 0; i < count; ++i) places.push_back(first + static_cast<double>(i) * step);
  write_data(file, axis, H5T_NATIVE_DOUBLE, {places.size()}, places.data(), text, [&](hid_t data) {
    check_hdf5(H5DSset_scale(data, axis), text);
    describe_axis(data, *axis, text);
  });
}

/// Names the axes of a field by the file's scales, so that readers know its coordinates.
void name_axes(hid_t file, hid_t field, const SnapshotOptions& o, const std::string& text) {
  for (unsigned axis = 0; axis < kAxes.size(); ++axis) {
    H5DSset_label(field, axis, kAxes[axis]);
  }
  // A scale lists all that it belongs to, in an attribute of at most 64 KiB that is written anew
  // for each.
  constexpr std::size_t kMostAttached = 1000;
  if (o.planned.size() > kMostAttached) return;
  for (unsigned axis = 0; axis < kAxes.size(); ++axis) {
    Hdf5Handle scale = open_data(file, kAxes[axis], text);
    check_hdf5(H5DSattach_scale(field, scale, axis), text);
    scale.close(text);
  }
}

/// Makes the disk set aside all bytes of a file, where it can: then it cannot fill in the middle.
void reserve(const fs::path& path, const std::string& text) {
  std::error_code unknown;
  const std::uintmax_t bytes = fs::file_size(path, unknown);
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (unknown || descriptor < 0) return;
  const int error = ::fallocate(descriptor, 0, 0, static_cast<off_t>(bytes)) == 0 ? 0 : errno;
  ::close(descriptor);
  require(error != ENOSPC && error != EDQUOT, "{}: {}", text,
          std::generic_category().message(error));
}

}  // namespace

std::vector<std::uint64_t> create_snapshot_file(const fs::path& path, const SnapshotOptions& o,
                                                const std::string& text) {
  const Hdf5Quiet quiet;
  Hdf5Handle file = create_hdf5(path, text);
  const auto first = o.origin();
  const auto step = o.spacing();
  write_attribute(file, "origin_m", H5T_NATIVE_DOUBLE, {3}, first.data(), text);
  write_attribute(file, "spacing_m", H5T_NATIVE_DOUBLE, {3}, step.data(), text);
  write_attribute(file, "time_step_s", H5T_NATIVE_DOUBLE, {}, &o.time_step, text);
  write_attribute(file, "pml_cells", H5T_NATIVE_INT64, {}, &o.pml_cells, text);
  const std::array<std::int64_t, 3> count{o.z.count, o.y.count, o.x.count};
  for (std::size_t i = 0; i < kAxes.size(); ++i) {
    write_scale(file, kAxes[i], first[i], step[i], count[i], text);
  }
  write_text(file, "axis_order", "z, y, x", text);  // of origin_m and spacing_m
  write_positions(file, "source", o.sources, text);
  write_positions(file, "receiver", o.receivers, text);
  std::vector<std::uint64_t> places{
      set_aside(file, "/velocity", H5T_NATIVE_FLOAT, field_shape(o), text, [&](hid_t field) {
        name_axes(file, field, o, text);
        describe(field, "m/s", "velocity of pressure waves", text);
      })};
  const std::int64_t none = 0;
  write_data(file, kSnapshotsWritten, H5T_NATIVE_INT64, {}, &none, text);
  create_group(file, "/pressure", text);
  const Hdf5Handle type = binary_float(o.value_bytes(), text);
  for (const std::int64_t planned : o.planned) {
    stop_if_interrupted();  // hundreds of thousands take minutes
    places.push_back(set_aside(
        file, SnapshotOptions::dataset(planned), type, field_shape(o), text, [&](hid_t field) {
          name_axes(file, field, o, text);
          describe(field, "Pa", "pressure", text);
          if (o.half_scale > 0) {
            const double factor = 1 / o.half_scale;
            write_attribute(field, "scale_factor", H5T_NATIVE_DOUBLE, {}, &factor, text);
          }
          const double time = static_cast<double>(planned) * o.time_step;
          write_attribute(field, "time_s", H5T_NATIVE_DOUBLE, {}, &time, text);
          write_attribute(field, "step", H5T_NATIVE_INT64, {}, &planned, text);
        }));
  }
  file.close(text);
  reserve(path, text);
  return places;
}

void count_snapshot(const fs::path& path, std::size_t written, const std::string& text) {
  const Hdf5Quiet quiet;
  const auto count = static_cast<std::int64_t>(written);
  Hdf5Handle file = open_hdf5(path, text, H5F_ACC_RDWR);
  Hdf5Handle data = open_data(file, kSnapshotsWritten, text);
  check_hdf5(H5Dwrite(data, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &count), text);
  data.close(text);  // small values wait until then
  file.close(text);
}

void drop_snapshots(const fs::path& path, const SnapshotOptions& o, std::size_t written,
                    const std::string& text) {
  const Hdf5Quiet quiet;
  Hdf5Handle file = open_hdf5(path, text, H5F_ACC_RDWR);
  for (std::size_t i = written; i < o.planned.size(); ++i) {
    check_hdf5(H5Ldelete(file, SnapshotOptions::dataset(o.planned[i]).c_str(), H5P_DEFAULT), text);
  }
  file.close(text);
}

std::size_t snapshots_in(const fs::path& path) {
  const Hdf5Quiet quiet;
  try {
    const std::string text = path.string();
    const Hdf5Handle file = open_hdf5(path, text);
    const Hdf5Handle data = open_data(file, kSnapshotsWritten, text);
    std::int64_t count = 0;
    check_hdf5(H5Dread(data, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &count), text);
    return static_cast<std::size_t>(std::max<std::int64_t>(count, 0));
  } catch (const Error&) {
    return 0;
  }
}

void read_snapshot(const fs::path& path, const std::string& name, const SnapshotOptions& o,
                   const CellBox& box, int value_bytes, void* values) {
  const Hdf5Quiet quiet;
  const std::string text = fmt::format("cannot read {} of {}", name, path.string());
  const Hdf5Handle file = open_hdf5(path, text);
  const Hdf5Handle data = open_data(file, name, text);
  require(shape_of(data, text) == field_shape(o), "{}: it is of another grid", text);
  read_box(data, box, binary_float(value_bytes, text), values, text);
}

}  // namespace tessera::io
