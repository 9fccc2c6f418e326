// SPDX-License-Identifier: Apache-2.0
#include "cases/directional/solver.hpp"

#include "cases/random.hpp"
#include "grid/cell_policy.hpp"
#include "support/error.hpp"

#include <cmath>
#include <limits>

namespace tessera::directional {
namespace {

template <class Real>
struct RandomValues {
  FieldRef<Real> field;
  Extents n;  // without the halo
  int halo;
  std::uint64_t seed;
  KOKKOS_FUNCTION void operator()(int x, int y, int z) const {
    const std::uint64_t ny = n.ny + 2 * halo;
    const std::uint64_t nx = n.nx + 2 * halo;
    const std::uint64_t position = ((z + halo) * ny + (y + halo)) * nx + (x + halo);
    *field.at(z, y, x) = static_cast<Real>(2 * random_value(seed, position) - 1);
  }
};

}  // namespace

Region whole_region(const Extents& n) { return {"whole", Update::inner, whole(n), {}}; }

template <class Real>
Solver<Real>::Solver(const Setup& setup) : setup_(setup) {
  for (const double h : setup.h) {
    require(h > 0 && std::isfinite(h), "directional.h = {} m must be positive", h);
  }
  const int halo = halo_width(setup.op.radius);
  in_ = Field<Real>("in", setup.n, halo, Real(0), setup.rows);
  out_ = Field<Real>("out", setup.n, halo, Real(0), setup.rows);
}

template <class Real>
std::int64_t Solver<Real>::cube_bytes(const Setup& setup) {
  return field_bytes(setup.n, halo_width(setup.op.radius), static_cast<int>(sizeof(Real)),
                     setup.rows);
}

template <class Real>
void Solver<Real>::set_random(std::uint64_t seed) {
  const int r = setup_.op.radius;
  const Extents& n = setup_.n;
  out_.fill(std::numeric_limits<Real>::quiet_NaN());
  Kokkos::parallel_for("tessera::directional::init::random",
                       cells_of(ExecSpace(), {-r, n.nz + r, -r, n.ny + r, -r, n.nx + r}),
                       RandomValues<Real>{in_.ref(), n, r, seed});
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
  static_cast<const DirectionalVariant*>(how.variant)
      ->step<Real>(how.configuration, exec, cubes(), whole_region(setup_.n), setup_.op);
}

template <class Real>
ValueRange Solver<Real>::range() const {
  return range_of("tessera::directional::range", out_);
}

template class Solver<float>;
template class Solver<double>;

}  // namespace tessera::directional
