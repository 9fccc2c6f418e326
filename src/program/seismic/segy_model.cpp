// SPDX-License-Identifier: Apache-2.0
// Velocity models from SEG-Y: a trace for each column. What headers say otherwise is refused.
#include "program/seismic/model_files.hpp"
#include "program/seismic/segy_reader.hpp"

#include "base/support/error.hpp"

#include <cmath>
#include <cstring>
#include <utility>

namespace tessera::io {

namespace fs = std::filesystem;

#if TESSERA_HAVE_SEGY

namespace {

/// How messages about what headers say end.
constexpr const char* kOtherSegy =
    "tools/convert_model.py makes a model of it, model.check_headers = false ignores headers";

/// The interval between samples contradicts the deck where it is dz neither in m nor in mm.
void require_spacing(double interval, std::optional<double> dz, const std::string& text) {
  if (interval <= 0 || !dz) return;
  const auto is = [&](double value) { return std::abs(value - interval) <= 0.5; };
  require(is(*dz) || is(1000 * *dz),
          "{}: its header says {:g} between samples, neither in m nor in mm the {:g} m of model.dz "
          "(without it: of the grid): set model.dz, or {}",
          text, interval, *dz, kOtherSegy);
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
    require(in.field(SEGY_BIN_MEASUREMENT_SYSTEM) != 2, "{}: its header says feet: {}", text,
            kOtherSegy);
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

/// Whether traces are columns of a model in the order in which they are read: x fastest, then y,
/// both rising, on a grid of right angles, turned or not. A field that is the same in all traces
/// says nothing.
class Columns {
 public:
  /// By the headers of three corners. Throws Error where they contradict the order or the spacings.
  Columns(const SegyTraces& in, const ModelShape& shape, const HeaderChecks& checks,
          std::string text)
      : text_(std::move(text)),
        shape_(shape),
        interval_(sample_interval(in, text_)),
        samples_(in.samples) {
    const auto header = [&](std::int64_t x, std::int64_t y) {
      return in.trace_header(static_cast<int>(y * shape.nx + x), text_);
    };
    const TraceHeader first = header(0, 0), last_x = header(shape.nx - 1, 0),
                      last_y = header(0, shape.ny - 1);
    const auto plane = [&](int byte, int scalar) {
      const auto step = [&](const TraceHeader& last, std::int64_t n) {
        const double whole = header_metres(last, byte, scalar) - header_metres(first, byte, scalar);
        return n > 1 ? whole / static_cast<double>(n - 1) : 0.0;
      };
      planes_.push_back({byte, scalar, header_metres(first, byte, scalar), step(last_x, shape.nx),
                         step(last_y, shape.ny),
                         scalar == 0 ? 1e-3 : 2 * header_unit(first, scalar)});
      return planes_.back();
    };
    for (const int byte : {SEGY_TR_ENSEMBLE, SEGY_TR_INLINE, SEGY_TR_CROSSLINE}) {
      const Plane numbers = plane(byte, 0);
      if (numbers.along_x < 0 || numbers.along_y < 0) refuse_order(numbers, "fall along the file");
    }
    constexpr int kScalar = SEGY_TR_SOURCE_GROUP_SCALAR;
    for (const auto& [byte_x, byte_y] :
         {std::pair(SEGY_TR_CDP_X, SEGY_TR_CDP_Y), std::pair(SEGY_TR_GROUP_X, SEGY_TR_GROUP_Y),
          std::pair(SEGY_TR_SOURCE_X, SEGY_TR_SOURCE_Y)}) {
      const Plane x = plane(byte_x, kScalar), y = plane(byte_y, kScalar);
      require_grid(x, y, checks);
    }
  }

  /// Throws Error unless a trace is a column like the others, in the place that the corners
  /// promise.
  void check(const TraceHeader& header, std::int64_t x, std::int64_t y) const {
    const std::int64_t trace = y * shape_.nx + x + 1;
    const auto field = [&](int byte) { return header_field(header, byte); };
    const auto refuse_unless = [&](bool fine, int byte, const char* what) {
      require(fine, "{}: trace {} {} (bytes {} to {}: {}): {}", text_, trace, what, byte, byte + 1,
              field(byte), kOtherSegy);
    };
    for (const auto& [byte, what] : kZero) refuse_unless(field(byte) == 0, byte, what);
    const int own = field(SEGY_TR_SAMPLE_INTER) & 0xffff;
    // Revision 2 may give the file's with more places than the trace's field has.
    refuse_unless(own == 0 || std::abs(own - interval_) <= 0.5, SEGY_TR_SAMPLE_INTER,
                  "has another interval than the file");
    const int samples = field(SEGY_TR_SAMPLE_COUNT) & 0xffff, id = field(SEGY_TR_TRACE_ID);
    refuse_unless(samples == 0 || samples == samples_, SEGY_TR_SAMPLE_COUNT,
                  "is not as long as the others");
    refuse_unless(id == 0 || id == 1, SEGY_TR_TRACE_ID, "is dead or no data");
    refuse_unless(field(SEGY_TR_COORD_UNITS) < 2, SEGY_TR_COORD_UNITS, "has places as angles");
    const int mantissa = field(SEGY_TR_TRANSDUCTION_MANT);
    refuse_unless(mantissa == 0 || (mantissa == 1 && field(SEGY_TR_TRANSDUCTION_EXP) == 0),
                  SEGY_TR_TRANSDUCTION_MANT, "has samples to be multiplied by a constant");
    // 1 to 9 are units of measured quantities, 6 of them is m/s; 0 and -1 do not tell.
    const int unit = field(SEGY_TR_MEASURE_UNIT);
    refuse_unless(unit <= 0 || unit == 6, SEGY_TR_MEASURE_UNIT,
                  "has samples that are no velocities");
    for (const Plane& plane : planes_) {
      const double value = header_metres(header, plane.byte, plane.scalar);
      const double due = plane.first + static_cast<double>(x) * plane.along_x +
                         static_cast<double>(y) * plane.along_y;
      if (std::abs(value - due) <= plane.slack) continue;
      refuse_order(plane, fmt::format("are {:g} in trace {}, expected {:g}", value, trace, due));
    }
  }

 private:
  /// A field over the file: value at the first trace, steps along x and y.
  struct Plane {
    int byte, scalar;  // scalar 0: a number that is counted
    double first, along_x, along_y;
    double slack;  // rounding of stored coordinates, two units of the header
  };
  /// What a column of a model has no use for.
  static constexpr std::pair<int, const char*> kZero[] = {
      {SEGY_TR_DELAY_REC_TIME, "has a first sample that is not at the top"},
      {SEGY_TR_WEIGHTING_FAC, "has weighted samples"},
      {SEGY_TR_SOURCE_STATIC_CORR, "has a static"},
      {SEGY_TR_GROUP_STATIC_CORR, "has a static"},
      {SEGY_TR_TOT_STATIC_APPLIED, "has a static"},
      {SEGY_TR_LAG_A, "has a lag"},
      {SEGY_TR_LAG_B, "has a lag"},
      {SEGY_TR_MUTE_TIME_START, "has a mute"},
      {SEGY_TR_MUTE_TIME_END, "has a mute"}};

  [[noreturn]] void refuse_order(const Plane& plane, const std::string& why) const {
    fail("{}: bytes {} to {} {} (traces are read with x fastest, nx = {}, then y): {}", text_,
         plane.byte, plane.byte + 3, why, shape_.nx, kOtherSegy);
  }

  /// Spacings are the deck's; y lies to the left of x, at right angles.
  void require_grid(const Plane& x, const Plane& y, const HeaderChecks& checks) const {
    const auto axis = [&](double dx, double dy, std::int64_t n, std::optional<double> expected,
                          char name) {
      const double length = std::hypot(dx, dy);
      if (n < 2 || length == 0) return 0.0;
      if (dx <= 0 && dy <= 0) refuse_order(x, fmt::format("fall along {}", name));
      const double slack = x.slack / static_cast<double>(n - 1) + 1e-3 * length;
      if (expected && std::abs(length - *expected) > slack) {
        refuse_order(x, fmt::format("say {:g} m between traces along {}, not {:g} m: set model.d{}",
                                    length, name, *expected, name));
      }
      return slack / length;
    };
    const double error = axis(x.along_x, y.along_x, shape_.nx, checks.dx, 'x') +
                         axis(x.along_y, y.along_y, shape_.ny, checks.dy, 'y');
    const double lengths = std::hypot(x.along_x, y.along_x) * std::hypot(x.along_y, y.along_y);
    const double dot = x.along_x * x.along_y + y.along_x * y.along_y;
    const double cross = x.along_x * y.along_y - y.along_x * x.along_y;
    if (std::abs(dot) > error * lengths) refuse_order(x, "are of a sheared grid");
    if (cross < 0) refuse_order(x, "are of a mirrored grid");
  }

  std::string text_;
  ModelShape shape_;
  double interval_;
  int samples_;
  std::vector<Plane> planes_;
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
  std::optional<Columns> expected;
  if (checks.headers) expected.emplace(in, shape, checks, text);
  const std::int64_t columns = part.nx() * part.ny();
  for (std::int64_t column = 0; column < columns; ++column) {
    const std::int64_t x = part.x0 + column % part.nx();
    const std::int64_t y = part.y0 + column / part.nx();
    const auto t = static_cast<int>(y * shape.nx + x);
    if (expected) expected->check(in.trace_header(t, text), x, y);
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
