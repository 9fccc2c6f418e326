// SPDX-License-Identifier: Apache-2.0
// Moving whole fields between the device and the host, and walking them there.
#pragma once

#include "grid/field.hpp"

#include <vector>

namespace tessera {

/// A copy of the whole field on the host, also where the field lies there, indexed by
/// field.index(z, y, x).
template <class T>
[[nodiscard]] auto host_copy(const Field<T>& field) {
  auto copy = Kokkos::create_mirror(field.view());
  Kokkos::deep_copy(copy, field.view());
  return copy;
}

/// Calls body(z, y, x) for every cell of a grid and `halo` cells around it.
template <class Body>
void for_each_with_halo(const Extents& n, int halo, const Body& body) {
  for (int z = -halo; z < n.nz + halo; ++z) {
    for (int y = -halo; y < n.ny + halo; ++y) {
      for (int x = -halo; x < n.nx + halo; ++x) body(z, y, x);
    }
  }
}

/// Copies the interior of `field` to a dense array of nz*ny*nx elements.
template <class T>
[[nodiscard]] std::vector<T> to_host(const Field<T>& field) {
  const Extents n = field.extents();
  const auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), field.view());
  std::vector<T> dense(static_cast<std::size_t>(n.cells()));
  std::size_t i = 0;
  for (int z = 0; z < n.nz; ++z) {
    for (int y = 0; y < n.ny; ++y) {
      for (int x = 0; x < n.nx; ++x) dense[i++] = mirror(field.index(z, y, x));
    }
  }
  return dense;
}

/// Sets the interior of `field` to value(z, y, x), evaluated on the host; the halo is kept.
template <class T, class Value>
void from_host(const Field<T>& field, const Value& value) {
  const Extents n = field.extents();
  const auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), field.view());
  for (int z = 0; z < n.nz; ++z) {
    for (int y = 0; y < n.ny; ++y) {
      for (int x = 0; x < n.nx; ++x) mirror(field.index(z, y, x)) = value(z, y, x);
    }
  }
  Kokkos::deep_copy(field.view(), mirror);
}

}  // namespace tessera
