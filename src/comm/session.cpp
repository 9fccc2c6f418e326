// SPDX-License-Identifier: Apache-2.0
#include "comm/session.hpp"

#include "comm/launcher.hpp"
#include "comm/mpi.hpp"
#include "support/console.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <limits>
#include <memory>
#include <thread>

namespace tessera::comm {
namespace {

/// How long a rank that failed waits for others that failed alike: what all are told (a bad deck)
/// is then said once.
constexpr std::chrono::seconds kPatience{2};

Ranks all_ranks;

/// A launcher ends what is left of a job by this signal.
extern "C" void on_termination(int /*signal*/) {
  constexpr char kLine[] =
      "tessera: error: this job was ended from outside: a rank of it was lost, or its launcher was "
      "told to stop\n";
  static_cast<void>(!::write(2, kLine, sizeof kLine - 1));
  ::_exit(128 + SIGTERM);
}

/// Whether all ranks arrive here; a failed one does not wait for ever.
bool all_arrive(MPI_Comm comm, bool failed) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm, &request);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  int arrived = 0;
  while (arrived == 0) {
    MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
    if (arrived == 0 && failed && std::chrono::steady_clock::now() > end) return false;
    if (arrived == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace

Session::Session() {
  if (!launched()) return;
  int given = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given);
  all_ranks = Ranks(std::make_shared<const Ranks::Communicator>(MPI_COMM_WORLD));
  // Not of a shell that shields its jobs, and one line for all ranks.
  if (!all_ranks.alone() && all_ranks.first()) std::signal(SIGTERM, on_termination);
}

Session::~Session() {
  if (all_ranks.communicator() == nullptr) return;
  all_ranks = Ranks();
  MPI_Finalize();
}

int Session::end_together(int status, std::string& message) const {
  if (all_ranks.alone()) return status;
  const MPI_Comm comm = handle(all_ranks);
  if (!all_arrive(comm, status != 0)) {
    const std::string line = fmt::format("tessera: error: rank {} of {}: {}\n", all_ranks.rank(),
                                         all_ranks.size(), shown(message));
    static_cast<void>(!::write(2, line.data(), line.size()));
    MPI_Abort(comm, status);
  }
  // A launcher that sees one rank end with a status stops the others, which are about to end too.
  std::signal(SIGTERM, SIG_IGN);
  const double none = all_ranks.size();
  const int first = static_cast<int>(all_ranks.min(status != 0 ? all_ranks.rank() : none));
  if (first != all_ranks.rank()) message.clear();
  if (first == all_ranks.rank() && first != 0) {
    message = fmt::format("rank {} of {}: {}", first, all_ranks.size(), message);
  }
  return static_cast<int>(all_ranks.max(status));
}

const Ranks& world() { return all_ranks; }

LocalRank local_rank() {
  if (all_ranks.alone()) return {};
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(handle(all_ranks), MPI_COMM_TYPE_SHARED, all_ranks.rank(), MPI_INFO_NULL,
                      &node);
  LocalRank local;
  MPI_Comm_rank(node, &local.rank);
  MPI_Comm_size(node, &local.size);
  MPI_Comm_free(&node);
  return local;
}

std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string all(text, static_cast<std::size_t>(length));
  return all.substr(0, all.find_first_of(",\n"));
}

}  // namespace tessera::comm
