// SPDX-License-Identifier: Apache-2.0
// Parts of arrays in files: several processes read or write one file at once, each its own part.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tessera::io {

/// The cells [z0, z1) x [y0, y1) x [x0, x1).
struct CellBox {
  std::int64_t z0 = 0, z1 = 0, y0 = 0, y1 = 0, x0 = 0, x1 = 0;

  [[nodiscard]] std::int64_t nz() const { return z1 - z0; }
  [[nodiscard]] std::int64_t ny() const { return y1 - y0; }
  [[nodiscard]] std::int64_t nx() const { return x1 - x0; }
  [[nodiscard]] bool empty() const { return nz() <= 0 || ny() <= 0 || nx() <= 0; }
  [[nodiscard]] std::int64_t cells() const { return empty() ? 0 : nz() * ny() * nx(); }
  friend bool operator==(const CellBox&, const CellBox&) = default;
};

/// An array [z][y][x] of numbers as they are in memory, and where it lies in its file.
struct ArrayPlace {
  std::uint64_t offset = 0;  ///< bytes from the file's beginning
  std::int64_t nx = 0, ny = 0, nz = 0;
  int value_bytes = 4;
};

/// A file that is there with all its bytes. What fails throws Error, beginning with `text`.
class PartFile {
 public:
  enum Mode { read_only, write_only };
  PartFile(const std::filesystem::path& path, Mode mode, std::string text);
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  ~PartFile();

  /// The cells of a box of the array: values[z][y][x] of the box.
  void read(const ArrayPlace& array, const CellBox& box, void* values) const;
  void write(const ArrayPlace& array, const CellBox& box, const void* values) const;
  /// Makes the disk keep what was written.
  void sync() const;

 private:
  std::string text_;
  int descriptor_ = -1;
};

/// Who writes a file: this process alone, the default, or several that each write a part of it.
/// Several processes make the same calls in the same order; their file system must show each what
/// the others wrote.
struct Writers {
  bool first = true;  ///< creates files, names and describes them
  /// Calls `body` on all, and returns when all have done so; what fails for one fails for all.
  std::function<void(const std::function<void()>& body)> together =
      [](const std::function<void()>& body) { body(); };
  /// The first one's numbers, on all.
  std::function<std::vector<std::uint64_t>(const std::vector<std::uint64_t>& numbers)> share =
      [](const std::vector<std::uint64_t>& numbers) { return numbers; };

  /// The sum of all their numbers modulo 2^64, each for itself, on all.
  std::function<std::vector<std::uint64_t>(const std::vector<std::uint64_t>& numbers)> sum =
      [](const std::vector<std::uint64_t>& numbers) { return numbers; };

  /// `body` on the first one alone; what fails there fails for all.
  void on_first(const std::function<void()>& body) const {
    together([&] {
      if (first) body();
    });
  }
};

}  // namespace tessera::io
