// SPDX-License-Identifier: Apache-2.0
// Opening SEG-Y files of others: either order of bytes, revisions 0 to 2.
#pragma once

#if TESSERA_HAVE_SEGY

#include <segyio/segy.h>

#include <array>
#include <filesystem>
#include <memory>
#include <string>

namespace tessera::io {

using TraceHeader = std::array<char, SEGY_TRACE_HEADER_SIZE>;

/// A field of a trace's header, by its byte as the standard counts them.
[[nodiscard]] int header_field(const TraceHeader& header, int byte);
/// A field times its scalar: a positive one multiplies, a negative one divides, 0 is 1.
[[nodiscard]] double header_metres(const TraceHeader& header, int byte, int scalar_byte);

/// A file, what its binary header says, and where its traces are.
struct SegyTraces {
  std::unique_ptr<segy_file, int (*)(segy_file*)> file{nullptr, segy_close};
  std::array<char, SEGY_BINARY_HEADER_SIZE> header{};
  std::string text;  // how messages begin
  bool little_endian = false;
  int format = 0;   // of the samples: 1 IBM float, 2, 3, 8 integers, 5 IEEE float
  int samples = 0;  // a trace
  int traces = 0;
  long first = 0;       // byte of the first trace
  int trace_bytes = 0;  // of the samples
  double interval = 0;  // between samples, us or what a model takes it for; 0: it says nothing

  /// A 16-bit field of the binary header, by its byte as the standard counts them (from 3201).
  [[nodiscard]] int field(int byte) const;
  /// Both throw Error.
  [[nodiscard]] TraceHeader trace_header(int trace) const;
  /// The samples as they are in the file, `trace_bytes` of them.
  void read(int trace, char* samples) const;
};

/// Opens a file. Throws Error, beginning with `text`, where it cannot be read, is no SEG-Y file,
/// has samples of another format, or no whole traces.
[[nodiscard]] SegyTraces open_segy(const std::filesystem::path& path, const std::string& text);

}  // namespace tessera::io

#endif
