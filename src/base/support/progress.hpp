// SPDX-License-Identifier: Apache-2.0
// How far a long run is: a bar on a terminal, a plain line every tenth elsewhere.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

namespace tessera {

/// A stage is what `part` counts from 0 to 1; the time left is the stage's.
class Progress {
 public:
  /// The bar is drawn where standard error is a terminal, never wider than it; otherwise lines go
  /// to `lines`, those of one stage at least `apart` seconds from each other.
  explicit Progress(std::FILE* lines, double apart = 0);

  /// Says that `part` of the stage is done, 0 ... 1, and `text` of it. A smaller part than the last
  /// begins another stage. Cheap: draws at most ten times a second.
  void update(double part, const std::string& text);
  /// Removes the bar, so that lines can follow.
  void clear() const;

 private:
  using Clock = std::chrono::steady_clock;

  std::FILE* lines_;
  double apart_;
  bool terminal_;
  double last_ = 2;  // part; above any, so that the first call begins a stage
  int tenths_ = 0;   // of the last line printed
  Clock::time_point start_, drawn_;
};

/// `text` cut to `width` columns (of one byte each).
[[nodiscard]] std::string fit_line(const std::string& text, std::size_t width);

}  // namespace tessera
