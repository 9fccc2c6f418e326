// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/segy_reader.hpp"

#include "base/support/console.hpp"
#include "base/support/error.hpp"
#include "program/seismic/model_files.hpp"
#include "program/seismic/segy.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <system_error>
#include <tuple>
#include <utility>

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
          "{}: sample format {} is not supported: expected 1 (IBM float), 2, 3, 8 (integers of 4, "
          "2, 1 bytes) and "
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

namespace {

Position source_of(const TraceHeader& h) {
  return {header_metres(h, SEGY_TR_SOURCE_X, SEGY_TR_SOURCE_GROUP_SCALAR),
          header_metres(h, SEGY_TR_SOURCE_Y, SEGY_TR_SOURCE_GROUP_SCALAR),
          header_metres(h, SEGY_TR_SOURCE_DEPTH, SEGY_TR_ELEV_SCALAR) -
              header_metres(h, SEGY_TR_SOURCE_SURF_ELEV, SEGY_TR_ELEV_SCALAR)};
}

Position receiver_of(const TraceHeader& h) {
  // + 0.0: of an elevation of 0 too the depth is no negative zero.
  return {header_metres(h, SEGY_TR_GROUP_X, SEGY_TR_SOURCE_GROUP_SCALAR),
          header_metres(h, SEGY_TR_GROUP_Y, SEGY_TR_SOURCE_GROUP_SCALAR),
          -header_metres(h, SEGY_TR_RECV_GROUP_ELEV, SEGY_TR_ELEV_SCALAR) + 0.0};
}

/// Traces that record nothing of a shot, by their identification code.
class LeftOut {
 public:
  /// Whether a trace is one of them: it is counted.
  bool take(const TraceHeader& header) {
    const int id = header_field(header, SEGY_TR_TRACE_ID);
    // 0 means unknown; 1 is seismic data, 11 to 17 those of a pressure sensor and of components.
    if (id == 0 || id == 1 || (id >= 11 && id <= 17)) return false;
    constexpr int kDead = 2;
    ++(id == kDead ? dead_ : auxiliary_);
    return true;
  }

  void tell(const std::string& path, int traces) const {
    if (dead_ + auxiliary_ == 0) return;
    warn(fmt::format("{}: of {} traces {} dead and {} auxiliary ones are left out (bytes 29 to 30)",
                     path, traces, dead_, auxiliary_));
  }

 private:
  int dead_ = 0, auxiliary_ = 0;
};

/// Numbers from 1 on, in their order, where one of the file's is below 1: they name folders.
void number_from_one(std::vector<SegyShot>& shots, const std::string& path) {
  const auto low = std::find_if(shots.begin(), shots.end(), [](auto& s) { return s.number < 1; });
  if (low == shots.end()) return;
  warn(
      fmt::format("{}: it has the field record {} (bytes 9 to 12), below 1: its {} shots are "
                  "numbered anew, from 1",
                  path, low->number, shots.size()));
  int number = 0;
  for (SegyShot& shot : shots) shot.number = ++number;
}

}  // namespace

std::vector<SegyShot> read_segy_geometry(const std::filesystem::path& path) {
  const std::string text = fmt::format("cannot read the geometry of {}", path.string());
  const SegyTraces in = open_segy(path, text);
  require(in.field(SEGY_BIN_MEASUREMENT_SYSTEM) != 2,
          "{}: its header says feet: convert it to metres", text);
  std::vector<SegyShot> shots;
  LeftOut left_out;
  std::map<std::tuple<int, double, double, double>, std::size_t> known;
  for (int t = 0; t < in.traces; ++t) {
    const TraceHeader header = in.trace_header(t);
    if (left_out.take(header)) continue;
    const int number = header_field(header, SEGY_TR_FIELD_RECORD);
    const int unit = header_field(header, SEGY_TR_COORD_UNITS);
    require(unit < 2,
            "{}: trace {} has places as angles (bytes 89 to 90: {}): convert them to metres", text,
            t + 1, unit);
    const Position source = source_of(header);
    const auto [found, fresh] =
        known.emplace(std::tuple(number, source.x, source.y, source.z), shots.size());
    if (fresh) shots.push_back({number, source, {}});
    shots[found->second].receivers.push_back(receiver_of(header));
  }
  require(!shots.empty(),
          "{}: bytes 29 to 30 mark all its {} traces as dead or auxiliary: set them to 1 for data",
          text, in.traces);
  left_out.tell(path.string(), in.traces);
  number_from_one(shots, path.string());
  return shots;
}

}  // namespace tessera::io
