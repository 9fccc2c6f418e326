// SPDX-License-Identifier: Apache-2.0
#include "variants/acoustic/case/solver.hpp"

#include "base/case/initial_data.hpp"
#include "base/grid/transfer.hpp"
#include "base/support/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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

/// eta along an axis, of `cells` cells from `first` on and beside them; the other two axes at cells
/// without damping.
template <class Real>
Kokkos::View<Real*, ExecSpace::memory_space> profile(const Setup& s, int axis, int first,
                                                     int cells) {
  Kokkos::View<Real*, ExecSpace::memory_space> values("tessera::acoustic::profile",
                                                      cells + 2 * kProfileHalo);
  const auto host = Kokkos::create_mirror_view(values);
  Kokkos::deep_copy(host, EtaProfiles<Real>::kOutside);
  const int end[3] = {s.n.nx, s.n.ny, s.n.nz};
  for (int i = -kProfileHalo; i < cells + kProfileHalo; ++i) {
    int at[3] = {s.n.nx / 2, s.n.ny / 2, s.n.nz / 2};
    at[axis] = first + i;
    if (at[axis] < 0 || at[axis] >= end[axis]) continue;
    host(kProfileHalo + i) = static_cast<Real>(s.eta(at[2], at[1], at[0]));
  }
  Kokkos::deep_copy(values, host);
  return values;
}

}  // namespace

template <class Real>
comm::RankGrid Solver<Real>::rank_grid(const Setup& setup, const comm::Parallel& parallel) {
  comm::SplitCost cost{.width = kR,
                       .values = sizeof(Real),
                       .cell_bytes = 4 * sizeof(Real),
                       .layer = setup.pml_cells,
                       .layer_bytes = 7 * sizeof(Real)};
  if (setup.convolutional()) {
    cost.layer_bytes = (4 + kAbsorbElements) * sizeof(Real);
    cost.width = std::max(kR, setup.pml_cells);  // a rank has all of a layer, or none
  }
  comm::RankGrid grid = parallel.divide(setup.n, cost);
  const int planes = grid.domain(0).box.nz();
  require(!setup.free_surface || planes == setup.n.nz || planes > kR,
          "acoustic.free_surface: the ranks below it require more than {} planes, not {}", kR,
          planes);
  return grid;
}

template <class Real>
Solver<Real>::Solver(const Setup& setup, const comm::Parallel& parallel, comm::Reach reach)
    : setup_(setup),
      parallel_(parallel),
      reach_(reach),
      grid_(rank_grid(setup, parallel)),
      domain_(grid_.domain(parallel.ranks.rank())),
      k_(setup.h[0], setup.h[1], setup.h[2]) {
  check(setup);
  set_decomposition(setup.decomposition);
  const Extents n = domain_.n();
  if (setup.storage == Storage::plain) {
    u_ = Field<Real>("tessera::acoustic::u", n, kR);
    next_ = Field<Real>("tessera::acoustic::next", n, kR);
    vp_ = Field<Real>("tessera::acoustic::vp", n, kR);
  } else {
    require(sizeof(Real) == sizeof(float),
            "acoustic.storage = \"{}\" requires case.precision = \"float\"",
            to_string(setup.storage));
    require(!setup.convolutional() || setup.storage != Storage::block16,
            "acoustic.storage = \"block16\" requires acoustic.layers = \"paper\"");
    require(parallel.ranks.alone() || bytes_beside(setup.storage) == 0,
            "acoustic.storage = \"{}\" requires a single rank: halos travel in 16 bits alone",
            to_string(setup.storage));
    waves_ = StoredWaves<Real>(setup.storage, FieldLayout(n, kR, sizeof(Real)));
  }
  // Zero with convolutional layers: some variants read it inside.
  phi_ = Field<Real>("tessera::acoustic::phi", n, kR);
  profiles_[0] = profile<Real>(setup, 0, domain_.box.x0, n.nx);
  profiles_[1] = profile<Real>(setup, 1, domain_.box.y0, n.ny);
  profiles_[2] = profile<Real>(setup, 2, domain_.box.z0, n.nz);
  if (setup.convolutional()) {
    absorber_ = Absorber<Real>(setup.layers(), domain_, setup.h,
                               [&](int axis, double deep) { return setup.absorption(axis, deep); });
  } else {
    eta_ = Field<Real>("tessera::acoustic::eta", n, kR);
    // With the halo, where other ranks' layers may lie.
    Kokkos::parallel_for("tessera::acoustic::init::eta",
                         cells_of(ExecSpace(), {-kR, n.nz + kR, -kR, n.ny + kR, -kR, n.nx + kR}),
                         SumOfProfiles<Real>{eta_.ref(), profiles()});
    Kokkos::fence();
  }
  if (parallel.ranks.alone()) return;
  const auto exchange = [&]<class T>(auto& halo, const Field<T>& u, const Field<T>& next) {
    halo = std::make_unique<comm::HaloExchange<T>>(parallel, grid_, whole(n), kR, reach,
                                                   std::vector<Field<T>>{u, next});
  };
  waves_.any() ? exchange(stored_halo_, waves_.u_bits(), waves_.next_bits())
               : exchange(halo_, u_, next_);
}

