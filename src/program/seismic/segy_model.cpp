// SPDX-License-Identifier: Apache-2.0
// Velocity models from SEG-Y: a trace for each column. Headers that contradict this are refused.
#include "base/support/error.hpp"
#include "program/seismic/model_files.hpp"
#include "program/seismic/segy_reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace tessera::io {
namespace {

/// How messages about what headers say end.
constexpr const char* kOtherSegy =
    "tools/convert_model.py makes a model of it, model.check_headers = false ignores headers";

SegyTraces open_model(const std::filesystem::path& path) {
  return open_segy(path, fmt::format("cannot read the velocity file {}", path.string()));
}

/// Between samples, by the file's header or else by its first trace's.
double sample_interval(const SegyTraces& in) {
  if (in.interval > 0 || in.traces < 1) return in.interval;
  return header_field(in.trace_header(0), SEGY_TR_SAMPLE_INTER) & 0xffff;
}

/// Traces of a row: until its in-line or its cross-line number changes, whichever it has; all of
/// them where neither says.
std::int64_t traces_of_row(const SegyTraces& in) {
  for (const int byte : {SEGY_TR_INLINE, SEGY_TR_CROSSLINE}) {
    const auto number = [&](int trace) { return header_field(in.trace_header(trace), byte); };
    if (in.traces < 3 || number(0) != number(1)) continue;
    for (int t = 2; t < in.traces; ++t) {
      if (number(t) != number(0)) return t;
    }
  }
  return in.traces;
}

/// The shape of the model. Throws Error where the headers and the deck contradict each other.
ModelShape shape_of(const SegyTraces& in, std::int64_t nx, std::int64_t ny,
                    const HeaderChecks& checks) {
  if (checks.headers) {
    require(in.field(SEGY_BIN_MEASUREMENT_SYSTEM) != 2, "{}: its header says feet: {}", in.text,
            kOtherSegy);
    const double interval = in.samples > 1 ? sample_interval(in) : 0;
    const double dz = checks.dz.value_or(interval);
    // In m or in mm.
    require(
        interval <= 0 || std::abs(dz - interval) <= 0.5 || std::abs(1000 * dz - interval) <= 0.5,
        "{}: its header says {:g} between samples, neither in m nor in mm the {:g} m of "
        "model.dz (without it: of the grid): set model.dz, or {}",
        in.text, interval, dz, kOtherSegy);
  }
  if (nx == 0 && ny == 0 && checks.headers) {
    nx = traces_of_row(in);
    if (nx > 0) ny = in.traces / nx;
  }
  ny = std::max<std::int64_t>(ny, 1);
  const ModelShape shape{nx > 0 ? nx : in.traces / ny, ny, in.samples};
  require(shape.nx * ny == in.traces, "{}: it has {} traces, nx = {} times ny = {} are {}", in.text,
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

/// A field over the file, by three of its corners: value at the first trace, steps along x and y.
struct Plane {
  int byte;
  double first, along_x, along_y;
};

/// Whether traces are columns of a model in the order in which they are read: x fastest, then y, on
/// a grid of right angles, turned or not. A field that is the same in all traces says nothing.
class Columns {
 public:
  /// Throws Error where the headers of three corners contradict the order or the spacings.
  Columns(const SegyTraces& in, const ModelShape& shape, const HeaderChecks& checks)
      : text_(in.text), shape_(shape), interval_(sample_interval(in)), samples_(in.samples) {
    const auto header = [&](std::int64_t x, std::int64_t y) {
      return in.trace_header(static_cast<int>(y * shape.nx + x));
    };
    const TraceHeader first = header(0, 0), last_x = header(shape.nx - 1, 0),
                      last_y = header(0, shape.ny - 1);
    const auto plane = [&](int byte) {
      const auto step = [&](const TraceHeader& last, std::int64_t n) {
        return n > 1 ? (value(last, byte) - value(first, byte)) / static_cast<double>(n - 1) : 0.0;
      };
      planes_.push_back({byte, value(first, byte), step(last_x, shape.nx), step(last_y, shape.ny)});
      return planes_.back();
    };
    for (const int byte : {SEGY_TR_ENSEMBLE, SEGY_TR_INLINE, SEGY_TR_CROSSLINE}) {
      const Plane numbers = plane(byte);
      if (numbers.along_x < 0 || numbers.along_y < 0) refuse_order(byte, "fall along the file");
    }
    // What stored places are rounded to: two units of the header.
    const int scalar = header_field(first, SEGY_TR_SOURCE_GROUP_SCALAR);
    slack_ = scalar < 0 ? 2.0 / -scalar : 2.0 * std::max(scalar, 1);
    for (const auto& [x, y] :
         {std::pair(SEGY_TR_CDP_X, SEGY_TR_CDP_Y), std::pair(SEGY_TR_GROUP_X, SEGY_TR_GROUP_Y),
          std::pair(SEGY_TR_SOURCE_X, SEGY_TR_SOURCE_Y)}) {
      require_grid(plane(x), plane(y), checks);
    }
  }

  /// Throws Error unless a trace is a column like the others, in the place that the corners
  /// promise.
  void check(const TraceHeader& header, std::int64_t x, std::int64_t y) const {
    const std::int64_t trace = y * shape_.nx + x + 1;
    const auto field = [&](int byte) { return header_field(header, byte); };
    const auto allow = [&](int byte, bool fine) {
      require(fine, "{}: bytes {} to {} of trace {} say {}, which is not a column of a model: {}",
              text_, byte, byte + 1, trace, field(byte), kOtherSegy);
    };
    // A first sample below the top, weights, statics, lags, mutes.
    for (const int byte :
         {SEGY_TR_DELAY_REC_TIME, SEGY_TR_WEIGHTING_FAC, SEGY_TR_SOURCE_STATIC_CORR,
          SEGY_TR_GROUP_STATIC_CORR, SEGY_TR_TOT_STATIC_APPLIED, SEGY_TR_LAG_A, SEGY_TR_LAG_B,
          SEGY_TR_MUTE_TIME_START, SEGY_TR_MUTE_TIME_END}) {
      allow(byte, field(byte) == 0);
    }
    // Revision 2 may give the file's interval with more places than the trace's field has.
    const int interval = field(SEGY_TR_SAMPLE_INTER) & 0xffff;
    allow(SEGY_TR_SAMPLE_INTER, interval == 0 || std::abs(interval - interval_) <= 0.5);
    const int samples = field(SEGY_TR_SAMPLE_COUNT) & 0xffff;
    allow(SEGY_TR_SAMPLE_COUNT, samples == 0 || samples == samples_);
    allow(SEGY_TR_TRACE_ID, field(SEGY_TR_TRACE_ID) == 0 || field(SEGY_TR_TRACE_ID) == 1);
    allow(SEGY_TR_COORD_UNITS, field(SEGY_TR_COORD_UNITS) < 2);  // above: angles
    const int factor = field(SEGY_TR_TRANSDUCTION_MANT);
    allow(SEGY_TR_TRANSDUCTION_MANT,
          factor == 0 || (factor == 1 && field(SEGY_TR_TRANSDUCTION_EXP) == 0));
    // 1 to 9 are units of measured quantities, 6 of them is m/s; 0 and -1 mean unknown.
    allow(SEGY_TR_MEASURE_UNIT,
          field(SEGY_TR_MEASURE_UNIT) <= 0 || field(SEGY_TR_MEASURE_UNIT) == 6);
    for (const Plane& plane : planes_) {
      const double found = value(header, plane.byte);
      const double due = plane.first + static_cast<double>(x) * plane.along_x +
                         static_cast<double>(y) * plane.along_y;
      if (std::abs(found - due) <= (is_number(plane.byte) ? 1e-3 : slack_)) continue;
      refuse_order(plane.byte,
                   fmt::format("are {:g} in trace {}, expected {:g}", found, trace, due));
    }
  }

 private:
  /// Of the fields that are looked at, those that count traces; the others are places.
  static bool is_number(int byte) {
    return byte == SEGY_TR_ENSEMBLE || byte == SEGY_TR_INLINE || byte == SEGY_TR_CROSSLINE;
  }
  static double value(const TraceHeader& header, int byte) {
    return is_number(byte) ? header_field(header, byte)
                           : header_metres(header, byte, SEGY_TR_SOURCE_GROUP_SCALAR);
  }

  [[noreturn]] void refuse_order(int byte, const std::string& why) const {
    fail("{}: bytes {} to {} {} (traces are read with x fastest, nx = {}, then y): {}", text_, byte,
         byte + 3, why, shape_.nx, kOtherSegy);
  }

  /// Spacings are the deck's; y lies to the left of x, at right angles.
  void require_grid(const Plane& x, const Plane& y, const HeaderChecks& checks) const {
    const auto axis = [&](double dx, double dy, std::int64_t n, std::optional<double> expected,
                          char name) {
      const double length = std::hypot(dx, dy);
      if (n < 2 || length == 0) return 0.0;
      if (dx <= 0 && dy <= 0) refuse_order(x.byte, fmt::format("fall along {}", name));
      const double slack = slack_ / static_cast<double>(n - 1) + 1e-3 * length;
      if (expected && std::abs(length - *expected) > slack) {
        refuse_order(x.byte, fmt::format("say {:g} m between traces along {}, not {:g} m: set "
                                         "model.d{}",
                                         length, name, *expected, name));
      }
      return slack / length;
    };
    const double error = axis(x.along_x, y.along_x, shape_.nx, checks.dx, 'x') +
                         axis(x.along_y, y.along_y, shape_.ny, checks.dy, 'y');
    const double lengths = std::hypot(x.along_x, y.along_x) * std::hypot(x.along_y, y.along_y);
    const double dot = x.along_x * x.along_y + y.along_x * y.along_y;
    const double cross = x.along_x * y.along_y - y.along_x * x.along_y;
    if (std::abs(dot) > error * lengths) refuse_order(x.byte, "are of a sheared grid");
    if (cross < 0) refuse_order(x.byte, "are of a mirrored grid");
  }

  std::string text_;
  ModelShape shape_;
  double interval_;
  int samples_;
  double slack_ = 0;
  std::vector<Plane> planes_;
};

}  // namespace

ModelShape segy_model_shape(const std::filesystem::path& path, std::int64_t nx, std::int64_t ny,
                            const HeaderChecks& checks) {
  return shape_of(open_model(path), nx, ny, checks);
}

ModelFile read_segy_model(const std::filesystem::path& path, std::int64_t nx, std::int64_t ny,
                          const HeaderChecks& checks, const CellBox& part) {
  const SegyTraces in = open_model(path);
  const ModelShape shape = shape_of(in, nx, ny, checks);
  ModelFile model = allocate_model({part.nx(), part.ny(), part.nz()}, in.text);
  std::vector<char> trace(static_cast<std::size_t>(in.trace_bytes));
  std::optional<Columns> expected;
  if (checks.headers) expected.emplace(in, shape, checks);
  const std::int64_t columns = part.nx() * part.ny();
  for (std::int64_t column = 0; column < columns; ++column) {
    const std::int64_t x = part.x0 + column % part.nx();
    const std::int64_t y = part.y0 + column / part.nx();
    const auto t = static_cast<int>(y * shape.nx + x);
    if (expected) expected->check(in.trace_header(t), x, y);
    in.read(t, trace.data());
    segy_to_native(in.format, in.samples, trace.data());
    // Traces run along z, the model along x: transposed here.
    for (std::int64_t z = part.z0; z < part.z1; ++z) {
      model.values[static_cast<std::size_t>((z - part.z0) * columns + column)] =
          value_at(trace, in.format, static_cast<int>(z));
    }
  }
  return model;
}

}  // namespace tessera::io
