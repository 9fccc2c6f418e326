// SPDX-License-Identifier: Apache-2.0
// MPI's error handler is left as it is: an error there ends the job, with MPI's own message.
#include "base/comm/ranks.hpp"

#include "base/comm/mpi.hpp"
#include "base/support/error.hpp"

#include <limits>
#include <utility>

namespace tessera::comm {

Ranks::Ranks(std::shared_ptr<const Communicator> communicator)
    : communicator_(std::move(communicator)) {
  MPI_Comm_rank(communicator_->comm, &rank_);
  MPI_Comm_size(communicator_->comm, &size_);
}

void Ranks::barrier() const {
  if (!alone()) MPI_Barrier(communicator_->comm);
}

double Ranks::max(double value) const {
  if (!alone()) {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, communicator_->comm);
  }
  return value;
}

double Ranks::sum(double value) const {
  if (!alone()) {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, communicator_->comm);
  }
  return value;
}

std::string Ranks::broadcast(const std::string& text, int root) const {
  if (alone()) return text;
  std::string all = text;
  all.resize(broadcast(text.size(), root));
  broadcast_bytes(all.data(), all.size(), root);
  return all;
}

Ranks Ranks::split(int colour) const {
  if (alone()) return *this;
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(communicator_->comm, colour, rank_, &part);
  return Ranks(std::make_shared<const Communicator>(part));
}

void Ranks::broadcast_bytes(void* data, std::size_t bytes, int root) const {
  MPI_Bcast(data, static_cast<int>(bytes), MPI_BYTE, root, communicator_->comm);
}

void Ranks::gather_bytes(const void* data, std::size_t bytes,
                         const std::function<void*(std::size_t)>& room) const {
  const double all_bytes = sum(static_cast<double>(bytes));
  require(
      all_bytes < std::numeric_limits<int>::max(),
      "{:.0f} bytes of {} ranks, {} of them of rank {}, are too many to gather at once: at most "
      "{} are",
      all_bytes, size_, bytes, rank_, std::numeric_limits<int>::max());
  const int mine = static_cast<int>(bytes);
  std::vector<int> counts(static_cast<std::size_t>(size_)), first(counts.size());
  MPI_Gather(&mine, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, communicator_->comm);
  int total = 0;
  for (std::size_t r = 0; r < counts.size(); ++r) {
    first[r] = total;
    total += counts[r];
  }
  void* all = this->first() ? room(static_cast<std::size_t>(total)) : nullptr;
  MPI_Gatherv(data, mine, MPI_BYTE, all, counts.data(), first.data(), MPI_BYTE, 0,
              communicator_->comm);
}

}  // namespace tessera::comm
