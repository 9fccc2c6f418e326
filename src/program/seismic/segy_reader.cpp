// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/segy_reader.hpp"

#if TESSERA_HAVE_SEGY

#include "base/support/error.hpp"
#include "program/seismic/model_files.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <system_error>

namespace tessera::io {

namespace fs = std::filesystem;

namespace {

using BinaryHeader = std::array<char, SEGY_BINARY_HEADER_SIZE>;

constexpr int kDefaultTraceLength = 3600;  // bytes before the first trace without extended headers

/// A field of the binary header, by its byte as the standard counts them (from 3201).
std::uint64_t word(const BinaryHeader& header, int byte, int bytes, bool little_endian) {
  std::uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) {
    const auto at = static_cast<std::size_t>(byte - 3201 + (little_endian ? bytes - 1 - i : i));
    value = value << 8 | static_cast<unsigned char>(header[at]);
  }
  return value;
}

int field16(const BinaryHeader& header, int byte, bool little_endian) {
  return static_cast<std::int16_t>(word(header, byte, 2, little_endian));
}

bool is_format(int format) { return format >= 1 && format <= 16; }

/// Whether the file is little-endian: revision 2 says so in bytes 3297 to 3300, and in files of any
/// revision the sample format is one of a few small numbers in one order of bytes only.
bool is_little_endian(const BinaryHeader& header, const std::string& text) {
  const std::uint64_t mark = word(header, 3297, 4, false);
  if (mark == 0x01020304) return false;
  if (mark == 0x04030201) return true;
  require(mark != 0x02010403,
          "{}: bytes 3297 to 3300 say that its bytes are swapped in pairs: write it big-endian",
          text);
  return !is_format(field16(header, SEGY_BIN_FORMAT, false)) &&
         is_format(field16(header, SEGY_BIN_FORMAT, true));
}

void require_format(int format, const std::string& text) {
  const bool known = format == SEGY_IBM_FLOAT_4_BYTE || format == SEGY_SIGNED_INTEGER_4_BYTE ||
                     format == SEGY_SIGNED_SHORT_2_BYTE || format == SEGY_IEEE_FLOAT_4_BYTE ||
                     format == SEGY_SIGNED_CHAR_1_BYTE;
  require(
      known,
      "{}: sample format {} is none of 1 (IBM float), 2, 3, 8 (integers of 4, 2, 1 bytes) and 5 "
      "(IEEE float)",
      text, format);
}

/// Bytes before the first trace. Revision 0 has no extended headers: what stands in their field
/// there counts for nothing. A negative number says that the file tells by itself where they end.
long first_trace(const BinaryHeader& header, bool little_endian, const std::string& text) {
  const int revision = field16(header, SEGY_BIN_SEGY_REVISION, little_endian);
  const int extended = field16(header, SEGY_BIN_EXT_HEADERS, little_endian);
  if (revision == 0) return kDefaultTraceLength;
  require(extended >= 0, "{}: it has an unknown number of extended headers: give it a known one",
          text);
  return kDefaultTraceLength + static_cast<long>(extended) * SEGY_TEXT_HEADER_SIZE;
}

/// What later fields may say is refused where it says anything else than the older ones.
void require_old_layout(const SegyTraces& in, const std::string& text) {
  const int revision = in.field(SEGY_BIN_SEGY_REVISION) & 0xffff;
  require(revision < 0x0300, "{}: bytes 3501 to 3502 say revision {}.{}: 0, 1 and 2 are read", text,
          revision >> 8, revision & 0xff);
  const int system = in.field(SEGY_BIN_MEASUREMENT_SYSTEM);
  require(system >= 0 && system <= 2,
          "{}: bytes 3255 to 3256 say measurement system {}: 1 is metres, 2 feet", text, system);
  if (revision < 0x0200) return;
  const struct {
    int byte, bytes;
    const char* what;
    long expected;
  } words[] = {{3269, 4, "samples a trace", in.samples},
               {3507, 4, "additional trace headers", 0},
               {3513, 8, "traces", in.traces},
               {3521, 8, "as the first trace's byte", in.first},
               {3529, 4, "trailers", 0}};
  for (const auto& [byte, bytes, what, expected] : words) {
    const std::uint64_t found = word(in.header, byte, bytes, in.little_endian);
    require(found == 0 || found == static_cast<std::uint64_t>(expected),
            "{}: bytes {} to {} say {} {}, expected {}", text, byte, byte + bytes - 1, found, what,
            expected);
  }
}

/// Bytes 3217 to 3218; where revision 2 gives it with more places, those count.
double interval_of(const SegyTraces& in, const std::string& text) {
  if (in.field(SEGY_BIN_SEGY_REVISION) >= 0x0200) {
    const auto exact = std::bit_cast<double>(word(in.header, 3273, 8, in.little_endian));
    require(std::isfinite(exact) && exact >= 0,
            "{}: bytes 3273 to 3280 say {} between samples, not a positive number", text, exact);
    if (exact > 0) return exact;
  }
  return in.field(SEGY_BIN_INTERVAL) & 0xffff;
}

}  // namespace

