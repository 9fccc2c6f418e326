// SPDX-License-Identifier: Apache-2.0
#include "base/comm/work_queue.hpp"

#include "base/comm/mpi.hpp"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>

namespace tessera::comm {
namespace {

constexpr int kAsk = 1, kAnswer = 2;  // tags: "PIECE REPORT" or nothing, and a piece
constexpr std::int64_t kNothing = -1;

}  // namespace

WorkQueue::WorkQueue(const Ranks& leaders, std::vector<std::size_t> pieces, Done done)
    : leaders_(leaders),
      pieces_(std::move(pieces)),
      done_(std::move(done)),
      asking_(leaders.size() - 1) {}

std::optional<std::size_t> WorkQueue::next() {
  return taken_ < pieces_.size() ? std::optional(pieces_[taken_++]) : std::nullopt;
}

std::optional<std::size_t> WorkQueue::take() {
  if (leaders_.first()) {
    serve();
    const std::optional<std::size_t> piece = next();
    while (!piece && asking_ > 0) answer(true);
    return piece;
  }
  const MPI_Comm comm = handle(leaders_);
  MPI_Send(report_.data(), static_cast<int>(report_.size()), MPI_CHAR, 0, kAsk, comm);
  report_.clear();
  std::int64_t piece = kNothing;
  MPI_Recv(&piece, 1, MPI_INT64_T, 0, kAnswer, comm, MPI_STATUS_IGNORE);
  return piece == kNothing ? std::nullopt : std::optional(static_cast<std::size_t>(piece));
}

void WorkQueue::finish(std::size_t piece, const std::string& report) {
  if (leaders_.first()) {
    done_(piece, report);
  } else {
    report_ = std::to_string(piece) + " " + report;
  }
}

void WorkQueue::serve() {
  if (!leaders_.first()) return;
  while (asking_ > 0 && answer(false)) {
  }
}

/// Answers one leader; returns whether one was waiting. A wait leaves the core to those that
/// compute.
bool WorkQueue::answer(bool wait) {
  const MPI_Comm comm = handle(leaders_);
  MPI_Status status;
  int asked = 0;
  for (;;) {
    MPI_Iprobe(MPI_ANY_SOURCE, kAsk, comm, &asked, &status);
    if (asked != 0 || !wait) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (asked == 0) return false;
  int bytes = 0;
  MPI_Get_count(&status, MPI_CHAR, &bytes);
  std::string report(static_cast<std::size_t>(bytes), '\0');
  MPI_Recv(report.data(), bytes, MPI_CHAR, status.MPI_SOURCE, kAsk, comm, MPI_STATUS_IGNORE);
  const std::optional<std::size_t> piece = next();
  const std::int64_t number = piece ? static_cast<std::int64_t>(*piece) : kNothing;
  MPI_Send(&number, 1, MPI_INT64_T, status.MPI_SOURCE, kAnswer, comm);
  if (!piece) --asking_;
  if (report.empty()) return true;
  std::size_t done = 0;
  const auto [end, error] = std::from_chars(report.data(), report.data() + report.size(), done);
  if (error == std::errc()) {
    done_(done, report.substr(static_cast<std::size_t>(end - report.data()) + 1));
  }
  return true;
}

}  // namespace tessera::comm
