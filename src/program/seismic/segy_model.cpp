// SPDX-License-Identifier: Apache-2.0
// Velocity models from SEG-Y: a trace for each column. What a header says is used, or named and
// refused where this reader cannot follow it.
#include "program/seismic/model_files.hpp"
#include "program/seismic/segy_order.hpp"
#include "program/seismic/segy_reader.hpp"

#include "base/support/console.hpp"
#include "base/support/error.hpp"

#include <cmath>
#include <cstring>
#include <utility>

namespace tessera::io {

namespace fs = std::filesystem;

#if TESSERA_HAVE_SEGY

namespace {

/// The interval between samples contradicts the deck where it is dz neither in m nor in mm.
void require_spacing(double interval, std::optional<double> dz, const std::string& text) {
  if (interval <= 0 || !dz) return;
  const auto is = [&](double value) { return std::abs(value - interval) <= 0.5; };
  require(is(*dz) || is(1000 * *dz),
          "{}: its header says {:g} between samples, neither in m nor in mm the {:g} m of model.dz "
          "(without it: of the grid): set model.dz; model.check_headers = false passes over it",
          text, interval, *dz);
}

/// Between samples, by the file's header or else by its first trace's.
double sample_interval(const SegyTraces& in, const std::string& text) {
  if (in.interval > 0 || in.traces < 1) return in.interval;
  return header_field(in.trace_header(0, text), SEGY_TR_SAMPLE_INTER) & 0xffff;
}

/// The shape of the model. Throws Error where the headers and the deck contradict each other.
ModelShape shape_of(const SegyTraces& in, std::int64_t nx, std::int64_t ny,
                    const HeaderChecks& checks, const std::string& text) {
  if (checks.headers) {
    require(in.field(SEGY_BIN_MEASUREMENT_SYSTEM) != 2,
            "{}: its header says feet: convert it to metres, or set model.check_headers = false",
            text);
    if (in.samples > 1) require_spacing(sample_interval(in, text), checks.dz, text);
  }
  const ModelShape shape{nx > 0 ? nx : in.traces / ny, ny, in.samples};
  require(shape.nx * ny == in.traces, "{}: it has {} traces, nx = {} times ny = {} are {}", text,
          in.traces, shape.nx, ny, shape.nx * ny);
  return shape;
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

/// What a trace's header says must be what all are read by: it cannot be followed trace by trace.
void require_like_the_others(const SegyTraces& in, const TraceHeader& header, int trace,
                             double interval, const std::string& text) {
  const auto field = [&](int byte) { return header_field(header, byte); };
  const auto refuse_unless = [&](bool fine, int byte, const char* what) {
    require(fine,
            "{}: trace {} has {} (bytes {} to {}: {}); model.check_headers = false passes over it",
            text, trace + 1, what, byte, byte + 1, field(byte));
  };
  const int own = field(SEGY_TR_SAMPLE_INTER) & 0xffff;
  // Revision 2 may give the file's with more places than the trace's field has.
  refuse_unless(own == 0 || std::abs(own - interval) <= 0.5, SEGY_TR_SAMPLE_INTER,
                "another interval than the file");
  refuse_unless(field(SEGY_TR_DELAY_REC_TIME) == 0, SEGY_TR_DELAY_REC_TIME,
                "a first sample that is not at the top");
  refuse_unless(field(SEGY_TR_WEIGHTING_FAC) == 0, SEGY_TR_WEIGHTING_FAC,
                "samples that are weighted");
  constexpr int kData = 1, kDead = 2;
  const int id = field(SEGY_TR_TRACE_ID);
  refuse_unless(id != kDead, SEGY_TR_TRACE_ID, "no samples: it is dead");
  refuse_unless(id == 0 || id == kData, SEGY_TR_TRACE_ID, "no data: it is an auxiliary one");
  const int mantissa = field(SEGY_TR_TRANSDUCTION_MANT);
  const double factor = mantissa * std::pow(10.0, field(SEGY_TR_TRANSDUCTION_EXP));
  refuse_unless(mantissa == 0 || std::abs(factor - 1) < 1e-9, SEGY_TR_TRANSDUCTION_MANT,
                "samples to be multiplied by a constant");
  // 1 to 9 are units of measured quantities, 6 of them is m/s; 0 and -1 do not tell.
  constexpr int kMetresPerSecond = 6;
  const int unit = field(SEGY_TR_MEASURE_UNIT);
  refuse_unless(unit <= 0 || unit == kMetresPerSecond, SEGY_TR_MEASURE_UNIT,
                "samples that are no velocities");
  const int samples = field(SEGY_TR_SAMPLE_COUNT) & 0xffff;
  require(samples == 0 || samples == in.samples,
          "{}: trace {} has {} samples, the others {}: columns of one length are required", text,
          trace + 1, samples, in.samples);
}

/// Warns once, of the first trace whose header has a time that a column of a model has no use for.
class UnusedTimes {
 public:
  explicit UnusedTimes(std::string path) : path_(std::move(path)) {}

  void look_at(const TraceHeader& header, int trace) {
    constexpr std::pair<int, const char*> kTimes[] = {
        {SEGY_TR_SOURCE_STATIC_CORR, "a static of the source"},
        {SEGY_TR_GROUP_STATIC_CORR, "a static of the receiver"},
        {SEGY_TR_TOT_STATIC_APPLIED, "a static"},
        {SEGY_TR_LAG_A, "a lag time"},
        {SEGY_TR_LAG_B, "a lag time"},
        {SEGY_TR_MUTE_TIME_START, "a mute"},
        {SEGY_TR_MUTE_TIME_END, "a mute"}};
    for (const auto& [byte, what] : kTimes) {
      const int value = header_field(header, byte);
      if (told_ || value == 0) continue;
      told_ = true;
      warn(
          fmt::format("{}: trace {} has {} (bytes {} to {}: {}), which is not applied: samples are "
                      "taken as they are; model.check_headers = false says no more of it",
                      path_, trace + 1, what, byte, byte + 1, value));
    }
  }

 private:
  std::string path_;
  bool told_ = false;
};

}  // namespace

ModelShape segy_model_shape(const fs::path& path, std::int64_t nx, std::int64_t ny,
                            const HeaderChecks& checks) {
  const std::string text = fmt::format("cannot read the velocity file {}", path.string());
  return shape_of(open_segy(path, text), nx, ny, checks, text);
}

ModelFile read_segy_model(const fs::path& path, std::int64_t nx, std::int64_t ny,
                          const HeaderChecks& checks, const CellBox& part) {
  const std::string text = fmt::format("cannot read the velocity file {}", path.string());
  const SegyTraces in = open_segy(path, text);
  const ModelShape shape = shape_of(in, nx, ny, checks, text);
  ModelFile model = allocate_model({part.nx(), part.ny(), part.nz()}, text);
  std::vector<char> trace(static_cast<std::size_t>(in.trace_bytes));
  std::optional<SegyOrder> order;
  UnusedTimes times(path.string());
  if (checks.headers) order.emplace(in, shape, checks, text);
  const double interval = checks.headers ? sample_interval(in, text) : 0;
  const std::int64_t columns = part.nx() * part.ny();
  for (std::int64_t column = 0; column < columns; ++column) {
    const std::int64_t x = part.x0 + column % part.nx();
    const std::int64_t y = part.y0 + column / part.nx();
    const auto t = static_cast<int>(y * shape.nx + x);
    if (order) {
      const TraceHeader header = in.trace_header(t, text);
      require_like_the_others(in, header, t, interval, text);
      times.look_at(header, t);
      order->check(header, x, y);
    }
    require(segy_readtrace(in.file.get(), t, trace.data(), in.first, in.trace_bytes) == SEGY_OK,
            "{}: trace {} of {} cannot be read", text, t + 1, in.traces);
    segy_to_native(in.format, in.samples, trace.data());
    // Traces run along z, the model along x: transposed here.
    for (std::int64_t z = part.z0; z < part.z1; ++z) {
      model.values[static_cast<std::size_t>((z - part.z0) * columns + column)] =
          value_at(trace, in.format, static_cast<int>(z));
    }
  }
  return model;
}

#else

ModelShape segy_model_shape(const fs::path& path, std::int64_t, std::int64_t, const HeaderChecks&) {
  fail("cannot read the velocity file {}: this build has no SEG-Y support", path.string());
}
ModelFile read_segy_model(const fs::path& path, std::int64_t, std::int64_t, const HeaderChecks&,
                          const CellBox&) {
  fail("cannot read the velocity file {}: this build has no SEG-Y support", path.string());
}

#endif

}  // namespace tessera::io
