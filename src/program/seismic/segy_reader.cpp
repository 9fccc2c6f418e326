// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/segy_reader.hpp"

#include "base/support/error.hpp"
#include "program/seismic/model_files.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <system_error>

namespace tessera::io {
namespace {

using BinaryHeader = std::array<char, SEGY_BINARY_HEADER_SIZE>;

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

/// Revision 2 says it in bytes 3297 to 3300; in files of any revision the sample format is one of
/// a few small numbers in one order of bytes only.
bool is_little_endian(const BinaryHeader& header) {
  const std::uint64_t mark = word(header, 3297, 4, false);
  if (mark == 0x01020304 || mark == 0x04030201) return mark == 0x04030201;
  const auto is_format = [&](bool little) {
    const int format = field16(header, SEGY_BIN_FORMAT, little);
    return format >= 1 && format <= 16;
  };
  return !is_format(false) && is_format(true);
}

/// What later fields may say is refused where it says anything else than the older ones.
void require_old_layout(const SegyTraces& in) {
  const int revision = in.field(SEGY_BIN_SEGY_REVISION) & 0xffff;
  require(revision < 0x0300, "{}: bytes 3501 to 3502 say revision {}.{}: 0, 1 and 2 are read",
          in.text, revision >> 8, revision & 0xff);
  const int system = in.field(SEGY_BIN_MEASUREMENT_SYSTEM);
  require(system >= 0 && system <= 2,
          "{}: bytes 3255 to 3256 say measurement system {}: 1 is metres, 2 feet", in.text, system);
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
            "{}: bytes {} to {} say {} {}, expected {}", in.text, byte, byte + bytes - 1, found,
            what, expected);
  }
}

/// Bytes 3217 to 3218; where revision 2 gives it with more places, those count.
double interval_of(const SegyTraces& in) {
  if (in.field(SEGY_BIN_SEGY_REVISION) >= 0x0200) {
    const auto exact = std::bit_cast<double>(word(in.header, 3273, 8, in.little_endian));
    require(std::isfinite(exact) && exact >= 0,
            "{}: bytes 3273 to 3280 say {} between samples, not a positive number", in.text, exact);
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

double header_metres(const TraceHeader& header, int byte, int scalar_byte) {
  const int scalar = header_field(header, scalar_byte);
  const double value = header_field(header, byte);
  return scalar < 0 ? value / -scalar : value * std::max(scalar, 1);
}

int SegyTraces::field(int byte) const { return field16(header, byte, little_endian); }

TraceHeader SegyTraces::trace_header(int trace) const {
  TraceHeader bytes{};
  require(segy_traceheader(file.get(), trace, bytes.data(), first, trace_bytes) == SEGY_OK,
          "{}: the header of trace {} cannot be read", text, trace + 1);
  return bytes;
}

void SegyTraces::read(int trace, char* values) const {
  require(segy_readtrace(file.get(), trace, values, first, trace_bytes) == SEGY_OK,
          "{}: trace {} of {} cannot be read", text, trace + 1, traces);
}

SegyTraces open_segy(const std::filesystem::path& path, const std::string& text) {
  const std::uint64_t bytes = regular_file_bytes(path, text);
  constexpr int kHeaders = SEGY_TEXT_HEADER_SIZE + SEGY_BINARY_HEADER_SIZE;
  require(bytes > kHeaders, "{}: {} bytes are too few for a SEG-Y file", text, bytes);
  SegyTraces in;
  in.text = text;
  in.file.reset(segy_open(path.c_str(), "rb"));
  require(in.file != nullptr, "{}: {}", text, std::generic_category().message(errno));
  require(segy_binheader(in.file.get(), in.header.data()) == SEGY_OK,
          "{}: its header cannot be read", text);
  in.little_endian = is_little_endian(in.header);
  in.format = in.field(SEGY_BIN_FORMAT);
  constexpr int kFormats[] = {SEGY_IBM_FLOAT_4_BYTE, SEGY_SIGNED_INTEGER_4_BYTE,
                              SEGY_SIGNED_SHORT_2_BYTE, SEGY_IEEE_FLOAT_4_BYTE,
                              SEGY_SIGNED_CHAR_1_BYTE};
  require(std::find(std::begin(kFormats), std::end(kFormats), in.format) != std::end(kFormats),
          "{}: sample format {} is none of 1 (IBM float), 2, 3, 8 (integers of 4, 2, 1 bytes) and "
          "5 (IEEE float)",
          text, in.format);
  in.samples = in.field(SEGY_BIN_SAMPLES) & 0xffff;
  require(in.samples > 0, "{}: bytes 3221 to 3222 of its header say {} samples a trace", text,
          in.samples);
  segy_set_format(in.file.get(), in.format | (in.little_endian ? SEGY_LSB : SEGY_MSB));
  // Revision 0 has no extended headers: what stands in their field there counts for nothing.
  const int extended = in.field(SEGY_BIN_SEGY_REVISION) == 0 ? 0 : in.field(SEGY_BIN_EXT_HEADERS);
  require(extended >= 0, "{}: it has an unknown number of extended headers: give it a known one",
          text);
  in.first = kHeaders + static_cast<long>(extended) * SEGY_TEXT_HEADER_SIZE;
  in.interval = interval_of(in);
  in.trace_bytes = segy_trsize(in.format, in.samples);
  require(segy_traces(in.file.get(), &in.traces, in.first, in.trace_bytes) == SEGY_OK,
          "{}: its {} bytes are not whole traces of {} samples", text, bytes, in.samples);
  require_old_layout(in);
  return in;
}

}  // namespace tessera::io
