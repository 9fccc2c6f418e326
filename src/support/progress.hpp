// SPDX-License-Identifier: Apache-2.0
// How far a long run is: a bar on a terminal, a plain line every tenth elsewhere.
#pragma once

#include <chrono>
#include <cstdint>

namespace tessera {

class Progress {
 public:
  /// `steps` steps of `cells` cell updates each. The bar is drawn where standard error is a
  /// terminal; otherwise the lines go to standard output.
  Progress(std::int64_t steps, double cells);

  /// Says that `done` steps are done. Cheap: draws at most ten times a second.
  void update(std::int64_t done);
  /// Removes the bar, so that lines can follow.
  void clear() const;

 private:
  using Clock = std::chrono::steady_clock;

  std::int64_t steps_;
  double cells_;
  bool terminal_;
  Clock::time_point start_, drawn_;
  std::int64_t tenths_ = 0;  // plain lines so far
};

}  // namespace tessera
