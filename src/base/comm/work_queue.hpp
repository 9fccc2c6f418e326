// SPDX-License-Identifier: Apache-2.0
// Pieces of work that groups of ranks take one by one, each when it is free: rank 0 of the groups'
// leaders hands them out, between two steps of its own work.
#pragma once

#include "base/comm/ranks.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tessera::comm {

class WorkQueue {
 public:
  /// What came of a piece, in the words of who did it.
  using Done = std::function<void(std::size_t piece, const std::string& report)>;

  /// The pieces, on rank 0 of `leaders`; others need not know them. `done` is called on rank 0.
  WorkQueue(const Ranks& leaders, std::vector<std::size_t> pieces, Done done);
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  /// The next piece of this leader; nothing when all are taken. Rank 0 then returns only when the
  /// others know it, and `done` has been called for all of theirs.
  [[nodiscard]] std::optional<std::size_t> take();
  /// To be called with what came of the piece, before the next is taken.
  void finish(std::size_t piece, const std::string& report);
  /// On rank 0: answers waiting leaders, without waiting for any. Nothing on others.
  void serve();
  /// On rank 0: leaders besides it that have work.

 private:
  [[nodiscard]] std::optional<std::size_t> next();
  bool answer(bool wait);

  Ranks leaders_;
  std::vector<std::size_t> pieces_;
  Done done_;
  std::size_t taken_ = 0;
  std::string report_;  // of the last piece, "PIECE REPORT"
  int asking_ = 0;      // leaders that do not know yet that all is taken
};

}  // namespace tessera::comm
