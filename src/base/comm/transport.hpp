// SPDX-License-Identifier: Apache-2.0
// How bytes in the memory of one rank's execution space get into that of another: the narrow
// interface that halo exchange stands on.
//
//   mpi     MPI reads and writes the memory itself: on hosts always, on a device where the library
//           is GPU-aware
//   nccl    NCCL or RCCL, on the device's own streams
//   staged  copies to pinned host memory, MPI there, copies back
#pragma once

#include "base/comm/ranks.hpp"
#include "base/device/space.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace tessera::comm {

/// Contiguous bytes, to or from another rank. What one rank sends with a tag another
/// receives with it.
struct Message {
  int peer = 0;
  int tag = 0;
  void* data = nullptr;
  std::size_t bytes = 0;
  bool sent = false;  ///< else received
};

/// A set of messages that is exchanged again and again, by the same ranks in the same order.
class Channel {
 public:
  Channel() = default;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  virtual ~Channel() = default;

  /// Begins, once what `exec` was given so far is done. On a device the host does not wait.
  virtual void start(const ExecSpace& exec) = 0;
  /// What is enqueued on `exec` from now on finds the messages received, and may write what was
  /// sent. The host may wait for the exchange, not for other work on the device.
  virtual void finish(const ExecSpace& exec) = 0;
};

class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  /// "mpi", "nccl" or "staged".
  [[nodiscard]] virtual std::string name() const = 0;
  /// Collective among the messages' ranks. The memory must stay where it is.
  [[nodiscard]] virtual std::unique_ptr<Channel> open(std::vector<Message> messages) const = 0;
};

/// What decks and the command line may name.
[[nodiscard]] const std::vector<std::string>& transport_names();

/// Collective. The transport named, or for "auto" the first that works here: mpi, nccl, staged.
/// Throws Error for one that this build or machine does not have.
[[nodiscard]] std::shared_ptr<const Transport> make_transport(const std::string& name,
                                                              const Ranks& ranks);

/// The transports, one a file. Null where the build has not got it.
[[nodiscard]] std::shared_ptr<const Transport> make_mpi_transport(const Ranks& ranks, bool staged);
[[nodiscard]] std::shared_ptr<const Transport> make_nccl_transport(const Ranks& ranks);
/// Whether MPI says that it reads and writes device memory.
[[nodiscard]] bool mpi_is_gpu_aware();
/// Whether it says that it does not: one that has no way to say either is believed when forced.
[[nodiscard]] bool mpi_denies_devices();

}  // namespace tessera::comm
