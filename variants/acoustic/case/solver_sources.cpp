// SPDX-License-Identifier: Apache-2.0
// What a solver adds to u between steps: sources, and images above a free surface.
#include "base/case/initial_data.hpp"
#include "base/support/error.hpp"
#include "variants/acoustic/case/solver.hpp"

namespace tessera::acoustic {
namespace {

template <class Real>
struct AddWeighted {
  FieldRef<Real> u;
  Box box;
  const double* weights;
  double amplitude;
  KOKKOS_FUNCTION void operator()(int i) const {
    const int x = box.x0 + i % box.nx(), y = box.y0 + i / box.nx() % box.ny();
    const int z = box.z0 + i / box.nx() / box.ny();
    *u.at(z, y, x) += source_value<Real>(box, weights, z, y, x, amplitude);
  }
};
struct AddedTo {
  Box box;
  const double* weights;
  double amplitude;
  KOKKOS_FUNCTION float operator()(int z, int y, int x, float before) const {
    return before + source_value<float>(box, weights, z, y, x, amplitude);
  }
};

/// u(-z) = -u(z) in the halo above the plane z = 0, and u(0) = 0.
template <class Real, class To>
struct MirrorAbove {
  To u;
  int deepest;  // cell along z
  KOKKOS_FUNCTION void operator()(int x, int y, int) const {
    put(u.at(0, y, x), 0, Real(0));
    for (int m = 1; m <= kR; ++m) {
      if (m <= deepest) same_unit(u.at(-m, y, x), u.at(m, y, x));
      put(u.at(-m, y, x), 0, m <= deepest ? Real(-u.at(m, y, x)[0]) : Real(0));
    }
  }
};

}  // namespace

template <class Real>
template <class To>
void Solver<Real>::add(const ExecSpace& exec, const To& to, const PassSource& source,
                       double amplitude) {
  const auto cells = static_cast<int>(source.box.cells());
  if (cells == 0) return;  // another rank's
  const char* const label = "tessera::acoustic::source::inject";
  if constexpr (std::is_same_v<To, PackedRef>) {
    put_in_blocks(label, exec, to, source.box, AddedTo{source.box, source.weights, amplitude});
  } else {
    Kokkos::parallel_for(label,
                         Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>(exec, 0, cells),
                         AddWeighted<Real>{to, source.box, source.weights, amplitude});
  }
}

template <class Real>
template <class Ref>
void Solver<Real>::mirror(const ExecSpace& exec, const Ref& of, int deepest) const {
  if (!setup_.free_surface || domain_.box.z0 > 0) return;
  const Extents n = domain_.n();
  Kokkos::parallel_for("tessera::acoustic::free_surface::mirror",
                       cells_of(exec, {0, 1, 0, n.ny, 0, n.nx}),
                       MirrorAbove<Real, Ref>{of, deepest});
}

template <class Real>
void Solver<Real>::prepare(const ExecSpace& exec) const {
  const int deepest = domain_.n().nz - 1;
  if (!waves_.any()) return mirror(exec, u_.ref(), deepest);
  mirror(exec, waves_.u_ref(), deepest);
  // u- is zero there, too.
  if (keeps_difference(setup_.storage)) mirror(exec, waves_.difference_ref(), -1);
}

/// Images above cells of neighbours along x and y, which points off the axes read: messages are of
/// cells, not of images.
template <class Real>
void Solver<Real>::mirror_halo(const ExecSpace& exec) const {
  if (!setup_.free_surface || domain_.box.z0 > 0 || reach_ == comm::Reach::faces) return;
  const Extents n = domain_.n();
  const auto above = [&](int dy, int dx, const Box& box) {
    if (grid_.neighbour(parallel_.ranks.rank(), 0, dy, dx) < 0) return;
    Kokkos::parallel_for("tessera::acoustic::free_surface::mirror", cells_of(exec, box),
                         MirrorAbove<Real, FieldRef<Real>>{u_.ref(), n.nz - 1});
  };
  above(-1, 0, {0, 1, -kR, 0, 0, n.nx});
  above(1, 0, {0, 1, n.ny, n.ny + kR, 0, n.nx});
  above(0, -1, {0, 1, 0, n.ny, -kR, 0});
  above(0, 1, {0, 1, 0, n.ny, n.nx, n.nx + kR});
}

template <class Real>
void Solver<Real>::inject(const ExecSpace& exec, const PassSource& source) const {
  if (!waves_.any()) return add(exec, next_.ref(), source, source.amplitude[0]);
  const double amplitude = scale() * source.amplitude[0];
  add(exec, waves_.next_ref(), source, amplitude);
  if (keeps_difference(setup_.storage)) {
    add(exec, waves_.difference_ref(), source, amplitude);
  }
}

template <class Real>
void Solver<Real>::inject(const ExecSpace& exec, int z, int y, int x, double amplitude) const {
  require(!waves_.any(), "a source at a cell, of fields in 16 bits");
  add_at_cell("tessera::acoustic::source::inject", exec, next_, domain_, z, y, x, amplitude);
}

template void Solver<float>::prepare(const ExecSpace&) const;
template void Solver<double>::prepare(const ExecSpace&) const;
template void Solver<float>::mirror_halo(const ExecSpace&) const;
template void Solver<double>::mirror_halo(const ExecSpace&) const;
template void Solver<float>::inject(const ExecSpace&, const PassSource&) const;
template void Solver<double>::inject(const ExecSpace&, const PassSource&) const;
template void Solver<float>::inject(const ExecSpace&, int, int, int, double) const;
template void Solver<double>::inject(const ExecSpace&, int, int, int, double) const;
template void Solver<float>::add(const ExecSpace&, const FieldRef<float>&, const PassSource&,
                                 double);
template void Solver<double>::add(const ExecSpace&, const FieldRef<double>&, const PassSource&,
                                  double);
template void Solver<float>::add(const ExecSpace&, const PackedRef&, const PassSource&, double);
template void Solver<double>::add(const ExecSpace&, const PackedRef&, const PassSource&, double);
template void Solver<float>::mirror(const ExecSpace&, const FieldRef<float>&, int) const;
template void Solver<double>::mirror(const ExecSpace&, const FieldRef<double>&, int) const;
template void Solver<float>::mirror(const ExecSpace&, const PackedRef&, int) const;
template void Solver<double>::mirror(const ExecSpace&, const PackedRef&, int) const;

}  // namespace tessera::acoustic
