// SPDX-License-Identifier: Apache-2.0
#include "shot/receivers.hpp"

#include <algorithm>

namespace tessera::acoustic {
namespace {

template <class Real, class Offsets, class Samples>
struct ReadCells {
  const Real* u;  // cell (0, 0, 0)
  Offsets offsets;
  Samples samples;
  int row;
  KOKKOS_FUNCTION void operator()(int r) const { samples(row, r) = u[offsets(r)]; }
};

/// The sum over a receiver's cells: along x, then y, then z.
template <class Real, class Offsets, class Counts, class Weights, class Samples>
struct ReadBetweenCells {
  FieldRef<const Real> u;
  Offsets offsets;
  Counts counts;
  Weights weights;
  Samples samples;
  int row;
  KOKKOS_FUNCTION void operator()(int r) const {
    Real sum = 0;
    for (int z = 0; z < counts(r, 0); ++z) {
      Real plane = 0;
      for (int y = 0; y < counts(r, 1); ++y) {
        const Real* at = u.at(z, y, 0) + offsets(r);
        Real line = 0;
        for (int x = 0; x < counts(r, 2); ++x) line += weights(r, 2, x) * at[x];
        plane += weights(r, 1, y) * line;
      }
      sum += weights(r, 0, z) * plane;
    }
    samples(row, r) = sum;
  }
};

}  // namespace

template <class Real>
std::int64_t Receivers<Real>::memory_bytes(std::int64_t receivers) {
  return receivers * static_cast<std::int64_t>(sizeof(std::int64_t) + 3 * sizeof(int) +
                                               3 * kMost * sizeof(Real));
}

template <class Real>
Receivers<Real>::Receivers(const std::vector<Spread>& spreads, const Field<Real>& field) {
  const std::size_t count = spreads.size();
  offsets_ = decltype(offsets_)("tessera::acoustic::receivers::offsets", count);
  counts_ = decltype(counts_)("tessera::acoustic::receivers::counts", count);
  weights_ = decltype(weights_)("tessera::acoustic::receivers::weights", count);
  const auto offsets = Kokkos::create_mirror_view(offsets_);
  const auto counts = Kokkos::create_mirror_view(counts_);
  const auto weights = Kokkos::create_mirror_view(weights_);
  const auto u = field.ref();
  for (std::size_t r = 0; r < count; ++r) {
    const Box box = spreads[r].box();
    offsets(r) = u.at(box.z0, box.y0, box.x0) - u.origin;
    for (int d = 0; d < 3; ++d) {
      const std::vector<double>& along = spreads[r].axis[static_cast<std::size_t>(d)].weights;
      counts(r, d) = static_cast<int>(along.size());
      for (std::size_t i = 0; i < along.size(); ++i) {
        weights(r, d, i) = static_cast<Real>(along[i]);
      }
      at_cells_ = at_cells_ && along.size() == 1 && along[0] == 1;
    }
  }
  Kokkos::deep_copy(offsets_, offsets);
  Kokkos::deep_copy(counts_, counts);
  Kokkos::deep_copy(weights_, weights);
}

template <class Real>
void Receivers<Real>::sample(const ExecSpace& exec, const Field<Real>& u, const Samples& samples,
                             int row) const {
  const Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>> all(exec, 0, samples.extent_int(1));
  const char* label = "tessera::acoustic::receivers::sample";
  if (at_cells_) {
    Kokkos::parallel_for(
        label, all,
        ReadCells<Real, decltype(offsets_), Samples>{u.ref().origin, offsets_, samples, row});
    return;
  }
  Kokkos::parallel_for(
      label, all,
      ReadBetweenCells<Real, decltype(offsets_), decltype(counts_), decltype(weights_), Samples>{
          u.ref(), offsets_, counts_, weights_, samples, row});
}

template class Receivers<float>;
template class Receivers<double>;

}  // namespace tessera::acoustic
