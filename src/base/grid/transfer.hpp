// SPDX-License-Identifier: Apache-2.0
// Moving whole fields between the device and the host, and walking them there.
#pragma once

#include "base/grid/field.hpp"

#include <algorithm>
#include <utility>
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

/// The elements from the first to the last cell of the planes [z0, z1), halos between them too.
template <class T>
[[nodiscard]] auto planes_of(const Field<T>& field, int z0, int z1) {
  const Extents n = field.extents();
  return Kokkos::subview(field.view(), std::make_pair(field.index(z0, 0, 0),
                                                      field.index(z1 - 1, n.ny - 1, n.nx - 1) + 1));
}

/// Copies the cells of the planes [z0, z1) of `field` to a dense array of theirs, x fastest.
template <class T>
void planes_to_host(const Field<T>& field, int z0, int z1, T* dense) {
  const Extents n = field.extents();
  const auto mirror =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), planes_of(field, z0, z1));
  for (int z = z0; z < z1; ++z) {
    for (int y = 0; y < n.ny; ++y) {
      const T* row = mirror.data() + (field.index(z, y, 0) - field.index(z0, 0, 0));
      dense = std::copy_n(row, n.nx, dense);
    }
  }
}

/// The other way round; halos are kept.
template <class T>
void planes_from_host(const Field<T>& field, int z0, int z1, const T* dense) {
  const Extents n = field.extents();
  const auto planes = planes_of(field, z0, z1);
  const auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), planes);
  for (int z = z0; z < z1; ++z) {
    for (int y = 0; y < n.ny; ++y, dense += n.nx) {
      std::copy_n(dense, n.nx, mirror.data() + (field.index(z, y, 0) - field.index(z0, 0, 0)));
    }
  }
  Kokkos::deep_copy(planes, mirror);
}

}  // namespace tessera
