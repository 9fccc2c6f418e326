// SPDX-License-Identifier: Apache-2.0
// SEG-Y files: gathers whose traces grow together, a block of samples at a time, and files of many
// shots: the geometry in the headers, and gathers put together.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

struct segy_file_handle;

namespace tessera::io {

/// A place in m, from the first cell of the inner region; z downward.
struct Position {
  double x = 0, y = 0, z = 0;
};

/// What the headers of a shot gather say.
struct SegyHeader {
  std::vector<Position> receivers;  ///< One trace each.
  Position source;
  int shot_number = 1;
  int parts_of_metre = 100;       ///< Places are stored in these: 1, 10, 100, 1000 or 10,000.
  int interval_us = 0;            ///< Sample interval, 1 to 32,767 microseconds.
  int samples = 0;                ///< Planned length of the traces, 1 to 32,767.
  std::vector<std::string> text;  ///< Lines for the textual header, at most 38 of 76 characters.
};

/// Writes SEG-Y revision 1: IEEE floats (format 5), coordinates in cm (scalar -100), offsets in m.
/// The file is laid out in full length, zeros, at the beginning: it is valid at any time, and a
/// full disk shows before the run. It has the name part_path(path) until commit().
class SegyWriter {
 public:
  /// Largest number of samples a trace and of microseconds between them: 16-bit header fields.
  static constexpr int kMaxField = 32767;

  /// Throws Error when the file cannot be written, or SEG-Y support is not built in.
  SegyWriter(std::filesystem::path path, const SegyHeader& header);
  SegyWriter(const SegyWriter&) = delete;
  SegyWriter& operator=(const SegyWriter&) = delete;
  /// Without commit() a file that holds samples stays under its temporary name; another is removed.
  ~SegyWriter();

  /// Appends `count` samples to every trace: samples[trace * stride + i]. The block is overwritten
  /// (converted to the file's byte order). Throws Error when the disk refuses it or a trace would
  /// become longer than planned.
  void append(float* samples, int count, int stride);
  /// Completes the file and gives it its name. Traces that are shorter than planned, since the run
  /// ended early, are cut to what was written (one sample at least): no zeros pass for data.
  void commit();

 private:
  void write_headers(const SegyHeader& header);
  void shorten(int samples);
  [[noreturn]] void write_failed() const;

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  segy_file_handle* file_ = nullptr;
  int traces_ = 0;
  int samples_ = 0;
  int written_ = 0;
};

}  // namespace tessera::io

namespace tessera::io {

/// A shot as the trace headers of a file have it.
struct SegyShot {
  int number = 1;  ///< field record, or counted from 1
  Position source;
  std::vector<Position> receivers;  ///< in the order of their traces
};

/// The shots of a file, in the order of their first traces: traces of one field record and one
/// source place belong together. Places in m by the headers' scalars; depths from source depth and
/// receiver elevation. Dead and auxiliary traces are left out; where a field record is below 1 the
/// shots are numbered anew; a warning says so. Throws Error for a file in feet, one of no
/// other traces, and without SEG-Y support.
[[nodiscard]] std::vector<SegyShot> read_segy_geometry(const std::filesystem::path& path);

/// Writes the traces of several gathers of SegyWriter into one file, one after the other, numbered
/// through. The file appears whole or not at all. Throws Error where they differ in interval or
/// length, one cannot be read, or the disk refuses.
void merge_segy(const std::filesystem::path& path,
                const std::vector<std::filesystem::path>& gathers);

}  // namespace tessera::io
