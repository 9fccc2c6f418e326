// SPDX-License-Identifier: Apache-2.0
#include "variants/low_order/case/solver.hpp"

#include "base/case/initial_data.hpp"
#include "base/case/worst.hpp"
#include "base/support/bound.hpp"

namespace tessera::low_order {
namespace {

/// The grid with its halo.
Box with_halo(const Extents& n) { return {-kR, n.nz + kR, -kR, n.ny + kR, -kR, n.nx + kR}; }

[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool inside(const Extents& n, int z, int y, int x) {
  return z >= 0 && z < n.nz && y >= 0 && y < n.ny && x >= 0 && x < n.nx;
}

/// u+ before a step: the boundary values of u around, no number inside.
template <class Real>
struct PoisonInside {
  FieldRef<Real> next;
  FieldRef<const Real> u;
  Extents n;
  KOKKOS_FUNCTION void operator()(int x, int y, int z) const {
    *next.at(z, y, x) = inside(n, z, y, x) ? static_cast<Real>(NAN) : *u.at(z, y, x);
  }
};

/// Sum of the magnitudes of the terms of u+ at `i`.
template <Stencil kStencil, class Real>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION double terms_at(const Fields<Real>& f, std::int64_t i) {
  const auto u = [&](auto dx, auto dy, auto dz) {
    return magnitude(static_cast<double>(f.u[i + dz * f.plane + dy * f.row + dx]));
  };
  const double a = magnitude(static_cast<double>(f.alpha));
  const double b = magnitude(static_cast<double>(f.beta));
  const double gamma = Shape<kStencil>::kGamma ? magnitude(static_cast<double>(f.gamma[i])) : 0.0;
  constexpr Constant<0> kO;
  if constexpr (kStencil == Stencil::pt7_1) {
    return a * u(kO, kO, kO) + b * sum_of_faces(u);
  } else if constexpr (kStencil == Stencil::pt7_2) {
    return a * gamma + b * sum_of_faces(u);
  } else if constexpr (kStencil == Stencil::pt7_3) {
    // The centre with a minus sign makes each difference of the fluxes a sum.
    const auto signed_u = [&](auto dx, auto dy, auto dz) {
      return dx == 0 && dy == 0 && dz == 0 ? -u(dx, dy, dz) : u(dx, dy, dz);
    };
    const auto kappa = [&](auto dx, auto dy, auto dz) {
      return magnitude(static_cast<double>(f.kappa[i + dz * f.plane + dy * f.row + dx]));
    };
    return u(kO, kO, kO) + gamma + a * sum_of_fluxes(signed_u, kappa);
  } else {
    return a * gamma + b * sum_of_faces(u) + sum_of_edges(u);
  }
}

/// Largest |difference| / bound over the grid and its halo.
template <class Real, Stencil kStencil>
struct CompareStep {
  static constexpr double kLimit = bound_of_sum<Real>(Shape<kStencil>::kPoints);
  Fields<Real> f;
  Extents n;

  KOKKOS_FUNCTION void operator()(int x, int y, int z, double& worst) const {
    const std::int64_t i = f.offset(z, y, x);
    const bool in = inside(n, z, y, x);
    const double got = f.next[i];
    const double wanted = in ? value_at<kStencil>(f, i) : f.u[i];
    if (got == wanted) return;
    const double ratio = in ? ratio_to(kLimit * terms_at<kStencil>(f, i), got, wanted) : 1e300;
    worst = ratio > worst ? ratio : worst;
  }
};

bool has_gamma(Stencil stencil) { return stencil != Stencil::pt7_1; }
bool has_kappa(Stencil stencil) { return stencil == Stencil::pt7_3; }

}  // namespace

template <class Real>
comm::RankGrid Solver<Real>::rank_grid(const Setup& setup, const comm::Parallel& parallel) {
  const double arrays = kStencils[static_cast<int>(setup.stencil)].arrays;
  return parallel.divide(
      setup.n, {.width = kR, .values = sizeof(Real), .cell_bytes = arrays * sizeof(Real)});
}

template <class Real>
Solver<Real>::Solver(const Setup& setup, const comm::Parallel& parallel)
    : setup_(setup), parallel_(parallel) {
  const comm::RankGrid grid = rank_grid(setup, parallel);
  domain_ = grid.domain(parallel.ranks.rank());
  const Extents n = domain_.n();
  regions_ = split({whole_region(n)}, grid, parallel.ranks.rank(), n, kR, sizeof(Real));
  u_ = Field<Real>("tessera::low_order::u", n, kR);
  next_ = Field<Real>("tessera::low_order::next", n, kR);
  if (has_gamma(setup.stencil)) gamma_ = Field<Real>("tessera::low_order::gamma", n, kR);
  if (has_kappa(setup.stencil)) kappa_ = Field<Real>("tessera::low_order::kappa", n, kR);
  if (!parallel.ranks.alone()) {
    halo_ = std::make_unique<comm::HaloExchange<Real>>(
        parallel, grid, whole(n), kR, reach_of(setup), std::vector<Field<Real>>{u_, next_});
  }
}

template <class Real>
std::int64_t Solver<Real>::memory_bytes(const Setup& setup, const comm::Parallel& parallel) {
  const int arrays = 2 + (has_gamma(setup.stencil) ? 1 : 0) + (has_kappa(setup.stencil) ? 1 : 0);
  const Extents n = rank_grid(setup, parallel).domain(parallel.ranks.rank()).n();
  return arrays * field_bytes(n, kR, static_cast<int>(sizeof(Real)));
}

template <class Real>
void Solver<Real>::set_random(std::uint64_t seed) {
  const Extents n = domain_.n();
  const auto policy = cells_of(ExecSpace(), with_halo(n));
  const auto fill = [&](Field<Real>& field, std::uint64_t stream, double middle, double reach) {
    Kokkos::parallel_for(
        "tessera::low_order::init::random", policy,
        RandomCells<Real>{field.ref(), domain_, 3 * seed + stream, kR, middle, reach});
  };
  fill(u_, 0, 0, 1);
  if (has_gamma(setup_.stencil)) fill(gamma_, 1, 0, 1);
  if (has_kappa(setup_.stencil)) fill(kappa_, 2, 1, 0.5);
  Kokkos::parallel_for("tessera::low_order::init::poison", policy,
                       PoisonInside<Real>{next_.ref(), u_.ref(), n});
  Kokkos::fence();
}

template <class Real>
Fields<Real> Solver<Real>::fields() const {
  const auto next = next_.ref();
  return {u_.ref().origin,
          next.origin,
          gamma_.ref().origin,
          kappa_.ref().origin,
          next.row,
          next.plane,
          static_cast<Real>(setup_.alpha),
          static_cast<Real>(setup_.beta)};
}

template <class Real>
void Solver<Real>::update(const ExecSpace& exec, const Selected& how) const {
  const auto& variant = how.as<LowOrderVariant>();
  step_beside_exchange(exec, halo_.get(), parallel_.options.overlap, u_, regions_,
                       [&](const ExecSpace& on, const Region& region) {
                         variant.step<Real>(how.configuration, on, setup_.stencil, fields(),
                                            region);
                       });
}

template <class Real>
double Solver<Real>::worst_of_step() const {
  double worst = 0;
  with_stencil(setup_.stencil, [&](auto stencil) {
    Kokkos::parallel_reduce(
        "tessera::low_order::verify::compare", cells_of(ExecSpace(), with_halo(domain_.n())),
        CompareStep<Real, stencil()>{fields(), domain_.n()}, Kokkos::Max<double>(worst));
  });
  return parallel_.ranks.max(worst);
}

template <class Real>
ValueRange Solver<Real>::range() const {
  return range_of("tessera::low_order::range", u_, parallel_.ranks);
}

template class Solver<float>;
template class Solver<double>;

}  // namespace tessera::low_order
