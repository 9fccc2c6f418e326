// SPDX-License-Identifier: Apache-2.0
#include "base/comm/session.hpp"

#include "base/comm/launcher.hpp"
#include "base/comm/mpi.hpp"
#include "base/support/console.hpp"
#include "base/support/error.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>

namespace tessera::comm {
namespace {

/// Time to wait for other ranks to report the same error: what all report (a bad deck) is then
/// printed once.
constexpr std::chrono::seconds kPatience{2};

Ranks all_ranks;

/// Whether a rank of the first one's machine has said that the job was ended: in memory that they
/// share, so that whichever is left says it, and one alone.
MPI_Win said_window = MPI_WIN_NULL;
int* said = nullptr;

/// A launcher ends what is left of a job by this signal.
extern "C" void on_termination(int /*signal*/) {
  constexpr char kLine[] =
      "tessera: error: this job was ended from outside: a rank of it was lost, or its launcher was "
      "told to stop\n";
  if (std::atomic_ref<int>(*said).exchange(1) == 0) {
    static_cast<void>(!::write(2, kLine, sizeof kLine - 1));
  }
  ::_exit(128 + SIGTERM);
}

/// Collective.
void watch_termination() {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(handle(all_ranks), MPI_COMM_TYPE_SHARED, all_ranks.rank(), MPI_INFO_NULL,
                      &node);
  int local = 0;
  MPI_Comm_rank(node, &local);
  MPI_Win_allocate_shared(local == 0 ? sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, node, &said,
                          &said_window);
  MPI_Aint bytes = 0;
  int unit = 0;
  MPI_Win_shared_query(said_window, 0, &bytes, &unit, &said);
  if (local == 0) *said = 0;
  MPI_Barrier(node);
  // The first rank is the first of its machine.
  int with_first = all_ranks.first() ? 1 : 0;
  MPI_Bcast(&with_first, 1, MPI_INT, 0, node);
  if (with_first == 1) std::signal(SIGTERM, on_termination);
  MPI_Comm_free(&node);
}

/// A launcher of another MPI makes processes that each take themselves for the only one.
void require_one_job() {
  if (!all_ranks.alone() || launched_processes() <= 1) return;
  const std::string version = mpi_version();
  all_ranks = Ranks();
  MPI_Finalize();
  if (launched_rank() > 0) ::_exit(1);  // the first one says it
  fail(
      "a launcher started {} processes, but {}, which this build has, sees each alone: start it "
      "with "
      "the launcher of that MPI",
      launched_processes(), version);
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
  require_one_job();
  if (!all_ranks.alone()) watch_termination();
}

Session::~Session() {
  if (all_ranks.communicator() == nullptr) return;
  std::signal(SIGTERM, SIG_IGN);  // all is done
  if (said_window != MPI_WIN_NULL) MPI_Win_free(&said_window);
  all_ranks = Ranks();
  MPI_Finalize();
}

int Session::end_together(int status, std::string& message) const {
  if (all_ranks.alone()) return status;
  const MPI_Comm comm = handle(all_ranks);
  if (!all_arrive(comm, status != 0)) {
    const std::string line = fmt::format("tessera: error: rank {} of {}: {}\n", all_ranks.rank(),
                                         all_ranks.size(), shown(message));
    std::atomic_ref<int>(*said).store(1);  // that the others are then ended needs no line
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
  static std::optional<LocalRank> known;
  if (known) return *known;
  if (all_ranks.alone()) return {};
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(handle(all_ranks), MPI_COMM_TYPE_SHARED, all_ranks.rank(), MPI_INFO_NULL,
                      &node);
  LocalRank local;
  MPI_Comm_rank(node, &local.rank);
  MPI_Comm_size(node, &local.size);
  MPI_Comm_free(&node);
  known = local;
  return local;
}

std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string all(text, static_cast<std::size_t>(length));
  std::string version = all.substr(0, all.find_first_of(",\n"));
  constexpr std::string_view kWord = " Version:\t";  // MPICH's table
  if (const auto at = version.find(kWord); at != std::string::npos) {
    version.replace(at, kWord.size(), " ");
  }
  return version;
}

}  // namespace tessera::comm
