// SPDX-License-Identifier: Apache-2.0
// MPI with persistent requests, on the fields' own memory or staged through pinned host memory.
#include "base/comm/mpi.hpp"
#include "base/comm/transport.hpp"
#include "base/device/pinned_space.hpp"
#include "base/support/error.hpp"

#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

#include <cstdlib>
#include <limits>
#include <utility>

namespace tessera::comm {
namespace {

using Bytes = Kokkos::View<char*, ExecSpace::memory_space, Kokkos::MemoryUnmanaged>;
using Pinned = Kokkos::View<char*, PinnedSpace>;

class MpiChannel : public Channel {
 public:
  MpiChannel(MPI_Comm comm, std::vector<Message> messages, bool staged)
      : messages_(std::move(messages)) {
    for (const Message& m : messages_) {
      require(m.bytes <= std::numeric_limits<int>::max(),
              "a halo message of {} bytes: MPI takes at most {}", m.bytes,
              std::numeric_limits<int>::max());
      void* data = m.data;
      if (staged) {
        buffers_.emplace_back(
            Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera::comm::staging"), m.bytes);
        data = buffers_.back().data();
      }
      MPI_Request request = MPI_REQUEST_NULL;
      const int count = static_cast<int>(m.bytes);
      if (m.sent) {
        MPI_Send_init(data, count, MPI_BYTE, m.peer, m.tag, comm, &request);
        sends_.push_back(request);
      } else {
        MPI_Recv_init(data, count, MPI_BYTE, m.peer, m.tag, comm, &request);
        receives_.push_back(request);
      }
    }
  }
  ~MpiChannel() override {
    int over = 0;
    MPI_Finalized(&over);
    if (over != 0) return;
    for (auto* requests : {&sends_, &receives_}) {
      for (MPI_Request& request : *requests) MPI_Request_free(&request);
    }
  }

  void start(const ExecSpace& exec) override {
    copy(exec, true);
    // On a host what was enqueued is done; on a device only finish() may wait for it.
    if (!kOnDevice) start_messages(exec);
  }

  void finish(const ExecSpace& exec) override {
    if (kOnDevice) start_messages(exec);
    wait_all(receives_);
    copy(exec, false);
    wait_all(sends_);
  }

 private:
  /// Receives too wait until the device has read what came last: a neighbour may be ahead.
  void start_messages(const ExecSpace& exec) {
    exec.fence();
    start_all(receives_);
    start_all(sends_);
  }
  static void start_all(std::vector<MPI_Request>& requests) {
    if (!requests.empty()) MPI_Startall(static_cast<int>(requests.size()), requests.data());
  }
  static void wait_all(std::vector<MPI_Request>& requests) {
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }
  /// Between the messages' memory and the staging buffers, where there are any.
  void copy(const ExecSpace& exec, bool sent) const {
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      const Message& m = messages_[i];
      if (m.sent != sent) continue;
      const Bytes data(static_cast<char*>(m.data), m.bytes);
      if (sent) {
        Kokkos::deep_copy(exec, buffers_[i], data);
      } else {
        Kokkos::deep_copy(exec, data, buffers_[i]);
      }
    }
  }

  std::vector<Message> messages_;
  std::vector<Pinned> buffers_;  // one a message; none where MPI takes the memory itself
  std::vector<MPI_Request> sends_, receives_;
};

class MpiTransport : public Transport {
 public:
  MpiTransport(Ranks ranks, bool staged) : ranks_(std::move(ranks)), staged_(staged) {}
  [[nodiscard]] std::string name() const override { return staged_ ? "staged" : "mpi"; }
  [[nodiscard]] std::unique_ptr<Channel> open(std::vector<Message> messages) const override {
    return std::make_unique<MpiChannel>(handle(ranks_), std::move(messages), staged_);
  }

 private:
  Ranks ranks_;
  bool staged_;
};

}  // namespace

std::shared_ptr<const Transport> make_mpi_transport(const Ranks& ranks, bool staged) {
  return std::make_shared<MpiTransport>(ranks, staged);
}

bool mpi_is_gpu_aware() {
  // Cray MPICH reads device memory where this variable is set.
  if (const char* asked = std::getenv("MPICH_GPU_SUPPORT_ENABLED")) return std::atoi(asked) != 0;
#if defined(KOKKOS_ENABLE_CUDA)
#if defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT
  return MPIX_Query_cuda_support() == 1;
#elif defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40000000
  int supported = 0;
  MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &supported);
  return supported != 0;
#endif
#elif defined(KOKKOS_ENABLE_HIP)
#if defined(MPIX_ROCM_AWARE_SUPPORT) && MPIX_ROCM_AWARE_SUPPORT
  return MPIX_Query_rocm_support() == 1;
#elif defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40000000
  int supported = 0;
  MPIX_GPU_query_support(MPIX_GPU_SUPPORT_HIP, &supported);
  return supported != 0;
#endif
#endif
  return false;
}

bool mpi_denies_devices() {
#if (defined(KOKKOS_ENABLE_CUDA) && defined(MPIX_CUDA_AWARE_SUPPORT)) || \
    (defined(KOKKOS_ENABLE_HIP) && defined(MPIX_ROCM_AWARE_SUPPORT))
  return !mpi_is_gpu_aware();
#else
  return false;  // it has no way to say so
#endif
}

}  // namespace tessera::comm
