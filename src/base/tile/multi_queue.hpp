// SPDX-License-Identifier: Apache-2.0
// The circular multi-queue of EBISU 4.2: the planes that several time steps of a stream keep, in
// one ring of slots.
//
// Step s of the stream reads queue s and makes one value (a cell in one dimension, a row in two, a
// plane in three) for queue s + 1. What enters the queues at their tails leaves at their heads. The
// queues lie behind each other, the first step's last, so that the slot which queue s leaves free
// is where queue s + 1 has its tail (EBISU Figure 5: 1D, 3 points, 3 steps; length 3, stride 2):
//
//     slot      0   1   2   3   4   5   6
//     queue 0                   h   .   t      t: enters from memory
//     queue 1           h   .   t              t: made of queue 0
//     queue 2   h   .   t                      t: made of queue 1; what is made of queue 2 is
//     stored
//
// After each round every queue moves on by one value: shuffle().
#pragma once

#include <Kokkos_Macros.hpp>

namespace tessera {

/// Shuffle by copying: slot i takes the value of slot i + 1. The naive multi-queue (Listing 5); who
/// holds the values moves them, between barriers.
struct ShiftedValues {
  static constexpr bool kMovesValues = true;
  int range;

  KOKKOS_FORCEINLINE_FUNCTION explicit ShiftedValues(int slots) : range(slots) {}
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int slot(int position) const { return position; }
  KOKKOS_FORCEINLINE_FUNCTION void shuffle(int /*values*/) {}
  [[nodiscard]] KOKKOS_INLINE_FUNCTION static constexpr int slots(int wanted) { return wanted; }
};

/// Shuffle by moving the indices on, which wrap around (4.2.2, shifting addresses).
struct ShiftedAddresses {
  static constexpr bool kMovesValues = false;
  int range, first = 0;

  KOKKOS_FORCEINLINE_FUNCTION explicit ShiftedAddresses(int slots) : range(slots) {}
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int slot(int position) const {
    const int at = position + first;
    return at < range ? at : at - range;
  }
  KOKKOS_FORCEINLINE_FUNCTION void shuffle(int values) {
    const int next = first + values;
    first = next < range ? next : next - range;
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION static constexpr int slots(int wanted) { return wanted; }
};

/// Every address from a count of values, in a ring of 2^n slots: index & (range - 1) (4.2.2,
/// computing addresses; Listing 6).
struct ComputedAddresses {
  static constexpr bool kMovesValues = false;
  int range;
  unsigned rounds = 0;  ///< values that have gone by

  KOKKOS_FORCEINLINE_FUNCTION explicit ComputedAddresses(int slots) : range(slots) {}
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int slot(int position) const {
    return static_cast<int>((static_cast<unsigned>(position) + rounds) &
                            (static_cast<unsigned>(range) - 1U));
  }
  KOKKOS_FORCEINLINE_FUNCTION void shuffle(int values) { rounds += static_cast<unsigned>(values); }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION static constexpr int slots(int wanted) {
    int power = 1;
    while (power < wanted) power *= 2;
    return power;
  }
};

/// Shape of a multi-queue: `queues` queues of `length` values, whose tails are `stride` slots
/// apart, and `ahead` slots that values from memory enter before they are in queue 0.
///
/// stride = length - 1: a tail is the slot that the head before it has just left, so that all must
/// have read the head before anyone writes the tail. stride = length: it has a slot of its own, for
/// lazy streaming (4.3.2).
struct QueueShape {
  int queues, length, stride, ahead;

  /// Slots that the queues take.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr int slots() const {
    return (queues - 1) * stride + length + ahead;
  }
};

template <class Addressing>
class MultiQueue {
 public:
  static constexpr bool kMovesValues = Addressing::kMovesValues;

  KOKKOS_FORCEINLINE_FUNCTION explicit MultiQueue(const QueueShape& shape)
      : shape_(shape), addressing_(Addressing::slots(shape.slots())) {}

  /// Slots of the ring for a shape.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION static constexpr int slots(const QueueShape& shape) {
    return Addressing::slots(shape.slots());
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int range() const { return addressing_.range; }

  /// Slot of value i of queue `queue`: 0 is the head (the oldest), length - 1 the tail; in queue 0
  /// also the `ahead` values behind it.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int slot(int queue, int i) const {
    return addressing_.slot((shape_.queues - 1 - queue) * shape_.stride + i);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int tail(int queue) const {
    return slot(queue, shape_.length - 1);
  }

  /// Moves every queue on by one value, or by several. Values must be moved by the caller where
  /// kMovesValues says so: slot i takes that of slot i + values, for all i < range() - values.
  KOKKOS_FORCEINLINE_FUNCTION void shuffle(int values = 1) { addressing_.shuffle(values); }

 private:
  QueueShape shape_;
  Addressing addressing_;
};

}  // namespace tessera
