// SPDX-License-Identifier: Apache-2.0
// jacobi/naive: what a newcomer to Kokkos writes. One MDRangePolicy a step, with the backend's
// default tile or a chosen one, one functor call a cell.
//
// Formula:  u+(c) = sum_j w_j u(c + d_j) (variants/jacobi/formula.hpp).
// Memory:   every point is read through the cache; Kokkos chooses the traversal.
// Minimal:  two elements a cell and step: u read, u+ written.
// Loses:    as jacobi/step, and on hosts to it: nothing is vectorised.
#include "base/grid/cell_policy.hpp"
#include "base/registry/cell_tiles.hpp"
#include "variants/jacobi/kernels/sweep_plan.hpp"
#include "variants/jacobi/kernels/variant.hpp"

namespace tessera {
namespace {

using namespace jacobi;

template <class StencilType, class Real>
struct NaiveKernel {
  Fields<Real> f;

  KOKKOS_FUNCTION void operator()(int x, int y, int s) const {
    const std::int64_t i = f.offset(s, y, x);
    const Real* const u = f.from + i;
    f.to[i] = point_value<StencilType, Real>(
        [&](auto ds, auto dy, auto dx) { return u[ds * f.plane + dy * f.row + dx]; });
  }
};

template <class StencilType, class Real>
struct Naive {
  CellTile wanted;

  /// In two dimensions y is the streamed axis.
  [[nodiscard]] CellTile tile() const {
    return StencilType::kDims == 2 ? CellTile{wanted.nx, wanted.nz, wanted.ny} : wanted;
  }

  [[nodiscard]] Plan plan(const Extents& n, const MachineLimits& machine) const {
    constexpr int kR = StencilType::kR;
    Plan p = plan_of_cells(tile(), whole(n), machine, {kR, StencilType::kRy, kR});
    describe_sweep<StencilType>(p);
    return p;
  }

  int step(const ExecSpace& exec, const Fields<Real>& f, int /*left*/,
           const Resident<Real>& /*resident*/) const {
    Kokkos::parallel_for("tessera::jacobi::naive::step",
                         cells_of(exec, whole(Extents{f.ns, f.ny, f.nx}), tile()),
                         NaiveKernel<StencilType, Real>{f});
    return 1;
  }

  [[nodiscard]] std::int64_t exchange_elements(const Extents&) const { return 0; }
};

}  // namespace

void register_jacobi_naive(Registry& registry) {
  auto v = std::make_unique<JacobiVariant>(VariantFacts{
      .name = "naive",
      .summary = "one MDRange a step, with Kokkos' default tile or a chosen one",
      .source = "ours: a baseline",
      .memory = "u and u+ in device memory and its caches; nothing staged",
      .loses = "wherever memory is the bound; on hosts, where nothing is vectorised",
      .tags = {"baseline", "mdrange"},
  });
  for (const OfferedCellTile& offered : kCellTiles) {
    v->offer(offered.configuration(), [&](auto stencil, auto real) {
      return Naive<decltype(stencil), decltype(real)>{offered.tile};
    });
  }
  registry.add(std::move(v));
}

}  // namespace tessera