template <class Real>
std::int64_t Solver<Real>::memory_bytes(const Setup& setup, const comm::Parallel& parallel) {
  const Domain domain = rank_grid(setup, parallel).domain(parallel.ranks.rank());
  const std::int64_t field = field_bytes(domain.n(), kR, static_cast<int>(sizeof(Real)));
  const int share = static_cast<int>(sizeof(Real) / sizeof(std::uint16_t));
  const std::int64_t layers =
      setup.convolutional() ? Absorber<Real>::memory_bytes(setup.layers(), domain) : field;
  if (setup.storage != Storage::plain)
    return 2 * field + layers + StoredWaves<Real>::memory_bytes(setup.storage, domain.n());
  return 4 * field + layers + (setup.vp_storage == VpStorage::field ? 0 : field / share);
}

template <class Real>
void Solver<Real>::set_zero() {
  phi_.fill(0);
  absorber_.set_zero();
  if (waves_.any()) {
    const Field<Real> zero("tessera::acoustic::zero", domain_.n(), kR);
    return waves_.set_waves(zero, zero);
  }
  u_.fill(0);
  next_.fill(0);
}

template <class Real>
void Solver<Real>::set_random(std::uint64_t seed) {
  const Box cells = whole(domain_.n());
  const auto fill = [&](Field<Real>& field, std::uint64_t stream, double reach, const Box& zero) {
    const ExecSpace exec;
    Kokkos::parallel_for("tessera::acoustic::init::random", cells_of(exec, cells),
                         RandomCells<Real>{field.ref(), domain_, 3 * seed + stream, 0, 0, reach});
    const Box still = intersect(zero, cells);
    if (still.empty()) return;
    Kokkos::parallel_for("tessera::acoustic::init::zero", cells_of(exec, still),
                         OneValue<Real>{field.ref(), Real(0)});
  };
  const Extents& n = setup_.n;
  const Box surface = setup_.free_surface ? domain_.local({0, 1, 0, n.ny, 0, n.nx}) : Box{};
  Field<Real> u = u_, next = next_;
  if (waves_.any()) {
    u = Field<Real>("tessera::acoustic::u", domain_.n(), kR);
    next = Field<Real>("tessera::acoustic::next", domain_.n(), kR);
  }
  fill(u, 0, scale(), surface);
  fill(next, 1, scale(), surface);
  if (setup_.convolutional()) {
    absorber_.set_zero();
  } else {
    fill(phi_, 2, std::abs(static_cast<double>(k_.c0)) * scale(), inner());
  }
  Kokkos::fence();
  if (waves_.any()) waves_.set_waves(u, next);
}

template <class Real>
RankRegions Solver<Real>::regions_of(const Setup& setup, const comm::RankGrid& grid, int rank) {
  const Domain domain = grid.domain(rank);
  return split(cut(setup.regions(setup.decomposition), domain), grid, rank, domain.n(), kR,
               sizeof(Real));
}

