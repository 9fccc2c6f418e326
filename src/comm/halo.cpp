// SPDX-License-Identifier: Apache-2.0
#include "comm/halo.hpp"

#include <array>
#include <utility>

namespace tessera::comm {
namespace {

constexpr int kMostMessages = 26;

/// Copies boxes of a field to or from memory where they lie one after another.
template <class T>
struct CopyBoxes {
  struct Piece {
    Box box;
    std::int64_t first;
  };
  FieldRef<T> field;
  T* packed;
  Piece pieces[kMostMessages];
  int count;
  bool pack;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    int p = 0;
    while (p + 1 < count && i >= pieces[p + 1].first) ++p;
    const Box& b = pieces[p].box;
    const std::int64_t at = i - pieces[p].first;
    const std::int64_t row = at / b.nx();
    const int x = b.x0 + static_cast<int>(at % b.nx());
    const int y = b.y0 + static_cast<int>(row % b.ny());
    const int z = b.z0 + static_cast<int>(row / b.ny());
    T* cell = field.at(z, y, x);
    if (pack) {
      packed[i] = *cell;
    } else {
      *cell = packed[i];
    }
  }
};

/// The range along an axis that goes to the neighbour `d` places on, or comes from there.
std::array<int, 2> range(int from, int to, int d, int width, bool received) {
  if (d == 0) return {from, to};
  if (received) return d < 0 ? std::array{from - width, from} : std::array{to, to + width};
  return d < 0 ? std::array{from, from + width} : std::array{to - width, to};
}

Box side(const Box& own, int dz, int dy, int dx, int width, bool received) {
  const auto z = range(own.z0, own.z1, dz, width, received);
  const auto y = range(own.y0, own.y1, dy, width, received);
  const auto x = range(own.x0, own.x1, dx, width, received);
  return {z[0], z[1], y[0], y[1], x[0], x[1]};
}

/// Elements from the first of whole planes, rows of the halo included, to the last.
template <class T>
std::pair<T*, std::size_t> planes_of(const Field<T>& field, const Box& box) {
  const FieldLayout& l = field.layout();
  const FieldRef<T> f = field.ref();
  T* first = l.halo_z > 0 ? f.at(box.z0, -l.halo, -l.halo) : f.at(0, box.y0, -l.halo);
  T* last = l.halo_z > 0 ? f.at(box.z1 - 1, l.n.ny + l.halo - 1, l.n.nx + l.halo - 1)
                         : f.at(0, box.y1 - 1, l.n.nx + l.halo - 1);
  return {first, static_cast<std::size_t>(last - first + 1)};
}

}  // namespace

std::vector<HaloMessage> halo_messages(const RankGrid& grid, int rank, const Box& own, int width,
                                       Reach reach) {
  std::vector<HaloMessage> messages;
  const auto tag = [](int dz, int dy, int dx) { return ((dz + 1) * 3 + dy + 1) * 3 + dx + 1; };
  for (int dz = -1; dz <= 1; ++dz) {
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        const int axes = dz * dz + dy * dy + dx * dx;
        if (axes == 0 || axes > static_cast<int>(reach)) continue;
        const int peer = grid.neighbour(rank, dz, dy, dx);
        if (peer < 0) continue;
        // A tag is the direction that a message goes in.
        messages.push_back({peer, tag(dz, dy, dx), side(own, dz, dy, dx, width, false),
                            side(own, dz, dy, dx, width, true)});
      }
    }
  }
  return messages;
}

template <class T>
struct HaloExchange<T>::Lane {
  Field<T> field;
  std::unique_ptr<Channel> channel;
};

