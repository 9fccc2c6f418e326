// SPDX-License-Identifier: Apache-2.0
#include "cases/acoustic/solver.hpp"

#include "cases/random.hpp"
#include "grid/cell_policy.hpp"
#include "grid/transfer.hpp"
#include "support/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace tessera::acoustic {
namespace {

/// Sets the interior of a field from three 1D profiles, or from random numbers.
template <class Real>
struct SumOfProfiles {
  FieldRef<Real> field;
  EtaProfiles<Real> eta;
  KOKKOS_FUNCTION void operator()(int x, int y, int z) const {
    *field.at(z, y, x) = EtaProfiles<Real>::sum(eta.x[x], eta.y[y], eta.z[z]);
  }
};

template <class Real>
struct RandomValues {
  FieldRef<Real> field;
  Box zero;  // cells that stay zero
  Extents n;
  std::uint64_t seed;
  double scale;
  KOKKOS_FUNCTION void operator()(int x, int y, int z) const {
    const auto position = (static_cast<std::uint64_t>(z) * n.ny + y) * n.nx + x;
    const double value = scale * (2 * random_value(seed, position) - 1);
    *field.at(z, y, x) = zero.contains(z, y, x) ? Real(0) : static_cast<Real>(value);
  }
};

template <class Real>
struct AddValue {
  Real* cell;
  Real value;
  KOKKOS_FUNCTION void operator()(int) const { *cell += value; }
};

template <class Real>
struct AddWeighted {
  FieldRef<Real> u;
  Box box;
  const double* weights;  // [z][y][x] of the box
  double amplitude;
  KOKKOS_FUNCTION void operator()(int i) const {
    const int x = i % box.nx(), y = i / box.nx() % box.ny(), z = i / box.nx() / box.ny();
    *u.at(box.z0 + z, box.y0 + y, box.x0 + x) += static_cast<Real>(weights[i] * amplitude);
  }
};

/// u(-z) = -u(z) in the halo above the plane z = 0, and u(0) = 0.
template <class Real>
struct MirrorAbove {
  FieldRef<Real> u;
  int deepest;  // cell along z
  KOKKOS_FUNCTION void operator()(int x, int y, int) const {
    *u.at(0, y, x) = 0;
    for (int m = 1; m <= kR; ++m) *u.at(-m, y, x) = m <= deepest ? -*u.at(m, y, x) : Real(0);
  }
};

/// eta along an axis, the other two at cells without damping.
template <class Real>
Kokkos::View<Real*, ExecSpace::memory_space> profile(const Setup& s, int axis, int cells) {
  Kokkos::View<Real*, ExecSpace::memory_space> values("tessera::acoustic::profile",
                                                      cells + 2 * kProfileHalo);
  const auto host = Kokkos::create_mirror_view(values);
  Kokkos::deep_copy(host, EtaProfiles<Real>::kOutside);
  for (int i = 0; i < cells; ++i) {
    int at[3] = {s.n.nx / 2, s.n.ny / 2, s.n.nz / 2};
    at[axis] = i;
    host(kProfileHalo + i) = static_cast<Real>(s.eta(at[2], at[1], at[0]));
  }
  Kokkos::deep_copy(values, host);
  return values;
}

}  // namespace

template <class Real>
Solver<Real>::Solver(const Setup& setup) : setup_(setup), k_(setup.h[0], setup.h[1], setup.h[2]) {
  check(setup);
  set_decomposition(setup.decomposition);
  u_ = Field<Real>("u", setup.n, kR);
  next_ = Field<Real>("next", setup.n, kR);
  vp_ = Field<Real>("vp", setup.n, kR);
  phi_ = Field<Real>("phi", setup.n, kR);
  eta_ = Field<Real>("eta", setup.n, kR);
  const int cells[3] = {setup.n.nx, setup.n.ny, setup.n.nz};
  for (int axis = 0; axis < 3; ++axis) profiles_[axis] = profile<Real>(setup, axis, cells[axis]);
  Kokkos::parallel_for("tessera::acoustic::init::eta", cells_of(ExecSpace(), whole(setup.n)),
                       SumOfProfiles<Real>{eta_.ref(), profiles()});
  Kokkos::fence();
}

