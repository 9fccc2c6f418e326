// SPDX-License-Identifier: Apache-2.0
// What receivers read from a field, at cells or between them.
#pragma once

#include "cases/acoustic/spread.hpp"
#include "grid/field.hpp"

#include <cstdint>
#include <vector>

namespace tessera::acoustic {

template <class Real>
class Receivers {
  using Memory = ExecSpace::memory_space;

 public:
  /// samples(row, receiver)
  using Samples = Kokkos::View<Real**, Kokkos::LayoutRight, Memory>;

  /// Bytes that so many receivers take where kernels run, at the most.
  [[nodiscard]] static std::int64_t memory_bytes(std::int64_t receivers);

  /// Of the places' spreads; `field` has the layout of every field that will be sampled.
  Receivers(const std::vector<Spread>& spreads, const Field<Real>& field);

  /// Enqueues samples(row, receiver) = sum over its cells of weight times u.
  void sample(const ExecSpace& exec, const Field<Real>& u, const Samples& samples, int row) const;

 private:
  static constexpr int kMost = 2 * kSincReach;  // cells along an axis

  bool at_cells_ = true;                         // each receiver reads one cell as it is
  Kokkos::View<std::int64_t*, Memory> offsets_;  // of the first cell
  Kokkos::View<int* [3], Kokkos::LayoutRight, Memory> counts_;  // cells along z, y, x
  Kokkos::View<Real* [3][kMost], Kokkos::LayoutRight, Memory> weights_;
};

extern template class Receivers<float>;
extern template class Receivers<double>;

}  // namespace tessera::acoustic