template <class T>
HaloExchange<T>::HaloExchange(const Parallel& parallel, const RankGrid& grid, const Box& own,
                              int width, Reach reach, const std::vector<Field<T>>& fields)
    : transport_(parallel.transport),
      messages_(halo_messages(grid, parallel.ranks.rank(), own, width, reach)),
      beside_(1, Urgency::urgent) {
  const auto& parts = grid.parts();
  const bool flat = fields.front().layout().halo_z == 0;
  packs_ = parts[0] > 1 || (parts[1] > 1 && !flat);
  std::size_t cells = 0;
  for (const HaloMessage& m : messages_) cells += static_cast<std::size_t>(m.sent.cells());
  if (packs_) {
    const auto room = [&](const std::string& label) {
      return Kokkos::View<T*, ExecSpace::memory_space>(
          Kokkos::view_alloc(Kokkos::WithoutInitializing, label), cells);
    };
    sent_ = room("halo_sent");
    received_ = room("halo_received");
  }
  for (const Field<T>& field : fields) static_cast<void>(lane_of(field));
}

template <class T>
typename HaloExchange<T>::Lane& HaloExchange<T>::lane_of(const Field<T>& field) {
  for (const std::unique_ptr<Lane>& lane : lanes_) {
    if (lane->field.ref().origin == field.ref().origin) return *lane;
  }
  constexpr int kOpposite = 26;  // the tags of a direction and of the one against it add up to this
  std::vector<Message> all;
  std::size_t at = 0;
  for (const HaloMessage& m : messages_) {
    std::pair<T*, std::size_t> out, in;
    if (packs_) {
      const auto count = static_cast<std::size_t>(m.sent.cells());
      out = {sent_.data() + at, count};
      in = {received_.data() + at, count};
      at += count;
    } else {
      out = planes_of(field, m.sent);
      in = planes_of(field, m.received);
    }
    all.push_back({m.peer, m.tag, out.first, out.second * sizeof(T), true});
    all.push_back({m.peer, kOpposite - m.tag, in.first, in.second * sizeof(T), false});
  }
  lanes_.push_back(std::make_unique<Lane>(Lane{field, transport_->open(std::move(all))}));
  return *lanes_.back();
}

template <class T>
HaloExchange<T>::~HaloExchange() = default;

template <class T>
void HaloExchange<T>::pack(const ExecSpace& exec, const Field<T>& field, bool sent) {
  if (!packs_ || messages_.empty()) return;
  CopyBoxes<T> copy{field.ref(), sent ? sent_.data() : received_.data(), {}, 0, sent};
  std::int64_t cells = 0;
  for (const HaloMessage& m : messages_) {
    copy.pieces[copy.count++] = {sent ? m.sent : m.received, cells};
    cells += m.sent.cells();
  }
  Kokkos::parallel_for(
      sent ? "tessera::halo::pack" : "tessera::halo::unpack",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, cells), copy);
}

template <class T>
void HaloExchange<T>::start(const ExecSpace& exec, const Field<T>& field) {
  if (!enabled()) return;
  current_ = &lane_of(field);
  beside_.fork(exec);
  pack(beside_[0], current_->field, true);
  current_->channel->start(beside_[0]);
}

template <class T>
void HaloExchange<T>::finish(const ExecSpace& exec) {
  if (!enabled()) return;
  current_->channel->finish(beside_[0]);
  pack(beside_[0], current_->field, false);
  beside_.join(exec);
}

template <class T>
void HaloExchange<T>::exchange(const ExecSpace& exec) {
  start(exec, lanes_.front()->field);
  finish(exec);
}

template <class T>
void HaloExchange<T>::pack_and_unpack(const ExecSpace& exec) {
  pack(exec, lanes_.front()->field, true);
  pack(exec, lanes_.front()->field, false);
}

template <class T>
std::int64_t HaloExchange<T>::bytes_sent() const {
  std::int64_t cells = 0;
  for (const HaloMessage& m : messages_) cells += m.sent.cells();
  return cells * static_cast<std::int64_t>(sizeof(T));
}

template class HaloExchange<float>;
template class HaloExchange<double>;

}  // namespace tessera::comm
