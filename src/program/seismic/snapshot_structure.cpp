// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/snapshot_structure.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "base/support/error.hpp"
#include "base/support/interrupt.hpp"
#include "program/seismic/hdf5_handle.hpp"
#include "program/seismic/snapshot_reader.hpp"
#include "program/seismic/snapshot_xdmf.hpp"

namespace tessera::io {

namespace fs = std::filesystem;

#if TESSERA_HAVE_HDF5

namespace {

void write_attribute(hid_t object, const char* name, hid_t type, const std::vector<hsize_t>& shape,
                     const void* values, const std::string& text) {
  Hdf5Handle space(shape.empty()
                       ? H5Screate(H5S_SCALAR)
                       : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
                   H5Sclose, text);
  Hdf5Handle attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                       text);
  check_hdf5(H5Awrite(attribute, type, values), text);
  attribute.close(text);
}

void write_positions(hid_t object, const char* name, const std::vector<Position>& positions,
                     const std::string& text) {
  if (positions.empty()) return;
  std::vector<double> rows;
  for (const Position& p : positions) rows.insert(rows.end(), {p.x, p.y, p.z});
  // A dataset: attributes end at 64 KiB, which 2700 receivers pass.
  const std::array<hsize_t, 2> shape{positions.size(), 3};
  Hdf5Handle space(H5Screate_simple(2, shape.data(), nullptr), H5Sclose, text);
  Hdf5Handle data(H5Dcreate2(object, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
                             timeless(H5P_DATASET_CREATE, text), H5P_DEFAULT),
                  H5Dclose, text);
  check_hdf5(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows.data()), text);
  data.close(text);  // small values wait until then, and a disk may be full by then
}

/// The fields' axes, slowest first, by the names of their scales.
constexpr std::array<const char*, 3> kAxes = {"z", "y", "x"};

/// A dimension scale of HDF5: the places of the samples along an axis, in m.
void write_scale(hid_t file, const char* axis, double first, double step, std::int64_t count,
                 const std::string& text) {
  std::vector<double> places;
  for (std::int64_t i = 0; i < count; ++i) {
    places.push_back(first + static_cast<double>(i) * step);
  }
  const hsize_t shape = places.size();
  Hdf5Handle space(H5Screate_simple(1, &shape, nullptr), H5Sclose, text);
  Hdf5Handle data(H5Dcreate2(file, axis, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
                             timeless(H5P_DATASET_CREATE, text), H5P_DEFAULT),
                  H5Dclose, text);
  check_hdf5(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, places.data()), text);
  check_hdf5(H5DSset_scale(data, axis), text);
  data.close(text);
}

/// Names the axes of a field by the file's scales, so that readers know its coordinates.
void attach_scales(hid_t file, hid_t field, const std::string& text) {
  for (unsigned axis = 0; axis < kAxes.size(); ++axis) {
    Hdf5Handle scale(H5Dopen2(file, kAxes[axis], H5P_DEFAULT), H5Dclose, text);
    check_hdf5(H5DSattach_scale(field, scale, axis), text);
    scale.close(text);
  }
}

/// Creates a field, its place in the file set aside but not filled, with attributes that `more`
/// adds, and returns that place.
template <class More>
std::uint64_t create_field(hid_t file, const std::string& name, const SnapshotOptions& o,
                           const std::string& text, const More& more) {
  const std::array<hsize_t, 3> shape{static_cast<hsize_t>(o.z.count),
                                     static_cast<hsize_t>(o.y.count),
                                     static_cast<hsize_t>(o.x.count)};
  const Hdf5Handle space(H5Screate_simple(3, shape.data(), nullptr), H5Sclose, text);
  const Hdf5Handle creation = timeless(H5P_DATASET_CREATE, text);
  H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
  Hdf5Handle data(
      H5Dcreate2(file, name.c_str(), H5T_NATIVE_FLOAT, space, H5P_DEFAULT, creation, H5P_DEFAULT),
      H5Dclose, text);
  for (unsigned axis = 0; axis < kAxes.size(); ++axis) H5DSset_label(data, axis, kAxes[axis]);
  // A scale lists all that it belongs to, in an attribute of at most 64 KiB that is written anew
  // for each.
  constexpr std::size_t kMostAttached = 1000;
  if (o.planned.size() <= kMostAttached) attach_scales(file, data, text);
  more(data);
  const haddr_t place = H5Dget_offset(data);
  require(place != HADDR_UNDEF, "{}: HDF5 sets no place aside for {}", text, name);
  data.close(text);
  return place;
}

