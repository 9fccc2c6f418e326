// SPDX-License-Identifier: Apache-2.0
// Several time steps in one pass: what a variant that makes them sees.
//
// There are two ways. Out of place, a pass makes two steps of a box of inner cells, and the first
// step of kR cells around it; who calls it advances all other cells step by step, adds the sources
// and records the receivers. In place, a pass makes up to kMostPassSteps steps of the whole grid,
// the layers with it, and adds and records at each step. Of these only the last two are written to
// memory as fields.
#pragma once

#include "base/device/team_chain.hpp"
#include "base/grid/decomposition.hpp"
#include "variants/acoustic/formula.hpp"

#include <array>

namespace tessera::acoustic {

inline constexpr int kMostPassSteps = 8;

/// What a configuration's pass does.
struct PassShape {
  int steps = 1;          ///< at most; out of place: 2, no fewer. 1: there is no pass
  bool in_place = false;  ///< all of the grid; else a box of inner cells, out of place
};

/// What a source adds to u in each step of a pass: to each cell of a box its weight times the
/// step's amplitude.
struct PassSource {
  Box box;
  const double* weights = nullptr;  ///< [z][y][x] of the box, where kernels run
  std::array<double, kMostPassSteps> amplitude{};
};

/// What a source of `weights` in `box` adds to u at one of its cells.
template <class Real>
[[nodiscard]] KOKKOS_INLINE_FUNCTION Real source_value(const Box& box, const double* weights, int z,
                                                       int y, int x, double amplitude) {
  const int i = ((z - box.z0) * box.ny() + y - box.y0) * box.nx() + x - box.x0;
  return static_cast<Real>(weights[i] * amplitude);
}

/// A cell whose u is recorded, and which of a step's samples it is.
struct Receiver {
  int z = 0, y = 0, x = 0, number = 0;
};

/// Where the receivers' samples go, [step][number]; `receivers` in the order of z, or null.
template <class Real>
struct Records {
  const Receiver* receivers = nullptr;
  int count = 0;
  Real* samples = nullptr;
};

/// The fields of a pass.
template <class Real, class Format = Plain>
struct PassFields {
  /// u (step n), u_minus (n - 1), next (n + 1); in place, next is u_minus
  Fields<Real, Format> first;
  typename Addresses<Real, Format>::Write after;  ///< step n + 2; in place, u itself
  Extents n;                                      ///< of the grid

  // For a pass in place:
  Box inner{};    ///< where the inner formula holds
  int steps = 2;  ///< of this pass
  const PassSource* sources = nullptr;
  int source_count = 0;
  Records<Real> records{};
  TeamChain::Counters chain{};  ///< zero

  /// The fields of the second step, and in place of each even one.
  [[nodiscard]] Fields<Real, Format> second() const {
    Fields<Real, Format> f = first;
    f.u = first.next;
    f.u_minus = first.u;
    f.next = after;
    return f;
  }
};

/// Those of a pass out of place in a format that is not known yet.
struct StoredPass {
  StoredFields first;
  StoredAddress after;
  Extents n;

  template <class Format>
  [[nodiscard]] PassFields<float, Format> as() const {
    return {first.as<Format>(), Packed<typename Format::Value>(after), n};
  }
  [[nodiscard]] StoredFields second() const {
    return {first.rest, first.next, first.u, after, first.vp};
  }
};

/// The cells of the inner region `inner` that a pass of two steps may take: from a cell's step n +
/// 2 back to step n + 1 it meets inner cells only, kR around it, and past a face of a grid without
/// layers zeros, but images under a free surface. Along x it has whole vectors beside layers, and
/// begins where copies of 16 bits may; over a face a vector may hang, for zeros become zeros there.
/// Empty where nothing is left. All other cells are advanced step by step.
[[nodiscard]] inline Box pass_box(const Box& inner, const Layers& layers) {
  constexpr int kBegin = 8, kVector = 4;
  const int ring = layers.width == 0 ? 0 : kR;
  const Box box{inner.z0 + (layers.free_top ? kR : ring),
                inner.z1 - ring,
                inner.y0 + ring,
                inner.y1 - ring,
                (inner.x0 + ring + kBegin - 1) / kBegin * kBegin,
                ring == 0 ? inner.x1 : (inner.x1 - ring) / kVector * kVector};
  return box.nz() > 0 && box.ny() > 0 && box.nx() > 0 ? box : Box{};
}

/// The cells whose step n + 1 a pass of two steps over `box` stores, all that it computes: those of
/// the box, and kR around it within the grid.
[[nodiscard]] inline Box pass_first_box(const Box& box, const Extents& n) {
  return intersect({box.z0 - kR, box.z1 + kR, box.y0 - kR, box.y1 + kR, box.x0 - kR, box.x1 + kR},
                   whole(n));
}

}  // namespace tessera::acoustic