template <class Real>
std::int64_t Solver<Real>::memory_bytes(const Setup& setup) {
  const std::int64_t field = field_bytes(setup.n, kR, static_cast<int>(sizeof(Real)));
  const int share = static_cast<int>(sizeof(Real) / sizeof(std::uint16_t));
  return 5 * field + (setup.vp_storage == VpStorage::index ? field / share : 0);
}

template <class Real>
void Solver<Real>::set_velocity(double v) {
  require(v > 0 && std::isfinite(v), "velocity {} m/s must be positive", v);
  check_velocity(setup_, v);
  vp_.fill(static_cast<Real>(v * setup_.dt() * (v * setup_.dt())));
  index_vp();
}

template <class Real>
void Solver<Real>::set_velocity(const std::function<double(int, int, int)>& velocity) {
  const double dt = setup_.dt();
  double largest = 0;
  from_host(vp_, [&](int z, int y, int x) {
    const double v = velocity(z, y, x);
    require(v > 0 && std::isfinite(v), "velocity {} m/s at cell x = {}, y = {}, z = {}", v, x, y,
            z);
    largest = std::max(largest, v);
    return static_cast<Real>(v * dt * (v * dt));
  });
  check_velocity(setup_, largest);
  index_vp();
}

template <class Real>
void Solver<Real>::index_vp() {
  if (setup_.vp_storage == VpStorage::field) return;
  constexpr std::size_t kMost = 65536;
  // The layout of the other fields, so that they share their offsets; smaller elements need more of
  // them to align the first.
  FieldLayout layout = vp_.layout();
  layout.count += kLineBytes / static_cast<int>(sizeof(std::uint16_t));
  vp_index_ = Field<std::uint16_t>("vp_index", layout);
  std::vector<Real> values;
  {
    const auto vp = host_copy(vp_);
    std::unordered_map<Real, std::uint16_t> indices;
    Real last = 0;  // models come in runs of one value
    std::uint16_t last_index = 0;
    from_host(vp_index_, [&](int z, int y, int x) {
      const Real value = vp(vp_.index(z, y, x));
      if (value == last) return last_index;
      last = value;
      const auto found = indices.find(value);
      if (found != indices.end()) return last_index = found->second;
      require(values.size() < kMost,
              "acoustic.vp_storage = \"index\": the model has more than {} different velocities; "
              "\"field\" takes any",
              kMost);
      last_index = static_cast<std::uint16_t>(values.size());
      indices.emplace(value, last_index);
      values.push_back(value);
      return last_index;
    });
  }
  vp_values_ = decltype(vp_values_)("vp_values", values.size());
  const auto host = Kokkos::create_mirror_view(vp_values_);
  std::copy(values.begin(), values.end(), host.data());
  Kokkos::deep_copy(vp_values_, host);
}

template <class Real>
void Solver<Real>::set_zero() {
  u_.fill(0);
  next_.fill(0);
  phi_.fill(0);
}

template <class Real>
void Solver<Real>::set_random(std::uint64_t seed) {
  const Extents& n = setup_.n;
  const auto fill = [&](Field<Real>& field, std::uint64_t stream, double scale, const Box& zero) {
    Kokkos::parallel_for("tessera::acoustic::init::random", cells_of(ExecSpace(), whole(n)),
                         RandomValues<Real>{field.ref(), zero, n, 3 * seed + stream, scale});
  };
  const Box surface = setup_.free_surface ? Box{0, 1, 0, n.ny, 0, n.nx} : Box{};
  fill(u_, 0, 1.0, surface);
  fill(next_, 1, 1.0, surface);
  fill(phi_, 2, std::abs(static_cast<double>(k_.c0)), inner_box(n, setup_.layers()));
  Kokkos::fence();
}

