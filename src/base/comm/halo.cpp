// SPDX-License-Identifier: Apache-2.0
#include "base/comm/halo.hpp"

#include <array>
#include <utility>

namespace tessera::comm {
namespace {

constexpr int kMostMessages = 26;
constexpr int kMostPlanes = 8;  // sent one by one

/// Copies boxes of a field to or from memory where each lies together.
template <class T>
struct CopyBoxes {
  struct Piece {
    Box box;
    std::int64_t first;  // cells of the boxes before
    std::int64_t at;     // where it lies
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
    T& there = packed[pieces[p].at + at];
    if (pack) {
      there = *cell;
    } else {
      *cell = there;
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

/// For a box that is sent without packing: the elements of `count` planes (rows in two dimensions)
/// from `first` on: from the first cell to the last, with what lies between.
template <class T>
std::pair<T*, std::size_t> planes_of(const Field<T>& field, const Box& box, int first, int count) {
  const FieldRef<T> f = field.ref();
  const bool flat = field.layout().halo_z == 0;
  const int z = flat ? box.z0 : box.z0 + first;
  const int y = flat ? box.y0 + first : box.y0;
  T* begin = f.at(z, y, box.x0);
  T* last = flat ? f.at(z, y + count - 1, box.x1 - 1) : f.at(z + count - 1, box.y1 - 1, box.x1 - 1);
  return {begin, static_cast<std::size_t>(last - begin + 1)};
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

Pieces pieces_of(const HaloMessage& message, const std::array<int, 3>& parts, bool flat) {
  const Box& box = message.sent;
  if (parts[0] > 1) return {};
  const int planes = flat ? box.ny() : box.nz();
  if (flat || parts[1] == 1) return {false, 1, planes};
  // Cut along y too: of the faces along z a plane has rows that are contiguous.
  constexpr int kFaceTags[] = {4, 22};  // (dz, dy, dx) = (-+1, 0, 0)
  const bool face = message.tag == kFaceTags[0] || message.tag == kFaceTags[1];
  return face && planes <= kMostPlanes ? Pieces{false, planes, 1} : Pieces{};
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
  const bool flat = fields.front().layout().halo_z == 0;
  constexpr auto kLine = static_cast<std::int64_t>(kLineBytes / sizeof(T));
  std::int64_t end = 0;
  for (const HaloMessage& m : messages_) {
    pieces_.push_back(pieces_of(m, grid.parts(), flat));
    packed_at_.push_back(end);
    if (pieces_.back().packed) end += (m.sent.cells() + kLine - 1) / kLine * kLine;
  }
  if (end > 0) {
    room_ = Kokkos::View<T*, ExecSpace::memory_space>(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera::comm::halo_packed"),
        2 * end + kLine);
    const auto past = reinterpret_cast<std::uintptr_t>(room_.data()) % kLineBytes;
    sent_ = room_.data() + (past == 0 ? 0 : (kLineBytes - past) / sizeof(T));
    received_ = sent_ + end;
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
  const auto add = [&](const HaloMessage& m, int piece, std::pair<T*, std::size_t> out,
                       std::pair<T*, std::size_t> in) {
    const auto tag = [&](int direction) { return direction * kMostPlanes + piece; };
    all.push_back({m.peer, tag(m.tag), out.first, out.second * sizeof(T), true});
    all.push_back({m.peer, tag(kOpposite - m.tag), in.first, in.second * sizeof(T), false});
  };
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    const HaloMessage& m = messages_[i];
    const Pieces& pieces = pieces_[i];
    if (pieces.packed) {
      const auto count = static_cast<std::size_t>(m.sent.cells());
      add(m, 0, {sent_ + packed_at_[i], count}, {received_ + packed_at_[i], count});
      continue;
    }
    for (int piece = 0; piece < pieces.count; ++piece) {
      const int first = piece * pieces.each;
      add(m, piece, planes_of(field, m.sent, first, pieces.each),
          planes_of(field, m.received, first, pieces.each));
    }
  }
  lanes_.push_back(std::make_unique<Lane>(Lane{field, transport_->open(std::move(all))}));
  return *lanes_.back();
}

template <class T>
HaloExchange<T>::~HaloExchange() = default;

template <class T>
void HaloExchange<T>::pack(const ExecSpace& exec, const Field<T>& field, bool sent) {
  CopyBoxes<T> copy{field.ref(), sent ? sent_ : received_, {}, 0, sent};
  std::int64_t cells = 0;
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    const HaloMessage& m = messages_[i];
    if (!pieces_[i].packed) continue;
    copy.pieces[copy.count++] = {sent ? m.sent : m.received, cells, packed_at_[i]};
    cells += m.sent.cells();
  }
  if (cells == 0) return;
  Kokkos::parallel_for(
      sent ? "tessera::halo::pack" : "tessera::halo::unpack",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, cells), copy);
}

template <class T>
void HaloExchange<T>::start(const ExecSpace& exec, const Field<T>& field) {
  beside_.fork(exec);
  if (!enabled()) return;
  current_ = &lane_of(field);
  pack(beside_[0], current_->field, true);
  current_->channel->start(beside_[0]);
}

template <class T>
const ExecSpace& HaloExchange<T>::arrive() {
  if (enabled()) {
    current_->channel->finish(beside_[0]);
    pack(beside_[0], current_->field, false);
  }
  return beside_[0];
}

template <class T>
void HaloExchange<T>::finish(const ExecSpace& exec) {
  static_cast<void>(arrive());
  if (enabled()) join(exec);
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

template <class T>
int HaloExchange<T>::messages_sent() const {
  int count = 0;
  for (const Pieces& pieces : pieces_) count += pieces.count;
  return count;
}

template class HaloExchange<float>;
template class HaloExchange<double>;
template class HaloExchange<std::uint16_t>;

}  // namespace tessera::comm
