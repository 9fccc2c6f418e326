// SPDX-License-Identifier: Apache-2.0
// A build without MPI: one leader takes all.
#include "base/comm/work_queue.hpp"

#include <utility>

namespace tessera::comm {

WorkQueue::WorkQueue(const Ranks& leaders, std::vector<std::size_t> pieces, Done done)
    : leaders_(leaders), pieces_(std::move(pieces)), done_(std::move(done)) {}

std::optional<std::size_t> WorkQueue::next() {
  return taken_ < pieces_.size() ? std::optional(pieces_[taken_++]) : std::nullopt;
}

std::optional<std::size_t> WorkQueue::take() { return next(); }
void WorkQueue::finish(std::size_t piece, const std::string& report) { done_(piece, report); }
void WorkQueue::serve() {}
bool WorkQueue::answer(bool /*wait*/) { return false; }

}  // namespace tessera::comm