template <class Real>
void Solver<Real>::set_decomposition(Decomposition kind) {
  setup_.decomposition = kind;
  regions_ = decompose(setup_.n, setup_.layers(), kind);
  if (kind != Decomposition::seven_concurrent || regions_.size() == 1) {
    instances_.reset();
  } else if (!instances_) {
    instances_ = std::make_unique<Instances>(static_cast<int>(regions_.size()));
  }
}

template <class Real>
EtaProfiles<Real> Solver<Real>::profiles() const {
  const auto from = [&](int axis) { return profiles_[axis].data() + kProfileHalo; };
  return {from(0), from(1), from(2)};
}

template <class Real>
Fields<Real> Solver<Real>::fields() const {
  const auto next = next_.ref();
  return {u_.ref().origin,
          next.origin,
          next.origin,
          vp_.ref().origin,
          phi_.ref().origin,
          eta_.ref().origin,
          next.row,
          next.plane,
          k_,
          profiles(),
          setup_.vp_storage == VpStorage::index ? vp_index_.ref().origin : nullptr,
          vp_values_.data(),
          static_cast<int>(vp_values_.extent(0))};
}

template <class Real>
void Solver<Real>::update_region(const ExecSpace& exec, const Selected& how,
                                 const Region& region) const {
  static_cast<const AcousticVariant*>(how.variant)
      ->step<Real>(how.configuration, exec, fields(), region);
}

template <class Real>
void Solver<Real>::update(const ExecSpace& exec, const Selected& how) const {
  prepare(exec);
  if (!instances_) {
    for (const Region& region : regions_) update_region(exec, how, region);
    return;
  }
  // No order among the regions is needed. A step writes `next` and phi, and each region writes them
  // in its own cells only, which no other region has. From outside its cells a region needs u and
  // eta, which no region writes: u+ and phi+ of a cell take u- and phi of this cell alone. A
  // variant with vectors may load `next` or phi in lanes that are a neighbour's cells, old or new,
  // but computes nothing it keeps from them, and stores lane by lane where a vector is not all its
  // own.
  instances_->fork(exec);
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    update_region((*instances_)[static_cast<int>(i)], how, regions_[i]);
  }
  instances_->join(exec);
}

template <class Real>
void Solver<Real>::add(const ExecSpace& exec, const Field<Real>& to, const SourceCells& cells,
                       double amplitude) {
  Kokkos::parallel_for(
      "tessera::acoustic::source::inject",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>(exec, 0, cells.weights.extent_int(0)),
      AddWeighted<Real>{to.ref(), cells.box, cells.weights.data(), amplitude});
}

template <class Real>
void Solver<Real>::mirror(const ExecSpace& exec, const Field<Real>& u) const {
  if (!setup_.free_surface) return;
  const Extents& n = setup_.n;
  Kokkos::parallel_for("tessera::acoustic::free_surface::mirror",
                       cells_of(exec, {0, 1, 0, n.ny, 0, n.nx}),
                       MirrorAbove<Real>{u.ref(), n.nz - 1});
}

template <class Real>
void Solver<Real>::inject(const ExecSpace& exec, int z, int y, int x, double amplitude) const {
  Kokkos::parallel_for("tessera::acoustic::source::inject",
                       Kokkos::RangePolicy<ExecSpace>(exec, 0, 1),
                       AddValue<Real>{next_.ref().at(z, y, x), static_cast<Real>(amplitude)});
}

template <class Real>
ValueRange Solver<Real>::range() const {
  return range_of("tessera::acoustic::range", u_);
}

template <class Real>
std::array<int, 3> Solver<Real>::first_non_finite() const {
  const std::vector<Real> values = to_host(u_);
  const auto bad =
      std::find_if(values.begin(), values.end(), [](Real v) { return !std::isfinite(v); });
  const auto i = static_cast<std::int64_t>(bad - values.begin());
  const Extents& n = setup_.n;
  return {static_cast<int>(i / n.nx / n.ny), static_cast<int>(i / n.nx % n.ny),
          static_cast<int>(i % n.nx)};
}

template class Solver<float>;
template class Solver<double>;

}  // namespace tessera::acoustic
