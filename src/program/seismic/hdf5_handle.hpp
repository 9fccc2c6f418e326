// SPDX-License-Identifier: Apache-2.0
// Owning HDF5 handles, and HDF5's error stack as one line.
#pragma once

#if TESSERA_HAVE_HDF5

#include <hdf5.h>
#include <hdf5_hl.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include "base/support/error.hpp"
#include "program/seismic/cell_box.hpp"

namespace tessera::io {

/// Text of the innermost error on HDF5's stack: the system's, such as "No space left on device"; in
/// plain words where a file that is cut off, damaged or open, a missing part or a link is the
/// cause; else HDF5's own, quoted.
[[nodiscard]] std::string hdf5_reason();

/// Throws Error "<message>: <reason>" when an HDF5 function returned a negative `status`. (Not
/// require(): its arguments, the reason among them, may be evaluated before the call that fails.)
inline void check_hdf5(herr_t status, const std::string& message) {
  if (status < 0) fail("{}: {}", message, hdf5_reason());
}

/// Keeps HDF5 from printing its error stack, for as long as it lives. The first thing that anybody
/// here does with HDF5: it also switches off HDF5's clean-up at exit, which crashes on a file that
/// could not be closed because the disk was full (seen with 1.10), all files being closed
/// explicitly; and its file locks, with which a reader of a growing file would stop its writer.
class Hdf5Quiet {
 public:
  Hdf5Quiet() {
    [[maybe_unused]] static const int unlocked = setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);
    [[maybe_unused]] static const herr_t once = H5dont_atexit();
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Hdf5Quiet() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  Hdf5Quiet(const Hdf5Quiet&) = delete;
  Hdf5Quiet& operator=(const Hdf5Quiet&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// An HDF5 identifier that is closed by the function it was opened with.
class Hdf5Handle {
 public:
  /// Throws Error "<message>: <reason>" when `id` is invalid.
  Hdf5Handle(hid_t id, herr_t (*close)(hid_t), const std::string& message)
      : id_(id), close_(close) {
    if (id_ < 0) fail("{}: {}", message, hdf5_reason());
  }
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(Hdf5Handle&&) = delete;
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }
  /// Closes now; a file that cannot be written completely says so only here.
  void close(const std::string& message) { check_hdf5(close_(std::exchange(id_, -1)), message); }
  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor): used as an hid_t

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// How an object of a kind (H5P_FILE_CREATE, H5P_GROUP_CREATE, H5P_DATASET_CREATE) is created:
/// without the time of its creation, so that two runs of one deck leave the same bytes. (HDF5 2
/// keeps that of groups too, the file's own among them.) Throws Error, beginning with `text`.
inline Hdf5Handle timeless(hid_t kind, const std::string& text) {
  Hdf5Handle creation(H5Pcreate(kind), H5Pclose, text);
  check_hdf5(H5Pset_obj_track_times(creation, false), text);
  return creation;
}

/// Creates a file whose headers carry checksums (the format of HDF5 1.8): a damaged one is refused.
/// Where they have none, HDF5 1.10 follows lengths out of its own buffers. Throws Error, beginning
/// with `text`.
inline Hdf5Handle create_hdf5(const std::filesystem::path& path, const std::string& text) {
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, text);
  check_hdf5(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST), text);
  return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, timeless(H5P_FILE_CREATE, text), access), H5Fclose,
          text};
}

/// The attribute `name` of an object as a text, without blanks at its end; empty where there is
/// none. Throws Error, beginning with `text`, where it is no single text of at most 4096
/// characters.
[[nodiscard]] std::string text_attribute(hid_t object, const char* name, const std::string& text);

/// Reads the cells of `box` of a dataset [z][y][x], or [z][x] where that has two axes, as numbers
/// of the type `memory`. Throws Error, beginning with `text`.
void read_box(hid_t data, const CellBox& box, hid_t memory, void* values, const std::string& text);

}  // namespace tessera::io

#endif
