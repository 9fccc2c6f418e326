// SPDX-License-Identifier: Apache-2.0
// Whether the numbers and coordinates in the traces' headers of a model agree with the order in
// which the traces are read.
#pragma once

#if TESSERA_HAVE_SEGY

#include "program/seismic/model_files.hpp"
#include "program/seismic/segy_reader.hpp"

#include <array>
#include <string>
#include <vector>

namespace tessera::io {

/// Numbers of CDPs, in-lines and cross-lines, and coordinates, must rise evenly along the traces of
/// a row and from row to row, coordinates on a grid of right angles that is not mirrored; a field
/// that is the same in all traces says nothing. Made from the
/// headers of a file's corners, then asked for every trace that is read.
class SegyOrder {
 public:
  /// Throws Error, beginning with `text`, where the corners contradict the order or `checks`, or
  /// have angles for coordinates.
  SegyOrder(const SegyTraces& in, const ModelShape& shape, const HeaderChecks& checks,
            std::string text);

  /// Throws Error unless the header of the trace at (x, y) is what those of the corners promise,
  /// its coordinates in lengths.
  void check(const TraceHeader& header, std::int64_t x, std::int64_t y) const;

 private:
  /// A field as a plane over the file: value at the first trace, steps along x and y.
  struct Field {
    int byte;
    int scalar_byte;  // 0: a number that is counted
    const char* name;
    double first = 0, along_x = 0, along_y = 0;
    double slack = 0;  // rounding of stored coordinates, two units of the header
  };

  void require_rising(const Field& field) const;
  void require_spacing(const Field& x, const Field& y, const HeaderChecks& checks) const;
  /// Rows stand at right angles to traces, y to the left of x: a turned grid, no sheared or
  /// mirrored one.
  void require_square(const Field& x, const Field& y) const;
  [[noreturn]] void refuse(const Field& field, const std::string& why) const;

  std::string text_;
  ModelShape shape_;
  std::vector<Field> fields_;
};

}  // namespace tessera::io

#endif
