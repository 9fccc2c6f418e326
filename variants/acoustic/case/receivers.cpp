// SPDX-License-Identifier: Apache-2.0
#include "variants/acoustic/case/receivers.hpp"

#include <algorithm>
#include <tuple>

namespace tessera::acoustic {
namespace {

template <class Real, class From>
struct ReadCells {
  From u;
  const Receiver* receivers;
  Real* samples;
  KOKKOS_FUNCTION void operator()(int i) const {
    const Receiver& r = receivers[i];
    samples[r.number] = u.at(r.z, r.y, r.x)[0];
  }
};

/// The sum over a receiver's cells: along x, then y, then z.
template <class Real, class From, class Triples, class Weights>
struct ReadBetweenCells {
  From u;
  Triples first, counts;
  Weights weights;
  Real* samples;
  KOKKOS_FUNCTION void operator()(int r) const {
    Real sum = 0;
    for (int z = 0; z < counts(r, 0); ++z) {
      Real plane = 0;
      for (int y = 0; y < counts(r, 1); ++y) {
        const auto at = u.at(first(r, 0) + z, first(r, 1) + y, first(r, 2));
        Real line = 0;
        for (int x = 0; x < counts(r, 2); ++x) line += weights(r, 2, x) * at[x];
        plane += weights(r, 1, y) * line;
      }
      sum += weights(r, 0, z) * plane;
    }
    samples[r] = sum;
  }
};

}  // namespace

template <class Real>
std::int64_t Receivers<Real>::memory_bytes(std::int64_t receivers) {
  constexpr std::size_t kBetween = 6 * sizeof(int) + 3 * kMost * sizeof(Real);
  return receivers * static_cast<std::int64_t>(std::max(sizeof(Receiver), kBetween));
}

template <class Real>
Receivers<Real>::Receivers(const std::vector<std::array<int, 3>>& cells)
    : count_(static_cast<int>(cells.size())) {
  std::vector<Receiver> receivers;
  for (const auto& [z, y, x] : cells) {
    receivers.push_back({z, y, x, static_cast<int>(receivers.size())});
  }
  std::sort(receivers.begin(), receivers.end(), [](const Receiver& a, const Receiver& b) {
    return std::tie(a.z, a.number) < std::tie(b.z, b.number);
  });
  cells_ = decltype(cells_)("tessera::acoustic::receivers::cells", receivers.size());
  const auto host = Kokkos::create_mirror_view(cells_);
  std::copy(receivers.begin(), receivers.end(), host.data());
  Kokkos::deep_copy(cells_, host);
}

template <class Real>
Receivers<Real>::Receivers(const std::vector<Spread>& spreads)
    : count_(static_cast<int>(spreads.size())) {
  if (std::all_of(spreads.begin(), spreads.end(), [](const Spread& s) { return s.is_a_cell(); })) {
    std::vector<std::array<int, 3>> cells;
    for (const Spread& s : spreads) {
      cells.push_back({s.axis[0].first, s.axis[1].first, s.axis[2].first});
    }
    *this = Receivers(cells);
    return;
  }
  first_ = Triples("tessera::acoustic::receivers::first", spreads.size());
  counts_ = Triples("tessera::acoustic::receivers::counts", spreads.size());
  weights_ = decltype(weights_)("tessera::acoustic::receivers::weights", spreads.size());
  const auto first = Kokkos::create_mirror_view(first_);
  const auto counts = Kokkos::create_mirror_view(counts_);
  const auto weights = Kokkos::create_mirror_view(weights_);
  for (std::size_t r = 0; r < spreads.size(); ++r) {
    for (std::size_t d = 0; d < 3; ++d) {
      const AxisSpread& axis = spreads[r].axis[d];
      first(r, d) = axis.first;
      counts(r, d) = static_cast<int>(axis.weights.size());
      for (std::size_t i = 0; i < axis.weights.size(); ++i) {
        weights(r, d, i) = static_cast<Real>(axis.weights[i]);
      }
    }
  }
  Kokkos::deep_copy(first_, first);
  Kokkos::deep_copy(counts_, counts);
  Kokkos::deep_copy(weights_, weights);
}

template <class Real>
template <class From>
void Receivers<Real>::sample_from(const ExecSpace& exec, const From& u, Real* samples) const {
  const Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>> all(exec, 0, count_);
  const char* label = "tessera::acoustic::receivers::sample";
  if (at_cells()) {
    Kokkos::parallel_for(label, all, ReadCells<Real, From>{u, cells_.data(), samples});
    return;
  }
  Kokkos::parallel_for(label, all,
                       ReadBetweenCells<Real, From, Triples, decltype(weights_)>{
                           u, first_, counts_, weights_, samples});
}

template class Receivers<float>;
template class Receivers<double>;
template void Receivers<float>::sample_from(const ExecSpace&, const FieldRef<const float>&,
                                            float*) const;
template void Receivers<float>::sample_from(const ExecSpace&, const PackedRef&, float*) const;
template void Receivers<double>::sample_from(const ExecSpace&, const FieldRef<const double>&,
                                             double*) const;
template void Receivers<double>::sample_from(const ExecSpace&, const PackedRef&, double*) const;

}  // namespace tessera::acoustic
