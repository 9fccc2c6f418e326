// SPDX-License-Identifier: Apache-2.0
#include "comm/session.hpp"

#include "comm/launcher.hpp"
#include "comm/mpi.hpp"
#include "support/console.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <limits>
#include <memory>
#include <thread>
#include <utility>

namespace tessera::comm {
namespace {

/// How long a rank that failed waits for others that failed alike: what all are told (a bad deck)
/// is then said once.
constexpr std::chrono::seconds kPatience{2};

Ranks all_ranks;

/// Shared by the ranks of a machine: whether one has told the end already.
std::atomic<int>* told = nullptr;
static_assert(std::atomic<int>::is_always_lock_free, "it is used in a signal's handler");

/// A launcher ends what is left of a job by this signal.
extern "C" void on_termination(int /*signal*/) {
  constexpr char kLine[] =
      "tessera: error: this job was ended from outside: a rank of it was lost, or its launcher was "
      "told to stop\n";
  if (told->exchange(1) == 0) static_cast<void>(!::write(2, kLine, sizeof kLine - 1));
  ::_exit(128 + SIGTERM);
}

/// A page that the ranks of `node` share; null where the system has none to share.
std::atomic<int>* shared_page(const Ranks& node) {
  const std::string name = fmt::format("/tessera-{}", node.broadcast(::getpid()));
  constexpr std::size_t kBytes = sizeof(std::atomic<int>);
  int descriptor = -1;
  if (node.first()) {
    descriptor = ::shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
    if (descriptor >= 0 && ::ftruncate(descriptor, kBytes) != 0) {
      ::close(std::exchange(descriptor, -1));
    }
  }
  const bool made = node.broadcast(descriptor >= 0);
  if (made && !node.first()) descriptor = ::shm_open(name.c_str(), O_RDWR, 0600);
  void* page = MAP_FAILED;
  if (descriptor >= 0) {
    page = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    ::close(descriptor);
  }
  node.barrier();
  if (made && node.first()) ::shm_unlink(name.c_str());
  // Zeroed by the system: no rank has told anything.
  return page == MAP_FAILED ? nullptr : static_cast<std::atomic<int>*>(page);
}

/// The ranks of this one's machine.
Ranks ranks_of_node() {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(handle(all_ranks), MPI_COMM_TYPE_SHARED, all_ranks.rank(), MPI_INFO_NULL,
                      &node);
  return Ranks(std::make_shared<const Ranks::Communicator>(node));
}

/// One line for all ranks, whichever was lost: one of the first rank's machine writes it, or where
/// that rank is alone there, one of the others'.
void tell_termination() {
  const Ranks node = ranks_of_node();
  const bool with_first = node.any(all_ranks.first());
  const bool first_is_alone = all_ranks.any(with_first && node.alone());
  told = shared_page(node);
  static std::atomic<int> own{0};
  if (told == nullptr) {
    told = &own;
    own = node.first() ? 0 : 1;
  }
  if (!with_first && !first_is_alone) *told = 1;
  std::signal(SIGTERM, on_termination);
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
  if (!all_ranks.alone()) tell_termination();
}

Session::~Session() {
  if (all_ranks.communicator() == nullptr) return;
  if (!all_ranks.alone()) std::signal(SIGTERM, SIG_IGN);  // about to end by itself
  all_ranks = Ranks();
  MPI_Finalize();
}

int Session::end_together(int status, std::string& message) const {
  if (all_ranks.alone()) return status;
  const MPI_Comm comm = handle(all_ranks);
  if (!all_arrive(comm, status != 0)) {
    const std::string line = fmt::format("tessera: error: rank {} of {}: {}\n", all_ranks.rank(),
                                         all_ranks.size(), shown(message));
    *told = 1;  // the others' end needs no line
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
  const Ranks node = ranks_of_node();
  return {node.rank(), node.size()};
}

std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string all(text, static_cast<std::size_t>(length));
  return all.substr(0, all.find_first_of(",\n"));
}

}  // namespace tessera::comm
