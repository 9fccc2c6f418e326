// SPDX-License-Identifier: Apache-2.0
// What receivers read from a field, at cells or between them.
#pragma once

#include "base/grid/field.hpp"
#include "variants/acoustic/case/spread.hpp"
#include "variants/acoustic/case/stored_waves.hpp"
#include "variants/acoustic/kernels/pass.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace tessera::acoustic {

template <class Real>
class Receivers {
  using Memory = ExecSpace::memory_space;

 public:
  /// Bytes that so many receivers take where kernels run, at most.
  [[nodiscard]] static std::int64_t memory_bytes(std::int64_t receivers);

  /// None.
  Receivers() = default;
  /// At cells, as z, y, x of the field.
  explicit Receivers(const std::vector<std::array<int, 3>>& cells);
  /// At the places of spreads, in the field's cells.
  explicit Receivers(const std::vector<Spread>& spreads);

  [[nodiscard]] int count() const { return count_; }
  /// Whether each reads one cell as it is.
  [[nodiscard]] bool at_cells() const { return first_.extent(0) == 0; }
  /// Those at cells, in the order of z, for passes to record; samples[step * count() + number].
  [[nodiscard]] Records<Real> records(Real* samples) const {
    return {cells_.data(), count_, samples};
  }

  /// Enqueues samples[receiver] = sum over its cells of weight times u.
  void sample(const ExecSpace& exec, const FieldRef<const Real>& u, Real* samples) const {
    sample_from(exec, u, samples);
  }
  void sample(const ExecSpace& exec, const PackedRef& u, Real* samples) const {
    sample_from(exec, u, samples);
  }

 private:
  template <class From>
  void sample_from(const ExecSpace& exec, const From& u, Real* samples) const;

  static constexpr int kMost = 2 * kSincReach;  // cells along an axis
  using Triples = Kokkos::View<int* [3], Kokkos::LayoutRight, Memory>;

  int count_ = 0;
  Kokkos::View<Receiver*, Memory> cells_;
  // Of receivers between cells, along z, y, x: the first cell, how many, and their weights.
  Triples first_, counts_;
  Kokkos::View<Real* [3][kMost], Kokkos::LayoutRight, Memory> weights_;
};

extern template class Receivers<float>;
extern template class Receivers<double>;

}  // namespace tessera::acoustic
