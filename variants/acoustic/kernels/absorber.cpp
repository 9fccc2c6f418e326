// SPDX-License-Identifier: Apache-2.0
#include "variants/acoustic/kernels/absorber.hpp"

#include "variants/acoustic/kernels/absorb_stored.hpp"

#include <type_traits>

namespace tessera::acoustic {
namespace {

/// The first cell and the end along an axis.
std::array<int, 2> along(const Box& b, int axis) {
  if (axis == 0) return {b.x0, b.x1};
  if (axis == 1) return {b.y0, b.y1};
  return {b.z0, b.z1};
}

void set_along(Box& b, int axis, int begin, int end) {
  (axis == 0 ? b.x0 : axis == 1 ? b.y0 : b.z0) = begin;
  (axis == 0 ? b.x1 : axis == 1 ? b.y1 : b.z1) = end;
}

int near_cells(const Layers& layers, int axis) { return axis == 2 ? layers.top() : layers.width; }

}  // namespace

Domain slab_of(const Layers& layers, const Domain& domain, int axis) {
  const auto [first, end] = along(domain.box, axis);
  // Of two ranks each layer goes with the half of the gap that it reads.
  const int middle = near_cells(layers, axis) + kSlabGap / 2;
  const int columns = near_cells(layers, axis) + kSlabGap + layers.width;
  Box grid = whole(domain.grid), part = domain.box;
  const bool last = end == along(grid, axis)[1];
  set_along(grid, axis, 0, columns);
  set_along(part, axis, first == 0 ? 0 : middle, last ? columns : middle);
  return {{grid.nz(), grid.ny(), grid.nx()}, part};
}

template <class Real>
Absorber<Real>::Absorber(const Layers& layers, const Domain& domain, const std::array<double, 3>& h,
                         const Absorption& absorption)
    : slabs_(3) {
  for (int axis = 0; axis < 3; ++axis) {
    Slab& slab = slabs_[static_cast<std::size_t>(axis)];
    const Domain part = slab_of(layers, domain, axis);
    const auto [first, end] = along(domain.box, axis);
    const auto [column0, column1] = along(part.box, axis);
    const int near = near_cells(layers, axis), cells = end - first, columns = column1 - column0;
    const bool last = end == along(whole(domain.grid), axis)[1];
    AbsorbingAxis<Real>& view = slab.view;
    view.near_end = first == 0 ? near : 0;
    view.far_begin = last ? cells - layers.width : cells;
    view.to_far = columns - cells;
    if (columns == 0) continue;
    const double inv_h2 =
        1 / (h[static_cast<std::size_t>(axis)] * h[static_cast<std::size_t>(axis)]);
    view.c0 = static_cast<Real>(kC[0] * inv_h2);
    for (int m = 1; m <= kR; ++m) view.c[m - 1] = static_cast<Real>(kC[m] * inv_h2);
    slab.psi = Field<Real>("tessera::acoustic::absorb_psi", part.n(), 0);
    slab.psi_next = Field<Real>("tessera::acoustic::absorb_psi_next", part.n(), 0);
    slab.zeta = Field<Real>("tessera::acoustic::absorb_zeta", part.n(), 0);
    slab.profile = decltype(slab.profile)("tessera::acoustic::absorb::profile", 4 * columns);
    const auto host = Kokkos::create_mirror_view(slab.profile);
    for (int i = 0; i < columns; ++i) {
      // Cells from the inner region, 0 being the first of the layer; the gap does not absorb.
      const int column = column0 + i;
      const int deep = column < near ? near - 1 - column : column - near - kSlabGap;
      const auto at = absorption(axis, deep < 0 ? 0 : deep + 0.5);
      const auto half = absorption(axis, deep < 0 ? 0 : deep + 1.0);
      host(i) = static_cast<Real>(at[0]);
      host(columns + i) = static_cast<Real>(at[1]);
      host(2 * columns + i) = static_cast<Real>(half[0] * inv_h2);
      host(3 * columns + i) = static_cast<Real>(half[1]);
    }
    Kokkos::deep_copy(slab.profile, host);
    view.a = slab.profile.data();
    view.b = view.a + columns;
    view.a_half = view.b + columns;
    view.b_half = view.a_half + columns;
    view.row = slab.psi.ref().row;
    view.plane = slab.psi.ref().plane;
  }
}

template <class Real>
std::int64_t Absorber<Real>::memory_bytes(const Layers& layers, const Domain& domain) {
  std::int64_t bytes = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const Extents n = slab_of(layers, domain, axis).n();
    if (n.cells() > 0) bytes += 3 * field_bytes(n, 0, static_cast<int>(sizeof(Real)));
  }
  return bytes;
}

template <class Real>
void Absorber<Real>::set_zero() {
  for (Slab& slab : slabs_) {
    if (slab.psi.extents().cells() == 0) continue;
    for (auto* field : {&slab.psi, &slab.psi_next, &slab.zeta}) field->fill(0);
  }
}

template <class Real>
template <class Absorb>
void Absorber<Real>::in_layers(const Region& region, const Absorb& absorb) const {
  if (region.update == Update::inner) return;
  AbsorbingAxis<Real> axes[3];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    axes[axis] = slabs_[axis].view;
    axes[axis].psi = slabs_[axis].psi.ref().origin;
    axes[axis].psi_next = slabs_[axis].psi_next.ref().origin;
    axes[axis].zeta = slabs_[axis].zeta.ref().origin;
  }
  const Box hole = intersect(region.box, region.hole);
  if (region.update == Update::pml || hole.empty()) return absorb(axes, region.box);
  for (const Box& box : shell_of(region.box, hole)) absorb(axes, box);
}

template <class Real>
void Absorber<Real>::update(const ExecSpace& exec, const Fields<Real>& fields,
                            const Region& region) const {
  in_layers(region,
            [&](const auto& axes, const Box& box) { absorb_rows(exec, fields, axes, box); });
}

template <class Real>
void Absorber<Real>::update(const ExecSpace& exec, const StoredFields& fields, Storage storage,
                            const Region& region) const {
  if constexpr (std::is_same_v<Real, float>) {
    in_layers(region, [&](const auto& axes, const Box& box) {
      absorb_stored(SingleFormats{}, exec, fields, storage, axes, box);
    });
  }
}

template <class Real>
std::vector<const Field<Real>*> Absorber<Real>::memory() const {
  std::vector<const Field<Real>*> fields;
  for (const Slab& slab : slabs_) fields.insert(fields.end(), {&slab.psi, &slab.zeta});
  return fields;
}

template class Absorber<float>;
template class Absorber<double>;

}  // namespace tessera::acoustic
