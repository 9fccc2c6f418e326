// SPDX-License-Identifier: Apache-2.0
// Owning HDF5 handles, and HDF5's error stack as one line.
#pragma once

#if TESSERA_HAVE_HDF5

#include <hdf5.h>
#include <hdf5_hl.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/support/error.hpp"
#include "program/seismic/part_file.hpp"

namespace tessera::io {

/// Text of the innermost error on HDF5's stack: the system's, such as "No space left on device"; in
/// plain words where a file that is cut off, damaged or open, or a missing part is the cause; else
/// HDF5's own, quoted.
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

/// Creates a file whose headers carry checksums (the format of HDF5 1.8): a damaged one is refused.
/// Where they have none, HDF5 1.10 follows lengths out of its own buffers. Neither it nor what the
/// functions below create keeps the time of its creation: two runs of one deck leave the same
/// bytes. All of them throw Error, beginning with `text`.
[[nodiscard]] Hdf5Handle create_hdf5(const std::filesystem::path& path, const std::string& text);
/// To read, or `flags` = H5F_ACC_RDWR.
[[nodiscard]] Hdf5Handle open_hdf5(const std::filesystem::path& path, const std::string& text,
                                   unsigned flags = H5F_ACC_RDONLY);
[[nodiscard]] Hdf5Handle open_data(hid_t file, const std::string& name, const std::string& text);
void create_group(hid_t file, const char* name, const std::string& text);

using Hdf5Shape = std::vector<hsize_t>;  ///< empty: one value

/// IEEE's float of 2 or 4 bytes in the machine's byte order.
[[nodiscard]] Hdf5Handle binary_float(int bytes, const std::string& text);

/// Elements of a dataset along each axis.
[[nodiscard]] Hdf5Shape shape_of(hid_t data, const std::string& text);
void write_attribute(hid_t object, const char* name, hid_t type, const Hdf5Shape& shape,
                     const void* values, const std::string& text);
/// Creates a dataset with its values; `describe` adds what else it has.
void write_data(hid_t file, const char* name, hid_t type, const Hdf5Shape& shape,
                const void* values, const std::string& text,
                const std::function<void(hid_t)>& describe = nullptr);
/// Creates a dataset with its place in the file set aside but not filled, and returns that place.
[[nodiscard]] std::uint64_t set_aside(hid_t file, const std::string& name, hid_t type,
                                      const Hdf5Shape& shape, const std::string& text,
                                      const std::function<void(hid_t)>& describe = nullptr);

/// The attribute `name` of an object as a text, without blanks at its end; empty where there is
/// none. Throws Error, beginning with `text`, where it is no single text of at most 64 KiB.
[[nodiscard]] std::string text_attribute(hid_t object, const char* name, const std::string& text);

/// Reads the cells of `box` of a dataset [z][y][x], or [z][x] where that has two axes, as numbers
/// of the type `memory`. Throws Error, beginning with `text`.
void read_box(hid_t data, const CellBox& box, hid_t memory, void* values, const std::string& text);

}  // namespace tessera::io

#endif
