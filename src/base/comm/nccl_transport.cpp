// SPDX-License-Identifier: Apache-2.0
// NCCL and RCCL: messages of a group call, enqueued on the device's own stream. The host waits for
// nothing.
#include "base/comm/transport.hpp"
#include "base/device/native_device.hpp"
#include "base/support/error.hpp"

#if defined(KOKKOS_ENABLE_HIP)
#include <rccl.h>
#else
#include <nccl.h>
#endif

#include <algorithm>
#include <utility>

namespace tessera::comm {
namespace {

void check(ncclResult_t status, const char* call) {
  require(status == ncclSuccess, "{}: {}", call, ncclGetErrorString(status));
}

struct Destroy {
  // What destruction reports is about work of before; fences have reported it.
  void operator()(ncclComm_t comm) const { static_cast<void>(ncclCommDestroy(comm)); }
};
using OwnedComm = std::shared_ptr<std::remove_pointer_t<ncclComm_t>>;

class NcclChannel : public Channel {
 public:
  NcclChannel(OwnedComm comm, std::vector<Message> messages)
      : comm_(std::move(comm)), messages_(std::move(messages)) {
    // NCCL has no tags: between two ranks, sends and receives meet in the order of the calls.
    std::stable_sort(messages_.begin(), messages_.end(),
                     [](const Message& a, const Message& b) { return a.tag < b.tag; });
  }

  void start(const ExecSpace& exec) override {
    check(ncclGroupStart(), "ncclGroupStart");
    for (const Message& m : messages_) {
      if (m.sent) {
        check(ncclSend(m.data, m.bytes, ncclChar, m.peer, comm_.get(), native::stream(exec)),
              "ncclSend");
      } else {
        check(ncclRecv(m.data, m.bytes, ncclChar, m.peer, comm_.get(), native::stream(exec)),
              "ncclRecv");
      }
    }
    check(ncclGroupEnd(), "ncclGroupEnd");
  }

  void finish(const ExecSpace& /*exec*/) override {}  // the stream's order is enough

 private:
  OwnedComm comm_;
  std::vector<Message> messages_;
};

class NcclTransport : public Transport {
 public:
  explicit NcclTransport(const Ranks& ranks) {
    ncclUniqueId id{};
    if (ranks.first()) check(ncclGetUniqueId(&id), "ncclGetUniqueId");
    id = ranks.broadcast(id);
    ncclComm_t comm = nullptr;
    check(ncclCommInitRank(&comm, ranks.size(), id, ranks.rank()), "ncclCommInitRank");
    comm_ = OwnedComm(comm, Destroy{});
  }
  [[nodiscard]] std::string name() const override { return "nccl"; }
  [[nodiscard]] std::unique_ptr<Channel> open(std::vector<Message> messages) const override {
    return std::make_unique<NcclChannel>(comm_, std::move(messages));
  }

 private:
  OwnedComm comm_;
};

}  // namespace

std::shared_ptr<const Transport> make_nccl_transport(const Ranks& ranks) {
  return std::make_shared<NcclTransport>(ranks);
}

}  // namespace tessera::comm
