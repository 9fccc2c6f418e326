// SPDX-License-Identifier: Apache-2.0
// Velocity models from SEG-Y: a trace for each column. What a header says is used, or named and
// refused where this reader cannot follow it.
#include "io/model_files.hpp"

#include "support/error.hpp"

#if TESSERA_HAVE_SEGY
#include <segyio/segy.h>
#endif

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

namespace tessera::io {

namespace fs = std::filesystem;

#if TESSERA_HAVE_SEGY

namespace {

using SegyFile = std::unique_ptr<segy_file, int (*)(segy_file*)>;
using BinaryHeader = std::array<char, SEGY_BINARY_HEADER_SIZE>;

constexpr int kDefaultTraceLength = 3600;  // bytes before the first trace without extended headers

/// What the headers say of a file that this reader can follow.
struct Layout {
  ModelShape shape;
  int format = 0;
  bool little_endian = false;
  long first = 0;       // byte of the first trace
  int trace_bytes = 0;  // of the samples
  int samples = 0, traces = 0;
};

std::uint32_t swapped(std::uint32_t value) {
  return (value >> 24) | ((value >> 8) & 0xff00U) | ((value << 8) & 0xff0000U) | (value << 24);
}

/// A 16-bit field, by its byte as the standard counts them (from 3201).
int field16(const BinaryHeader& header, int byte, bool little_endian) {
  const auto at = static_cast<std::size_t>(byte - 3201);
  const auto a = static_cast<unsigned char>(header[at]);
  const auto b = static_cast<unsigned char>(header[at + 1]);
  const int value = little_endian ? b << 8 | a : a << 8 | b;
  return value < 0x8000 ? value : value - 0x10000;
}

bool is_format(int format) { return format >= 1 && format <= 16; }

/// Whether the file is little-endian: revision 2 says so in bytes 3297 to 3300, and in files of any
/// revision the sample format is one of a few small numbers in one order of bytes only.
bool is_little_endian(const BinaryHeader& header) {
  std::uint32_t mark = 0;
  std::memcpy(&mark, header.data() + (3297 - 3201), sizeof mark);
  if constexpr (std::endian::native == std::endian::little) mark = swapped(mark);
  if (mark == 0x01020304) return false;
  if (mark == 0x04030201) return true;
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

SegyFile open(const fs::path& path, const std::string& text) {
  const std::uint64_t bytes = model_file_bytes(path);
  require(bytes > SEGY_TEXT_HEADER_SIZE + SEGY_BINARY_HEADER_SIZE,
          "{}: {} bytes are too few for a SEG-Y file", text, bytes);
  SegyFile file(segy_open(path.c_str(), "rb"), segy_close);
  require(file != nullptr, "{}: {}", text, std::generic_category().message(errno));
  return file;
}

/// The interval between samples contradicts the deck where it is dz neither in m nor in mm.
void require_spacing(int interval, std::optional<double> dz, const std::string& text) {
  if (interval <= 0 || !dz) return;
  const auto is = [&](double value) { return std::abs(value - interval) <= 0.5; };
  require(is(*dz) || is(1000 * *dz),
          "{}: its header says {} between samples, neither {:g} m nor mm as model.dz has it; "
          "model.check_headers = false passes over it",
          text, interval, *dz);
}

Layout read_layout(segy_file* file, const fs::path& path, std::int64_t nx, std::int64_t ny,
                   const SegyChecks& checks, const std::string& text) {
  BinaryHeader header{};
  require(segy_binheader(file, header.data()) == SEGY_OK, "{}: its header cannot be read", text);
  Layout layout;
  layout.little_endian = is_little_endian(header);
  const auto field = [&](int byte) { return field16(header, byte, layout.little_endian); };
  layout.format = field(SEGY_BIN_FORMAT);
  require_format(layout.format, text);
  layout.samples = field(SEGY_BIN_SAMPLES) & 0xffff;
  require(layout.samples > 0, "{}: its header says {} samples a trace", text, layout.samples);
  if (checks.headers) {
    require(field(SEGY_BIN_MEASUREMENT_SYSTEM) != 2,
            "{}: its header says feet: convert it to metres, or set model.check_headers = false",
            text);
    require_spacing(field(SEGY_BIN_INTERVAL) & 0xffff, checks.dz, text);
  }
  segy_set_format(file, layout.format | (layout.little_endian ? SEGY_LSB : SEGY_MSB));
  layout.first = first_trace(header, layout.little_endian, text);
  layout.trace_bytes = segy_trsize(layout.format, layout.samples);
  require(segy_traces(file, &layout.traces, layout.first, layout.trace_bytes) == SEGY_OK,
          "{}: its {} bytes are not whole traces of {} samples", text, model_file_bytes(path),
          layout.samples);
  layout.shape = {nx > 0 ? nx : layout.traces / ny, ny, layout.samples};
  require(layout.shape.nx * ny == layout.traces,
          "{}: it has {} traces, nx = {} times ny = {} are {}", text, layout.traces,
          layout.shape.nx, ny, layout.shape.nx * ny);
  return layout;
}

/// A sample as it comes from segy_to_native, in the format's own type.
float value_at(const std::vector<char>& trace, int format, int index) {
  const auto read = [&]<class T>(T value) {
    std::memcpy(&value, trace.data() + static_cast<std::size_t>(index) * sizeof(T), sizeof(T));
    return static_cast<float>(value);
  };
  switch (format) {
    case SEGY_SIGNED_INTEGER_4_BYTE:
      return read(std::int32_t{});
    case SEGY_SIGNED_SHORT_2_BYTE:
      return read(std::int16_t{});
    case SEGY_SIGNED_CHAR_1_BYTE:
      return read(std::int8_t{});
    default:
      return read(float{});
  }
}

void require_same_length(segy_file* file, const Layout& layout, int trace,
                         const std::string& text) {
  std::array<char, SEGY_TRACE_HEADER_SIZE> header{};
  std::int32_t samples = 0;
  require(segy_traceheader(file, trace, header.data(), layout.first, layout.trace_bytes) == SEGY_OK,
          "{}: the header of trace {} cannot be read", text, trace + 1);
  segy_get_field(header.data(), SEGY_TR_SAMPLE_COUNT, &samples);
  samples &= 0xffff;
  require(samples == 0 || samples == layout.samples,
          "{}: trace {} has {} samples, the others {}: columns of one length are wanted", text,
          trace + 1, samples, layout.samples);
}

}  // namespace

ModelShape segy_model_shape(const fs::path& path, std::int64_t nx, std::int64_t ny,
                            const SegyChecks& checks) {
  const std::string text = fmt::format("cannot read the velocity file {}", path.string());
  const SegyFile file = open(path, text);
  return read_layout(file.get(), path, nx, ny, checks, text).shape;
}

ModelFile read_segy_model(const fs::path& path, std::int64_t nx, std::int64_t ny,
                          const SegyChecks& checks) {
  const std::string text = fmt::format("cannot read the velocity file {}", path.string());
  const SegyFile file = open(path, text);
  const Layout layout = read_layout(file.get(), path, nx, ny, checks, text);
  ModelFile model = allocate_model(layout.shape, text);
  std::vector<char> trace(static_cast<std::size_t>(layout.trace_bytes));
  const auto traces = static_cast<std::size_t>(layout.traces);
  for (int t = 0; t < layout.traces; ++t) {
    if (checks.headers) require_same_length(file.get(), layout, t, text);
    require(
        segy_readtrace(file.get(), t, trace.data(), layout.first, layout.trace_bytes) == SEGY_OK,
        "{}: trace {} of {} cannot be read", text, t + 1, layout.traces);
    segy_to_native(layout.format, layout.samples, trace.data());
    // Traces run along z, the model along x: transposed here.
    for (int z = 0; z < layout.samples; ++z) {
      model.values[static_cast<std::size_t>(z) * traces + static_cast<std::size_t>(t)] =
          value_at(trace, layout.format, z);
    }
  }
  return model;
}

#else

ModelShape segy_model_shape(const fs::path& path, std::int64_t, std::int64_t, const SegyChecks&) {
  fail("cannot read the velocity file {}: this build has no SEG-Y support", path.string());
}
ModelFile read_segy_model(const fs::path& path, std::int64_t, std::int64_t, const SegyChecks&) {
  fail("cannot read the velocity file {}: this build has no SEG-Y support", path.string());
}

#endif

}  // namespace tessera::io
