// SPDX-License-Identifier: Apache-2.0
// Blocks of rows in vector registers: the arithmetic of the host's stream
// (variants/jacobi/skewed/stream.hpp).
//
// Ks planes x Ky rows are made at a time, a few vectors of each: a value that is loaded is added to
// the partial sums of all rows it is a neighbour of. Rows are transposed (tile/transposed_row.hpp),
// and what is made begins R cells further left and R rows further up than what it is made from, so
// that all neighbours lie before it.
#pragma once

#include "base/device/host_vector.hpp"
#include "base/device/space.hpp"
#include "base/device/static_for.hpp"
#include "variants/jacobi/formula.hpp"

namespace tessera::jacobi {

/// The partial sums of a register block of Ks planes x Ky rows.
template <class StencilType, class Real, int Ks, int Ky>
class BlockSums {
  static constexpr int kR = StencilType::kR, kRy = StencilType::kRy;
  static constexpr int kLanes = kHostLanes<Real>;

 public:
  static constexpr int kPlanes = 2 * kR + Ks;  ///< that a block is made from

  /// Loads of values, of a vector, for a block.
  [[nodiscard]] static int loads() {
    int loads = 0;
    for_each_value([&](auto, auto, auto) { ++loads; });
    return loads;
  }

  /// Elements [begin, end) of the block's rows, whole vectors, the last ones first: of row `to` and
  /// the rows and planes that follow it, `pitch` and `plane` elements apart, from row `from[i]` and
  /// those that follow it in each of kPlanes planes. `pitch` is an int or a Constant: stencils of
  /// three dimensions, which load several rows of a plane, need constant offsets between them.
  template <class Pitch>
  KOKKOS_FORCEINLINE_FUNCTION static void make(const Real* const (&from)[kPlanes], Real* to,
                                               int plane, Pitch pitch, int begin, int end) {
    constexpr int kPair = 2 * kLanes, kThree = 3 * kLanes;
    int x = end;
    if constexpr (kLoadsWeights && kOpenSums <= 4) {
      // One vector alone has too few sums to keep the multiply-adds busy: of four, two pairs.
      for (; x - begin >= kThree && x - begin != 2 * kPair; x -= kThree) {
        make_vectors<3>(from, to, plane, pitch, x - kThree);
      }
    }
    if constexpr (kHostRegisters > 16 || kOpenSums <= 5) {
      for (; x - begin >= kPair; x -= kPair) make_vectors<2>(from, to, plane, pitch, x - kPair);
    }
    for (; x > begin; x -= kLanes) make_vectors<1>(from, to, plane, pitch, x - kLanes);
  }

 private:
  /// Sums of a vector that take registers at a time.
  static constexpr int kOpenSums = (Ks < 2 * kR + 1 ? Ks : 2 * kR + 1) * Ky;
  /// Sixteen registers cannot keep a three-dimensional stencil's weights beside the sums: each is
  /// loaded when its turn comes, for three vectors of four sums, which then fill the registers.
  /// With thirty-two, and in two dimensions, the compiler keeps what it can.
  static constexpr bool kLoadsWeights =
      kHostRegisters <= 16 && StencilType::kDims == 3 && Ks * Ky > 1;

  /// Calls f(plane, row, dx) for each value that a vector of Ks x Ky cells needs, in the order of
  /// summation: plane -R ... Ks - 1 + R, row -Ry ... Ky - 1 + Ry.
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each_value(const Body& body) {
    static_for<2 * kR + Ks>([&](auto a) __attribute__((always_inline)) {
      static_for<2 * kRy + Ky>([&](auto b) __attribute__((always_inline)) {
        static_for<2 * kR + 1>([&](auto c) __attribute__((always_inline)) {
          constexpr int kPlaneOf = a - kR, kRowOf = b - kRy, kDx = c - kR;
          if constexpr (uses(kPlaneOf, kRowOf, kDx) > 0) {
            body(Constant<kPlaneOf>{}, Constant<kRowOf>{}, Constant<kDx>{});
          }
        });
      });
    });
  }
  /// Sums that a value goes to. One that goes to a single sum is loaded as its operand.
  [[nodiscard]] static constexpr int uses(int plane, int row, int dx) {
    int sums = 0;
    for (int k = 0; k < Ks; ++k) {
      for (int j = 0; j < Ky; ++j) sums += has(plane - k, row - j, dx) ? 1 : 0;
    }
    return sums;
  }
  [[nodiscard]] static constexpr bool has(int s, int y, int x) {
    return s >= -kR && s <= kR && y >= -kRy && y <= kRy && StencilType::has(s, y, x);
  }

  /// `Vectors` vectors of Ks x Ky rows. Each value is loaded once, and each sum is stored as soon
  /// as it is complete, so that few of many planes' sums take registers at a time.
  template <int Vectors, class Pitch>
  KOKKOS_FORCEINLINE_FUNCTION static void make_vectors(const Real* const (&from)[kPlanes], Real* to,
                                                       int plane, Pitch pitch, int x) {
    constexpr Point kFirstPoint = kPointsOf<StencilType>[0];
    constexpr Point kLastPoint = kPointsOf<StencilType>[StencilType::kPoints - 1];
    HostVector<Real> sum[Ks * Ky][Vectors];
    for_each_value([&](auto a, auto b, auto dx) __attribute__((always_inline)) {
      HostVector<Real> value[Vectors];
      static_for<Vectors>([&](auto v) __attribute__((always_inline)) {
        value[v] = load_host_vector(from[a + kR] + x + b * pitch + (dx - kR + v) * kLanes);
        if constexpr (uses(a, b, dx) > 1) keep_in_register<Real>(value[v]);
      });
      static_for<Ks>([&](auto k) __attribute__((always_inline)) {
        static_for<Ky>([&](auto j) __attribute__((always_inline)) {
          constexpr int kS = a - k, kY = b - j, kX = dx;
          if constexpr (has(kS, kY, kX)) {
            const Real number = weight_at<StencilType, Real>(kS, kY, kX);
            const HostVector<Real> weight =
                kLoadsWeights ? load_all_lanes<Real>(number) : all_lanes<Real>(number);
            static_for<Vectors>([&](auto v) __attribute__((always_inline)) {
              HostVector<Real>& s = sum[k * Ky + j][v];
              if constexpr (kS == kFirstPoint.s && kY == kFirstPoint.y && kX == kFirstPoint.x) {
                s = weight * value[v];
              } else {
                s = multiply_add_lanes<Real>(weight, value[v], s);
              }
              if constexpr (kS == kLastPoint.s && kY == kLastPoint.y && kX == kLastPoint.x) {
                store_host_vector(to + x + k * plane + j * pitch + v * kLanes, s);
              }
            });
          }
        });
      });
    });
  }
};

}  // namespace tessera::jacobi
