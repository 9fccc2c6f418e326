// SPDX-License-Identifier: Apache-2.0
#include "io/snapshots.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

#include "io/atomic_file.hpp"
#include "io/hdf5_handle.hpp"
#include "io/snapshot_reader.hpp"
#include "io/snapshot_xdmf.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace tessera::io {
namespace {

namespace fs = std::filesystem;

/// The name of a file that is not yet whole.
fs::path unfinished(fs::path path) { return path += ".tmp"; }

fs::path with_xdmf(fs::path path) { return path.replace_extension(".xdmf"); }

constexpr const char* kWritten = kSnapshotsWritten;

/// How an XDMF names the HDF5 file: without a folder where both are in one.
std::string name_from(const fs::path& xdmf, const fs::path& data) {
  if (xdmf.parent_path() == data.parent_path()) return data.filename().string();
  std::error_code error;
  const fs::path whole = fs::absolute(data, error);
  return (error ? data : whole).string();
}

/// Sets the files of a killed run aside; their XDMF then names the HDF5 file by its new name.
void keep_earlier(const fs::path& part, const fs::path& xdmf_part) {
  const fs::path data = set_aside(part);
  const fs::path xdmf = set_aside(xdmf_part);
  if (data.empty() || xdmf.empty()) return;
  std::ifstream stream(xdmf);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  const std::string old = part.filename().string() + ":/";
  const std::string fresh = data.filename().string() + ":/";
  for (std::size_t at = text.find(old); at != std::string::npos;
       at = text.find(old, at + fresh.size())) {
    text.replace(at, old.size(), fresh);
  }
  write_atomically(xdmf, text);
}

void check_snapshots(const SnapshotOptions& options, const std::vector<float>& velocity) {
  require(options.cells() > 0 && static_cast<std::int64_t>(velocity.size()) == options.cells(),
          "a snapshot of {} cells does not fit a velocity model of {}", options.cells(),
          velocity.size());
  require(!is_folder(options.path), "cannot write {}: it is a directory", options.path.string());
}

}  // namespace

SampledAxis sample_axis(std::int64_t begin, std::int64_t end, std::int64_t stride) {
  require(stride >= 1 && begin >= 0 && begin < end,
          "every {}-th of the cells {} to {} is not a set of samples", stride, begin, end);
  return {begin, stride, (end - begin - 1) / stride + 1};
}

std::vector<float> decimate(const VelocityModel& model, const SnapshotOptions& o) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(o.cells()));
  for (std::int64_t z = 0; z < o.z.count; ++z)
    for (std::int64_t y = 0; y < o.y.count; ++y)
      for (std::int64_t x = 0; x < o.x.count; ++x)
        values.push_back(model.at(o.z.first + z * o.z.stride, o.y.first + y * o.y.stride,
                                  o.x.first + x * o.x.stride));
  return values;
}

SnapshotWriter::SnapshotWriter(SnapshotOptions options, const std::vector<float>& velocity)
    : options_(std::move(options)),
      part_(part_path(resolve_link(options_.path))),
      xdmf_part_(part_path(resolve_link(with_xdmf(options_.path)))) {
  check_snapshots(options_, velocity);
  keep_earlier(part_, xdmf_part_);
  try {
    create(velocity, {});
    describe(true);
  } catch (...) {
    remove_parts();
    throw;
  }
}

SnapshotWriter::SnapshotWriter(SnapshotOptions options, const std::vector<float>& velocity,
                               std::size_t written)
    : options_(std::move(options)),
      part_(part_path(resolve_link(options_.path))),
      xdmf_part_(part_path(resolve_link(with_xdmf(options_.path)))),
      written_(written) {
  check_snapshots(options_, velocity);
  require(written <= options_.planned.size(), "{} of {} planned snapshots cannot be written",
          written, options_.planned.size());
  try {
    create(velocity, written == 0 ? fs::path() : earlier_snapshots(options_, written, velocity));
  } catch (...) {
    std::error_code ignored;
    fs::remove(unfinished(part_), ignored);
    throw;
  }
  describe(true);
}

SnapshotWriter::~SnapshotWriter() {
  if (finished_) return;
  if (written_ == 0) {
    remove_parts();
    return;
  }
  try {
    describe(true);
  } catch (const Error&) {  // the disk is full: the description lags behind, the data are there
  }
}

// The XDMF names all snapshots again each time it is written. To stay linear in their number it is
// written when a twentieth has been added; it is renamed into place, so that it is whole at any
// time.
void SnapshotWriter::describe(bool all) {
  if (!all && written_ < described_ + 1 + described_ / 20) return;
  write_xdmf(name_from(xdmf_part_, part_));
  described_ = written_;
}

