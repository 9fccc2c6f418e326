// SPDX-License-Identifier: Apache-2.0
// Halo exchange: each rank's cells beside a cut go to the ranks that read them.
//
//   start:   wait for the field | pack what is not contiguous | messages on their way
//            ... cells that read no halo are computed meanwhile ...
//   finish:  messages are there | unpack | whoever comes next on `exec` finds the halo
//
// A rank sends to each of its up to 26 neighbours at once, corners included where a stencil reads
// them, so that no message waits for another. Faces whose planes are contiguous in the field go as
// they are; others are packed. Either way a message begins on a line of 128 bytes, as the wide
// accesses of transports need it.
#pragma once

#include "base/comm/parallel.hpp"
#include "base/device/instances.hpp"
#include "base/grid/field.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tessera::comm {

/// Which neighbours a stencil reads: along one axis, along two at once, or along all three.
enum class Reach { faces = 1, edges = 2, corners = 3 };

/// What a case exchanges: cells of one field, `width` beside each cut, every `steps` steps.
struct HaloShape {
  int width = 1;
  Reach reach = Reach::faces;
  int steps = 1;
};

/// A message's cells in the local field, on the side that it goes to or comes from.
struct HaloMessage {
  int peer = 0;
  int tag = 0;
  Box sent, received;
};

/// The messages of a rank whose own cells are `own` in its field's indices: `width` cells beside
/// each cut. A rank's neighbours must own boxes of the same extents along the cut's other axes, and
/// every rank at least `width` cells along an axis that is cut.
[[nodiscard]] std::vector<HaloMessage> halo_messages(const RankGrid& grid, int rank, const Box& own,
                                                     int width, Reach reach);

/// How a message leaves a field.
struct Pieces {
  bool packed = true;
  int count = 1;  ///< of messages; unpacked, each is planes (or rows) that are contiguous
  int each = 0;   ///< planes (in two dimensions rows) of one of them
};

/// Along the slowest axis whole planes are contiguous where no other axis is cut, and plane by
/// plane where only the one between is, whose halo lies between planes; `flat`: the slowest is y.
/// Cells of rows along x are packed, and so are planes too many to be sent one by one.
[[nodiscard]] Pieces pieces_of(const HaloMessage& message, const std::array<int, 3>& parts,
                               bool flat);

/// What measurement needs of a halo exchange, whatever it holds.
class Halo {
 public:
  Halo() = default;
  Halo(const Halo&) = delete;
  Halo& operator=(const Halo&) = delete;
  virtual ~Halo() = default;

  /// Off: steps continue with the halo as it is, wrong but as fast as without neighbours.
  void enable(bool on) { enabled_ = on; }
  [[nodiscard]] bool enabled() const { return enabled_; }
  /// A whole exchange, by itself.
  virtual void exchange(const ExecSpace& exec) = 0;
  /// What an exchange packs and unpacks, by itself.
  virtual void pack_and_unpack(const ExecSpace& exec) = 0;
  [[nodiscard]] virtual std::int64_t bytes_sent() const = 0;  ///< by this rank, an exchange
  /// By this rank to its neighbours, an exchange; what goes plane by plane counts each.
  [[nodiscard]] virtual int messages_sent() const = 0;
  /// The name of what carries the messages, as result files have it.
  [[nodiscard]] virtual std::string transport() const = 0;

 private:
  bool enabled_ = true;
};

template <class T>
class HaloExchange : public Halo {
 public:
  /// For fields of one layout, each of which may be the one that is exchanged; others of that
  /// layout may follow. Collective.
  HaloExchange(const Parallel& parallel, const RankGrid& grid, const Box& own, int width,
               Reach reach, const std::vector<Field<T>>& fields);
  ~HaloExchange() override;

  /// Begins the exchange of a field, as what `exec` was given so far leaves it. Its own
  /// cells beside cuts must stay until finish().
  void start(const ExecSpace& exec, const Field<T>& field);
  /// What is enqueued on `exec` from now on finds the halo.
  void finish(const ExecSpace& exec);
  /// The same in two: what is enqueued from now on on the instance that is returned, which devices
  /// prefer to usual ones, finds the halo; and what `exec` is given after join() comes after both.
  [[nodiscard]] const ExecSpace& arrive();
  void join(const ExecSpace& exec) { beside_.join(exec); }

  void exchange(const ExecSpace& exec) override;
  void pack_and_unpack(const ExecSpace& exec) override;
  [[nodiscard]] std::int64_t bytes_sent() const override;
  [[nodiscard]] int messages_sent() const override;
  [[nodiscard]] std::string transport() const override { return transport_->name(); }

 private:
  struct Lane;  // a field's channel

  /// The field's own, opened when it is first exchanged.
  [[nodiscard]] Lane& lane_of(const Field<T>& field);
  void pack(const ExecSpace& exec, const Field<T>& field, bool sent);

  std::shared_ptr<const Transport> transport_;
  std::vector<HaloMessage> messages_;
  std::vector<Pieces> pieces_;                      // of each message
  std::vector<std::int64_t> packed_at_;             // where each begins in the two below, on a line
  Kokkos::View<T*, ExecSpace::memory_space> room_;  // of what is packed
  T* sent_ = nullptr;                               // begin on lines
  T* received_ = nullptr;
  std::vector<std::unique_ptr<Lane>> lanes_;
  Lane* current_ = nullptr;
  Instances beside_;  // where exchanges run
};

extern template class HaloExchange<float>;
extern template class HaloExchange<double>;
extern template class HaloExchange<std::uint16_t>;

}  // namespace tessera::comm