template <class Real>
void Solver<Real>::set_decomposition(Decomposition kind) {
  setup_.decomposition = kind;
  regions_ = regions_of(setup_, grid_, parallel_.ranks.rank());
  const auto count = static_cast<int>(regions_.all.size());
  if (!is_concurrent(kind) || count == 1) {
    instances_.reset();
  } else if (!instances_ || instances_->size() != count) {
    instances_ = std::make_unique<Instances>(count);
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
  const auto phi = phi_.ref();
  return {u_.ref().origin,
          next.origin,
          next.origin,
          vp_.ref().origin,
          phi.origin,
          eta_.ref().origin,
          phi.row,
          phi.plane,
          k_,
          profiles(),
          setup_.vp_beside() == VpStorage::field ? nullptr : vp_16_.bits.ref().origin,
          vp_values_.data(),
          static_cast<int>(vp_values_.extent(0)),
          vp_16_.step};
}

template <class Real>
void Solver<Real>::update_region(const ExecSpace& exec, const Selected& how,
                                 const Region& region) const {
  const AcousticVariant& variant = how.as<AcousticVariant>();
  const Fields<Real> f = fields();
  // Convolutional layers: the inner formula everywhere, and then what they add.
  const bool beside = setup_.convolutional();
  const Region all{region.name, Update::inner, region.box, {}};
  if constexpr (std::is_same_v<Real, float>) {
    if (waves_.any()) {
      const StoredFields stored = waves_.fields(f);
      variant.step_stored(setup_.storage, how.configuration, exec, stored, beside ? all : region);
      if (beside) absorber_.update(exec, stored, setup_.storage, region);
      return;
    }
  }
  variant.step<Real>(how.configuration, exec, f, beside ? all : region);
  if (beside) absorber_.update(exec, f, region);
}

template <class Real>
void Solver<Real>::update(const ExecSpace& exec, const Launch& launch) const {
  prepare(exec);
  const auto step = [&](auto* halo, const auto& u) {
    step_beside_exchange(exec, halo, parallel_.options.overlap, u, regions_, launch,
                         [&](const ExecSpace& on) { mirror_halo(on); });
  };
  waves_.any() ? step(stored_halo_.get(), waves_.u_bits()) : step(halo_.get(), u_);
}

template <class Real>
void Solver<Real>::launch(const ExecSpace& exec, const Selected& how,
                          const std::vector<Region>& regions) const {
  if (!instances_) {
    for (const Region& region : regions) update_region(exec, how, region);
    return;
  }
  // No order among the regions is needed. A step writes `next` and phi, and each region writes them
  // in its own cells only, which no other region has. From outside its cells a region needs u and
  // eta, which no region writes: u+ and phi+ of a cell take u- and phi of this cell alone. A
  // variant with vectors may load `next` or phi in lanes that are a neighbour's cells, old or new,
  // but computes nothing it keeps from them, and stores lane by lane where a vector is not all its
  // own.
  std::size_t first = 0;
  if (how.as<AcousticVariant>().inner_alone && !regions.empty() &&
      regions.front().update == Update::inner)
    update_region(exec, how, regions[first++]);
  instances_->fork(exec);
  for (std::size_t i = first; i < regions.size(); ++i) {
    update_region((*instances_)[static_cast<int>(i) % instances_->size()], how, regions[i]);
  }
  instances_->join(exec);
}

template <class Real>
ValueRange Solver<Real>::range() const {
  const char* label = "tessera::acoustic::range";
  if (!waves_.any()) return range_of(label, u_, parallel_.ranks);
  return range_in<Real>(label, waves_.u_unscaled(), domain_.n(), parallel_.ranks);
}

template <class Real>
std::array<int, 3> Solver<Real>::first_non_finite() const {
  const std::vector<Real> values = to_host(u_values());
  const auto bad =
      std::find_if(values.begin(), values.end(), [](Real v) { return !std::isfinite(v); });
  const Extents& n = setup_.n;
  double first = static_cast<double>(n.cells());  // its place in the grid
  if (bad != values.end()) {
    const auto i = static_cast<std::int64_t>(bad - values.begin());
    const Extents own = domain_.n();
    first = static_cast<double>(n.index(static_cast<int>(i / own.nx / own.ny) + domain_.box.z0,
                                        static_cast<int>(i / own.nx % own.ny) + domain_.box.y0,
                                        static_cast<int>(i % own.nx) + domain_.box.x0));
  }
  const auto i = static_cast<std::int64_t>(parallel_.ranks.min(first));
  return {static_cast<int>(i / n.nx / n.ny), static_cast<int>(i / n.nx % n.ny),
          static_cast<int>(i % n.nx)};
}

template class Solver<float>;
template class Solver<double>;

}  // namespace tessera::acoustic