void SnapshotWriter::write_xdmf(const std::string& hdf5_name) {
  const fs::path fresh = unfinished(xdmf_part_);
  std::error_code error;
  try {
    write_in_place(fresh, snapshot_xdmf(options_, written_, hdf5_name));
  } catch (const Error&) {
    fs::remove(fresh, error);
    throw;
  }
  fs::rename(fresh, xdmf_part_, error);
  require(!error, "cannot write {}: {}", xdmf_part_.string(), error.message());
}

void SnapshotWriter::remove_parts() noexcept {
  std::error_code ignored;
  for (const fs::path& path : {part_, xdmf_part_}) {
    fs::remove(path, ignored);
    fs::remove(unfinished(path), ignored);
  }
}

fs::path SnapshotWriter::xdmf_path() const { return with_xdmf(options_.path); }

void SnapshotWriter::write(const float* values) {
  require(!finished_, "{} is finished: nothing more can be written", options_.path.string());
  require(written_ < options_.planned.size(), "cannot write {}: more than the {} planned snapshots",
          options_.path.string(), options_.planned.size());
  append(values);
  ++written_;
  describe(false);
}

void SnapshotWriter::sync() const { sync_file(part_); }

void SnapshotWriter::finish() {
  require(!finished_, "{} is finished already", options_.path.string());
  if (written_ < options_.planned.size()) drop_unwritten();
  // Data before description: a description never names a file that isn't there.
  sync_and_rename(part_, options_.path);
  write_xdmf(name_from(resolve_link(xdmf_path()), options_.path));
  sync_and_rename(xdmf_part_, xdmf_path());
  finished_ = true;
}

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
}

/// How a dataset is created: without the time of its creation, so that two runs of one deck leave
/// the same bytes.
Hdf5Handle timeless(const std::string& text) {
  Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, text);
  check_hdf5(H5Pset_obj_track_times(creation, false), text);
  return creation;
}

void write_positions(hid_t object, const char* name, const std::vector<Position>& positions,
                     const std::string& text) {
  if (positions.empty()) return;
  std::vector<double> rows;
  for (const Position& p : positions) rows.insert(rows.end(), {p.x, p.y, p.z});
  // A dataset: attributes end at 64 KiB, which 2700 receivers pass.
  const std::array<hsize_t, 2> shape{positions.size(), 3};
  Hdf5Handle space(H5Screate_simple(2, shape.data(), nullptr), H5Sclose, text);
  Hdf5Handle data(
      H5Dcreate2(object, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, timeless(text), H5P_DEFAULT),
      H5Dclose, text);
  check_hdf5(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows.data()), text);
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
  Hdf5Handle data(
      H5Dcreate2(file, axis, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, timeless(text), H5P_DEFAULT),
      H5Dclose, text);
  check_hdf5(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, places.data()), text);
  check_hdf5(H5DSset_scale(data, axis), text);
}

/// Names the axes of a field by the file's scales, so that readers know its coordinates.
void attach_scales(hid_t file, hid_t field, const std::string& text) {
  for (unsigned axis = 0; axis < kAxes.size(); ++axis) {
    Hdf5Handle scale(H5Dopen2(file, kAxes[axis], H5P_DEFAULT), H5Dclose, text);
    check_hdf5(H5DSattach_scale(field, scale, axis), text);
  }
}

/// Creates a field, its place in the file set aside but not filled.
Hdf5Handle create_field(hid_t file, const std::string& name, const SnapshotOptions& o,
                        const std::string& text) {
  const std::array<hsize_t, 3> shape{static_cast<hsize_t>(o.z.count),
                                     static_cast<hsize_t>(o.y.count),
                                     static_cast<hsize_t>(o.x.count)};
  const Hdf5Handle space(H5Screate_simple(3, shape.data(), nullptr), H5Sclose, text);
  const Hdf5Handle creation = timeless(text);
  H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
  Hdf5Handle data(
      H5Dcreate2(file, name.c_str(), H5T_IEEE_F32LE, space, H5P_DEFAULT, creation, H5P_DEFAULT),
      H5Dclose, text);
  for (unsigned axis = 0; axis < kAxes.size(); ++axis) H5DSset_label(data, axis, kAxes[axis]);
  // A scale lists all that it belongs to, in an attribute of at most 64 KiB that is written anew
  // for each.
  constexpr std::size_t kMostAttached = 1000;
  if (o.planned.size() <= kMostAttached) attach_scales(file, data, text);
  return data;
}

void write_values(hid_t file, const char* name, hid_t type, const void* values,
                  const std::string& text) {
  Hdf5Handle data(H5Dopen2(file, name, H5P_DEFAULT), H5Dclose, text);
  check_hdf5(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), text);
  data.close(text);  // small values wait until then
}

