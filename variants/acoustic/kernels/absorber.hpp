// SPDX-License-Identifier: Apache-2.0
// The memory of convolutional layers (variants/acoustic/absorb.hpp): slabs along each axis, of this
// rank's cells, and what a step does with them.
#pragma once

#include "base/grid/domain.hpp"
#include "base/grid/field.hpp"
#include "variants/acoustic/kernels/absorb_rows.hpp"

#include <array>
#include <functional>
#include <utility>
#include <vector>

namespace tessera::acoustic {

/// The slab of an axis (0 x, 1 y, 2 z): a domain whose grid has the layers and the gap alone along
/// that axis. The domain has all of a layer, or none.
[[nodiscard]] Domain slab_of(const Layers& layers, const Domain& domain, int axis);

/// {a, b} of the layers along an axis, so many cells into one.
using Absorption = std::function<std::array<double, 2>(int axis, double deep)>;

template <class Real>
class Absorber {
 public:
  Absorber() = default;
  /// Memory at rest; spacings `h` along x, y, z in m.
  Absorber(const Layers& layers, const Domain& domain, const std::array<double, 3>& h,
           const Absorption& absorption);

  [[nodiscard]] static std::int64_t memory_bytes(const Layers& layers, const Domain& domain);

  void set_zero();
  /// Enqueues what the layers add to u+ of `region`, whose cells the inner formula has advanced.
  void update(const ExecSpace& exec, const Fields<Real>& fields, const Region& region) const;
  /// The same of wavefields in a format of single values; in float.
  void update(const ExecSpace& exec, const StoredFields& fields, Storage storage,
              const Region& region) const;
  /// After a step, as u+ becomes u.
  void advance() {
    for (auto& slab : slabs_) std::swap(slab.psi, slab.psi_next);
  }
  /// psi and zeta of x, then of y and of z: what a shot continues from; none without layers.
  [[nodiscard]] std::vector<const Field<Real>*> memory() const;

 private:
  /// Calls absorb(axes, box) for the boxes of the region that have layers.
  template <class Absorb>
  void in_layers(const Region& region, const Absorb& absorb) const;

  struct Slab {
    Field<Real> psi, psi_next, zeta;
    Kokkos::View<Real*, ExecSpace::memory_space> profile;  // a, b, a_half, b_half
    AbsorbingAxis<Real> view;                              // but for the fields
  };
  std::vector<Slab> slabs_;  // of the axes; empty without layers
};

extern template class Absorber<float>;
extern template class Absorber<double>;

}  // namespace tessera::acoustic
