// SPDX-License-Identifier: Apache-2.0
#include "variants/directional/case/solver.hpp"

#include "base/case/initial_data.hpp"
#include "base/support/error.hpp"

#include <cmath>
#include <limits>

namespace tessera::directional {

Region whole_region(const Extents& n) { return {"whole", Update::inner, whole(n), {}}; }

template <class Real>
comm::RankGrid Solver<Real>::rank_grid(const Setup& setup, const comm::Parallel& parallel) {
  return parallel.divide(
      setup.n, {.width = setup.op.radius, .values = sizeof(Real), .cell_bytes = 2 * sizeof(Real)});
}

template <class Real>
Solver<Real>::Solver(const Setup& setup, const comm::Parallel& parallel)
    : setup_(setup), parallel_(parallel) {
  for (const double h : setup.h) {
    require(h > 0 && std::isfinite(h), "directional.h = {} m must be positive", h);
  }
  const int halo = halo_width(setup.op.radius);
  const comm::RankGrid grid = rank_grid(setup, parallel);
  domain_ = grid.domain(parallel.ranks.rank());
  const Extents n = domain_.n();
  const int radius = setup.op.radius;
  regions_ = split({whole_region(n)}, grid, parallel.ranks.rank(), n, radius, sizeof(Real));
  in_ = Field<Real>("tessera::directional::in", n, halo, Real(0), setup.rows);
  out_ = Field<Real>("tessera::directional::out", n, halo, Real(0), setup.rows);
  if (!parallel.ranks.alone()) {
    halo_ = std::make_unique<comm::HaloExchange<Real>>(
        parallel, grid, whole(n), radius, comm::Reach::faces, std::vector<Field<Real>>{in_});
  }
}

template <class Real>
std::int64_t Solver<Real>::cube_bytes(const Setup& setup, const comm::Parallel& parallel) {
  const Extents n = rank_grid(setup, parallel).domain(parallel.ranks.rank()).n();
  return field_bytes(n, halo_width(setup.op.radius), static_cast<int>(sizeof(Real)), setup.rows);
}

template <class Real>
void Solver<Real>::set_random(std::uint64_t seed) {
  const int r = setup_.op.radius;
  const Extents n = domain_.n();
  out_.fill(std::numeric_limits<Real>::quiet_NaN());
  Kokkos::parallel_for("tessera::directional::init::random",
                       cells_of(ExecSpace(), {-r, n.nz + r, -r, n.ny + r, -r, n.nx + r}),
                       RandomCells<Real>{in_.ref(), domain_, seed, r, 0, 1, true});
  Kokkos::fence();
}

template <class Real>
Cubes<Real> Solver<Real>::cubes() const {
  const auto out = out_.ref();
  return {in_.ref().origin, out.origin, out.row, out.plane,
          Coefficients<Real>(setup_.op, setup_.h[0], setup_.h[1], setup_.h[2])};
}

template <class Real>
void Solver<Real>::pass(const ExecSpace& exec, const Selected& how) const {
  const auto& variant = how.as<DirectionalVariant>();
  step_beside_exchange(exec, halo_.get(), parallel_.options.overlap, in_, regions_,
                       [&](const ExecSpace& on, const Region& region) {
                         variant.step<Real>(how.configuration, on, cubes(), region, setup_.op);
                       });
}

template <class Real>
ValueRange Solver<Real>::range() const {
  return range_of("tessera::directional::range", out_, parallel_.ranks);
}

template class Solver<float>;
template class Solver<double>;

}  // namespace tessera::directional