/// How many snapshots are written: those after it in the file are not filled yet.
void create_count(hid_t file, const std::string& text) {
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose, text);
  const Hdf5Handle data(
      H5Dcreate2(file, kWritten, H5T_STD_I64LE, space, H5P_DEFAULT, timeless(text), H5P_DEFAULT),
      H5Dclose, text);
  const std::int64_t none = 0;
  check_hdf5(H5Dwrite(data, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &none), text);
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

void SnapshotWriter::create(const std::vector<float>& velocity, const fs::path& earlier) {
  const Hdf5Quiet quiet;
  const std::string text = fmt::format("cannot write {}", options_.path.string());
  // Under a name of its own until it is whole: thousands of snapshots take a second.
  const fs::path fresh = unfinished(part_);
  Hdf5Handle file(H5Fcreate(fresh.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose,
                  text);
  const auto first = snapshot_origin(options_);
  const auto step = snapshot_spacing(options_);
  write_attribute(file, "origin_m", H5T_NATIVE_DOUBLE, {3}, first.data(), text);
  write_attribute(file, "spacing_m", H5T_NATIVE_DOUBLE, {3}, step.data(), text);
  write_attribute(file, "time_step_s", H5T_NATIVE_DOUBLE, {}, &options_.time_step, text);
  write_attribute(file, "pml_cells", H5T_NATIVE_INT64, {}, &options_.pml_cells, text);
  const std::array<std::int64_t, 3> count{options_.z.count, options_.y.count, options_.x.count};
  for (std::size_t i = 0; i < kAxes.size(); ++i) {
    write_scale(file, kAxes[i], first[i], step[i], count[i], text);
  }
  write_positions(file, "sources_m", options_.sources, text);
  write_positions(file, "receivers_m", options_.receivers, text);
  static_cast<void>(create_field(file, "/velocity", options_, text));
  write_values(file, "/velocity", H5T_NATIVE_FLOAT, velocity.data(), text);
  create_count(file, text);
  Hdf5Handle(H5Gcreate2(file, "/pressure", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, text)
      .close(text);
  for (const std::int64_t planned : options_.planned) {
    const Hdf5Handle data = create_field(file, snapshot_dataset(planned), options_, text);
    const double time = static_cast<double>(planned) * options_.time_step;
    write_attribute(data, "time_s", H5T_NATIVE_DOUBLE, {}, &time, text);
    write_attribute(data, "step", H5T_NATIVE_INT64, {}, &planned, text);
  }
  for (std::size_t i = 0; i < written_; ++i) {
    const std::string name = snapshot_dataset(options_.planned[i]);
    const std::vector<float> values = read_snapshot(earlier, name, options_);
    write_values(file, name.c_str(), H5T_NATIVE_FLOAT, values.data(), text);
  }
  if (written_ > 0) {
    const auto count = static_cast<std::int64_t>(written_);
    write_values(file, kWritten, H5T_NATIVE_INT64, &count, text);
  }
  file.close(text);
  reserve(fresh, text);
  std::error_code error;
  fs::rename(fresh, part_, error);
  require(!error, "{}: {}", text, error.message());
}

// Everything but the values was written at the start. What fails here, or is killed, leaves the
// file as it was.
void SnapshotWriter::append(const float* values) {
  const Hdf5Quiet quiet;
  const std::string text = fmt::format("cannot write {}", options_.path.string());
  const std::string name = snapshot_dataset(options_.planned[written_]);
  const auto count = static_cast<std::int64_t>(written_ + 1);
  Hdf5Handle file(H5Fopen(part_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, text);
  write_values(file, name.c_str(), H5T_NATIVE_FLOAT, values, text);
  write_values(file, kWritten, H5T_NATIVE_INT64, &count, text);
  file.close(text);
}

void SnapshotWriter::drop_unwritten() {
  const Hdf5Quiet quiet;
  const std::string text = fmt::format("cannot write {}", options_.path.string());
  Hdf5Handle file(H5Fopen(part_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, text);
  for (std::size_t i = written_; i < options_.planned.size(); ++i) {
    check_hdf5(H5Ldelete(file, snapshot_dataset(options_.planned[i]).c_str(), H5P_DEFAULT), text);
  }
  file.close(text);
}

#else

void SnapshotWriter::create(const std::vector<float>&, const fs::path&) {
  fail("cannot write {}: this build has no HDF5 support", options_.path.string());
}

void SnapshotWriter::append(const float*) {}
void SnapshotWriter::drop_unwritten() {}

#endif

}  // namespace tessera::io
