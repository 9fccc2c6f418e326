// SPDX-License-Identifier: Apache-2.0
// Execution-space instances whose kernels may run at the same time, between a fork and a join.
//
// CUDA and HIP: an instance is a stream of its own, and the order comes from events on the device;
// the host waits for nothing. Hosts: kernels there take all cores and return when they are done, so
// every instance is the default one and there is nothing to order.
#pragma once

#include "base/device/space.hpp"

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
#include "base/device/native_device.hpp"
#endif

#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace tessera {

/// Whether a device should begin work of these instances before other work that waits for room.
enum class Urgency { usual, urgent };

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)

namespace native {

// What destruction reports is about work of before; fences have reported it.
struct DestroyStream {
  void operator()(Stream s) const { static_cast<void>(destroy_stream(s)); }
};
struct DestroyEvent {
  void operator()(Event e) const { static_cast<void>(destroy_event(e)); }
};
using OwnedStream = std::unique_ptr<std::remove_pointer_t<Stream>, DestroyStream>;
using OwnedEvent = std::unique_ptr<std::remove_pointer_t<Event>, DestroyEvent>;

/// A stream that does not wait for the runtime's default stream, nor that for it.
[[nodiscard]] inline OwnedStream make_stream(Urgency urgency) {
  int lowest = 0, highest = 0;
  check(priority_range(&lowest, &highest), "stream priorities");
  Stream s = nullptr;
  check(create_stream(&s, kNonBlocking, urgency == Urgency::urgent ? highest : lowest),
        "stream creation");
  return OwnedStream(s);
}

[[nodiscard]] inline OwnedEvent make_event() {
  Event e = nullptr;
  check(create_event(&e, kWithoutTiming), "event creation");
  return OwnedEvent(e);
}

}  // namespace native

/// A number of execution-space instances. Must be destroyed before Kokkos is finalised, and when
/// what was enqueued on the instances is complete: after a join and a fence of what they joined.
class Instances {
 public:
  /// Throws Error where the device has no more streams.
  explicit Instances(int n, Urgency urgency = Urgency::usual) : forked_(native::make_event()) {
    branches_.reserve(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) branches_.emplace_back(urgency);
  }

  [[nodiscard]] int size() const { return static_cast<int>(branches_.size()); }
  [[nodiscard]] const ExecSpace& operator[](int i) const {
    return branches_[static_cast<std::size_t>(i)].exec;
  }

  /// Work that is enqueued on the instances from now on waits for what `from` has been given so
  /// far. Neither waits on the host nor allocates, and may be called again at any time.
  void fork(const ExecSpace& from) const {
    native::check(native::record_event(forked_.get(), native::stream(from)), "fork");
    for (const Branch& b : branches_) {
      native::check(native::wait_for_event(b.stream.get(), forked_.get(), 0), "fork");
    }
  }

  /// Work that is enqueued on `to` from now on waits for what the instances have been given so far.
  /// Likewise.
  void join(const ExecSpace& to) const {
    for (const Branch& b : branches_) {
      native::check(native::record_event(b.joined.get(), b.stream.get()), "join");
      native::check(native::wait_for_event(native::stream(to), b.joined.get(), 0), "join");
    }
  }

 private:
  /// Destroyed from below: Kokkos lets go of the stream before the stream goes.
  struct Branch {
    explicit Branch(Urgency urgency) : stream(native::make_stream(urgency)) {}
    native::OwnedStream stream;
    ExecSpace exec = ExecSpace(stream.get());
    native::OwnedEvent joined = native::make_event();
  };

  native::OwnedEvent forked_;
  std::vector<Branch> branches_;
};

#else

class Instances {
 public:
  explicit Instances(int n, Urgency /*urgency*/ = Urgency::usual)
      : instances_(static_cast<std::size_t>(n)) {}

  [[nodiscard]] int size() const { return static_cast<int>(instances_.size()); }
  [[nodiscard]] const ExecSpace& operator[](int i) const {
    return instances_[static_cast<std::size_t>(i)];
  }
  void fork(const ExecSpace&) const {}
  void join(const ExecSpace&) const {}

 private:
  std::vector<ExecSpace> instances_;
};

#endif

}  // namespace tessera
