// SPDX-License-Identifier: Apache-2.0
// Parts of arrays in files: several processes read or write one file at once, each its own part.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "program/seismic/cell_box.hpp"

namespace tessera::io {

/// An array [z][y][x] of numbers as they are in memory, and where it lies in its file.
struct ArrayPlace {
  std::uint64_t offset = 0;  ///< bytes from the file's beginning
  std::int64_t nx = 0, ny = 0, nz = 0;
  int value_bytes = 4;
};

/// A file that is there with all its bytes. What fails throws Error, beginning with `text`.
class PartWriter {
 public:
  PartWriter(const std::filesystem::path& path, std::string text);
  PartWriter(const PartWriter&) = delete;
  PartWriter& operator=(const PartWriter&) = delete;
  ~PartWriter();

  /// Writes the cells of a box of the array: values[z][y][x] of the box.
  void write(const ArrayPlace& array, const CellBox& box, const void* values) const;
  /// Makes the disk keep what was written.
  void sync() const;

 private:
  std::string text_;
  int descriptor_ = -1;
};

/// The same for reading.
class PartReader {
 public:
  PartReader(const std::filesystem::path& path, std::string text);
  PartReader(const PartReader&) = delete;
  PartReader& operator=(const PartReader&) = delete;
  ~PartReader();

  void read(const ArrayPlace& array, const CellBox& box, void* values) const;

 private:
  std::string text_;
  int descriptor_ = -1;
};

}  // namespace tessera::io