int header_field(const TraceHeader& header, int byte) {
  std::int32_t value = 0;
  segy_get_field(header.data(), byte, &value);
  return value;
}

double header_unit(const TraceHeader& header, int scalar_byte) {
  const int scalar = scalar_byte == 0 ? 0 : header_field(header, scalar_byte);
  if (scalar == 0) return 1;
  return scalar > 0 ? scalar : 1.0 / -scalar;
}

double header_metres(const TraceHeader& header, int byte, int scalar_byte) {
  const int scalar = scalar_byte == 0 ? 0 : header_field(header, scalar_byte);
  const double value = header_field(header, byte);
  return scalar < 0 ? value / -scalar : value * std::max(scalar, 1);
}

int SegyTraces::field(int byte) const { return field16(header, byte, little_endian); }

TraceHeader SegyTraces::trace_header(int trace, const std::string& text) const {
  TraceHeader bytes{};
  require(segy_traceheader(file.get(), trace, bytes.data(), first, trace_bytes) == SEGY_OK,
          "{}: the header of trace {} cannot be read", text, trace + 1);
  return bytes;
}

SegyTraces open_segy(const fs::path& path, const std::string& text) {
  const std::uint64_t bytes = regular_file_bytes(path, text);
  require(bytes > SEGY_TEXT_HEADER_SIZE + SEGY_BINARY_HEADER_SIZE,
          "{}: {} bytes are too few for a SEG-Y file", text, bytes);
  SegyTraces in;
  in.file.reset(segy_open(path.c_str(), "rb"));
  require(in.file != nullptr, "{}: {}", text, std::generic_category().message(errno));
  require(segy_binheader(in.file.get(), in.header.data()) == SEGY_OK,
          "{}: its header cannot be read", text);
  in.little_endian = is_little_endian(in.header, text);
  in.format = in.field(SEGY_BIN_FORMAT);
  require_format(in.format, text);
  in.samples = in.field(SEGY_BIN_SAMPLES) & 0xffff;
  require(in.samples > 0, "{}: bytes 3221 to 3222 of its header say {} samples a trace", text,
          in.samples);
  segy_set_format(in.file.get(), in.format | (in.little_endian ? SEGY_LSB : SEGY_MSB));
  in.first = first_trace(in.header, in.little_endian, text);
  in.interval = interval_of(in, text);
  in.trace_bytes = segy_trsize(in.format, in.samples);
  require(segy_traces(in.file.get(), &in.traces, in.first, in.trace_bytes) == SEGY_OK,
          "{}: its {} bytes are not whole traces of {} samples", text, bytes, in.samples);
  require_old_layout(in, text);
  return in;
}

}  // namespace tessera::io

#endif
