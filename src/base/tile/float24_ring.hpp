// SPDX-License-Identifier: Apache-2.0
// PlaneRing and FetchedAhead of values of 24 bits: one for the upper 16 of each, one for the rest.
#pragma once

#include "base/tile/packed.hpp"
#include "base/tile/plane_ring.hpp"

namespace tessera {

template <int V, class Threads, int R, int Planes>
class Float24Ring {
  using High = PlaneRing<std::uint16_t, V, Threads, R, Planes>;
  using Low = PlaneRing<std::uint8_t, V, Threads, R, Planes>;

 public:
  static constexpr int kPitch = High::kPitch;

  template <class TeamHandle>
  KOKKOS_FORCEINLINE_FUNCTION Float24Ring(const TeamHandle& team, int row, const TileExtent& extent)
      : high_(team, row, extent), low_(team, row, extent) {}
  [[nodiscard]] static std::size_t scratch_bytes() {
    return High::scratch_bytes() + Low::scratch_bytes();
  }

  KOKKOS_FORCEINLINE_FUNCTION void load(int slot, const Packed<Float24>& source) const {
    high_.load(slot, source.bits);
    low_.load(slot, source.low);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Packed<Float24> at(int slot, int y, int x) const {
    return {const_cast<std::uint16_t*>(high_.at(slot, y, x)),
            const_cast<std::uint8_t*>(low_.at(slot, y, x))};
  }

 private:
  High high_;
  Low low_;
};

template <int V, class Threads, int Slots>
class Float24Ahead {
  using High = FetchedAhead<std::uint16_t, V, Threads, Slots>;
  using Low = FetchedAhead<std::uint8_t, V, Threads, Slots>;

 public:
  template <class TeamHandle>
  KOKKOS_FORCEINLINE_FUNCTION explicit Float24Ahead(const TeamHandle& team)
      : high_(team), low_(team) {}
  [[nodiscard]] static std::size_t scratch_bytes(MachineKind kind = kThisKind) {
    return High::scratch_bytes(kind) + Low::scratch_bytes(kind);
  }

  KOKKOS_FORCEINLINE_FUNCTION void fetch(int slot, const Packed<Float24>& address) const {
    high_.fetch(slot, address.bits);
    low_.fetch(slot, address.low);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Pack<float, V> take(
      int slot, const Packed<Float24>& address) const {
    const auto high = high_.take(slot, address.bits);
    const auto low = low_.take(slot, address.low);
    return make_pack<float, V>([&](int i) { return Float24::decode(lane(high, i), lane(low, i)); });
  }

 private:
  High high_;
  Low low_;
};

}  // namespace tessera