/// How many snapshots are written: those after it in the file are not filled yet.
void create_count(hid_t file, const std::string& text) {
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose, text);
  Hdf5Handle data(H5Dcreate2(file, kSnapshotsWritten, H5T_STD_I64LE, space, H5P_DEFAULT,
                             timeless(H5P_DATASET_CREATE, text), H5P_DEFAULT),
                  H5Dclose, text);
  const std::int64_t none = 0;
  check_hdf5(H5Dwrite(data, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &none), text);
  data.close(text);
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
  const auto first = snapshot_origin(o);
  const auto step = snapshot_spacing(o);
  write_attribute(file, "origin_m", H5T_NATIVE_DOUBLE, {3}, first.data(), text);
  write_attribute(file, "spacing_m", H5T_NATIVE_DOUBLE, {3}, step.data(), text);
  write_attribute(file, "time_step_s", H5T_NATIVE_DOUBLE, {}, &o.time_step, text);
  write_attribute(file, "pml_cells", H5T_NATIVE_INT64, {}, &o.pml_cells, text);
  const std::array<std::int64_t, 3> count{o.z.count, o.y.count, o.x.count};
  for (std::size_t i = 0; i < kAxes.size(); ++i) {
    write_scale(file, kAxes[i], first[i], step[i], count[i], text);
  }
  write_positions(file, "sources_m", o.sources, text);
  write_positions(file, "receivers_m", o.receivers, text);
  std::vector<std::uint64_t> places{create_field(file, "/velocity", o, text, [](hid_t) {})};
  create_count(file, text);
  Hdf5Handle(
      H5Gcreate2(file, "/pressure", H5P_DEFAULT, timeless(H5P_GROUP_CREATE, text), H5P_DEFAULT),
      H5Gclose, text)
      .close(text);
  for (const std::int64_t planned : o.planned) {
    stop_if_interrupted();  // hundreds of thousands take minutes
    places.push_back(create_field(file, snapshot_dataset(planned), o, text, [&](hid_t data) {
      const double time = static_cast<double>(planned) * o.time_step;
      write_attribute(data, "time_s", H5T_NATIVE_DOUBLE, {}, &time, text);
      write_attribute(data, "step", H5T_NATIVE_INT64, {}, &planned, text);
    }));
  }
  file.close(text);
  reserve(path, text);
  return places;
}

void count_snapshot(const fs::path& path, std::size_t written, const std::string& text) {
  const Hdf5Quiet quiet;
  const auto count = static_cast<std::int64_t>(written);
  Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, text);
  Hdf5Handle data(H5Dopen2(file, kSnapshotsWritten, H5P_DEFAULT), H5Dclose, text);
  check_hdf5(H5Dwrite(data, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &count), text);
  data.close(text);  // small values wait until then
  file.close(text);
}

void drop_snapshots(const fs::path& path, const SnapshotOptions& o, std::size_t written,
                    const std::string& text) {
  const Hdf5Quiet quiet;
  Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, text);
  for (std::size_t i = written; i < o.planned.size(); ++i) {
    check_hdf5(H5Ldelete(file, snapshot_dataset(o.planned[i]).c_str(), H5P_DEFAULT), text);
  }
  file.close(text);
}

#else

std::vector<std::uint64_t> create_snapshot_file(const fs::path&, const SnapshotOptions&,
                                                const std::string& text) {
  fail("{}: this build has no HDF5 support", text);
}

void count_snapshot(const fs::path&, std::size_t, const std::string&) {}
void drop_snapshots(const fs::path&, const SnapshotOptions&, std::size_t, const std::string&) {}

#endif

}  // namespace tessera::io
