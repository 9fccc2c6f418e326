// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/segy_order.hpp"

#if TESSERA_HAVE_SEGY

#include "base/support/error.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera::io {

namespace {

/// The places of a trace are lengths: 0 does not tell, 2 to 4 are angles.
void require_lengths(const TraceHeader& header, std::int64_t trace, const std::string& text) {
  const int unit = header_field(header, SEGY_TR_COORD_UNITS);
  require(unit < 2,
          "{}: trace {} has places as angles (bytes 89 to 90: {}): convert them to metres; "
          "model.check_headers = false passes over it",
          text, trace + 1, unit);
}

}  // namespace

SegyOrder::SegyOrder(const SegyTraces& in, const ModelShape& shape, const HeaderChecks& checks,
                     std::string text)
    : text_(std::move(text)), shape_(shape) {
  const auto trace = [&](std::int64_t x, std::int64_t y) {
    return in.trace_header(static_cast<int>(y * shape.nx + x), text_);
  };
  const TraceHeader first = trace(0, 0);
  const TraceHeader last_x = trace(shape.nx - 1, 0);
  const TraceHeader last_y = trace(0, shape.ny - 1);
  const auto plane_of = [&](Field field) {
    const auto value = [&](const TraceHeader& header) {
      return header_metres(header, field.byte, field.scalar_byte);
    };
    const auto step = [&](const TraceHeader& last, std::int64_t n) {
      return n > 1 ? (value(last) - value(first)) / static_cast<double>(n - 1) : 0.0;
    };
    field.first = value(first);
    field.along_x = step(last_x, shape.nx);
    field.along_y = step(last_y, shape.ny);
    // Counted numbers are exact but for the division above.
    field.slack = field.scalar_byte == 0 ? 1e-3 : 2 * header_unit(first, field.scalar_byte);
    return field;
  };
  for (const Field& field :
       {Field{SEGY_TR_ENSEMBLE, 0, "CDP numbers"}, Field{SEGY_TR_INLINE, 0, "in-line numbers"},
        Field{SEGY_TR_CROSSLINE, 0, "cross-line numbers"}}) {
    fields_.push_back(plane_of(field));
    require_rising(fields_.back());
  }
  require_lengths(first, 0, text_);
  constexpr int kScalar = SEGY_TR_SOURCE_GROUP_SCALAR;
  for (const auto& [x, y] :
       {std::pair(Field{SEGY_TR_CDP_X, kScalar, "CDP x"}, Field{SEGY_TR_CDP_Y, kScalar, "CDP y"}),
        std::pair(Field{SEGY_TR_GROUP_X, kScalar, "group x"},
                  Field{SEGY_TR_GROUP_Y, kScalar, "group y"}),
        std::pair(Field{SEGY_TR_SOURCE_X, kScalar, "source x"},
                  Field{SEGY_TR_SOURCE_Y, kScalar, "source y"})}) {
    fields_.push_back(plane_of(x));
    fields_.push_back(plane_of(y));
    require_spacing(fields_[fields_.size() - 2], fields_.back(), checks);
    require_square(fields_[fields_.size() - 2], fields_.back());
  }
}

void SegyOrder::refuse(const Field& field, const std::string& why) const {
  fail("{}: {} (bytes {} to {}) {}; model.check_headers = false passes over it", text_, field.name,
       field.byte, field.byte + 3, why);
}

void SegyOrder::require_rising(const Field& field) const {
  const auto fine = [](double step) { return step >= 0 && step == std::floor(step); };
  if (fine(field.along_x) && fine(field.along_y)) return;
  refuse(field, fmt::format("go by {:g} a trace and {:g} a row of nx = {}: traces are read with "
                            "x fastest, then y, both rising",
                            field.along_x, field.along_y, shape_.nx));
}

void SegyOrder::require_spacing(const Field& x, const Field& y, const HeaderChecks& checks) const {
  const auto one = [&](double dx, double dy, std::int64_t n, std::optional<double> wanted,
                       bool swapped, char axis) {
    const double found = std::hypot(dx, dy);
    if (n < 2 || found == 0) return;
    // Along one axis of the coordinates alone it must be the right one, upward; turned grids are
    // taken as they are.
    const Field& other = axis == 'x' ? y : x;
    if (swapped) refuse(other, fmt::format("runs along the model's {} axis", axis));
    if (dx <= 0 && dy <= 0) refuse(axis == 'x' ? x : y, "falls along the file");
    const double slack = x.slack / static_cast<double>(n - 1) + 1e-3 * found;
    if (wanted && std::abs(found - *wanted) > slack) {
      refuse(axis == 'x' ? x : y,
             fmt::format("says {:g} m between traces along {}, not {:g} m: set model.d{}", found,
                         axis, *wanted, axis));
    }
  };
  one(x.along_x, y.along_x, shape_.nx, checks.dx, x.along_x == 0 && shape_.ny > 1, 'x');
  one(x.along_y, y.along_y, shape_.ny, checks.dy, y.along_y == 0, 'y');
}

void SegyOrder::require_square(const Field& x, const Field& y) const {
  const double length_x = std::hypot(x.along_x, y.along_x);
  const double length_y = std::hypot(x.along_y, y.along_y);
  if (shape_.nx < 2 || shape_.ny < 2 || length_x == 0 || length_y == 0) return;
  const double dot = x.along_x * x.along_y + y.along_x * y.along_y;
  const double cross = x.along_x * y.along_y - y.along_x * x.along_y;
  const double slack =
      1e-3 * length_x * length_y + x.slack * (length_x / static_cast<double>(shape_.ny - 1) +
                                              length_y / static_cast<double>(shape_.nx - 1));
  if (std::abs(dot) > slack) {
    constexpr double kDegrees = 57.29577951308232;
    refuse(y, fmt::format("and {} stand at {:.3g} degrees to each other along the file's x and y, "
                          "not at 90: resample the model to a grid of right angles",
                          x.name, kDegrees * std::acos(dot / (length_x * length_y))));
  }
  if (cross < 0) {
    refuse(y, fmt::format("and {}: the file's y points to the right of its x, not to the left: the "
                          "grid is mirrored, write its rows in reverse",
                          x.name));
  }
}

void SegyOrder::check(const TraceHeader& header, std::int64_t x, std::int64_t y) const {
  require_lengths(header, y * shape_.nx + x, text_);
  for (const Field& field : fields_) {
    const double value = header_metres(header, field.byte, field.scalar_byte);
    const double wanted = field.first + static_cast<double>(x) * field.along_x +
                          static_cast<double>(y) * field.along_y;
    if (std::abs(value - wanted) <= field.slack) continue;
    refuse(field,
           fmt::format("of trace {} are {:g}, in its place {:g} is due: traces are read with "
                       "x fastest (nx = {}), then y",
                       y * shape_.nx + x + 1, value, wanted, shape_.nx));
  }
}

}  // namespace tessera::io

#endif
