// SPDX-License-Identifier: Apache-2.0
#include "cases/jacobi/solver.hpp"

#include "cases/random.hpp"
#include "device/huge_pages.hpp"
#include "grid/cell_policy.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <limits>

namespace tessera::jacobi {
namespace {

/// Sets cells, fixed ones included, of both fields.
template <class Real, class Value>
struct SetCells {
  Fields<Real> f;
  Real* u;
  Value value;
  int r, ry;
  Extents grid;    // as it is streamed
  int s0, y0, x0;  // of the grid, where the fields begin
  KOKKOS_FUNCTION void operator()(int x, int y, int s) const {
    const std::int64_t i = f.offset(s, y, x);
    const int gs = s + s0, gy = y + y0, gx = x + x0;
    const bool fixed =
        gs < 0 || gs >= grid.nz || gy < 0 || gy >= grid.ny || gx < 0 || gx >= grid.nx;
    const auto position = ((static_cast<std::uint64_t>(gs + r) * (grid.ny + 2 * ry)) + (gy + ry)) *
                              static_cast<std::uint64_t>(grid.nx + 2 * r) +
                          static_cast<std::uint64_t>(gx + r);
    const auto v = static_cast<Real>(value(position, fixed));
    u[i] = v;
    f.to[i] = v;
  }
};

struct RandomValue {
  std::uint64_t seed;
  KOKKOS_FUNCTION double operator()(std::uint64_t position, bool /*fixed*/) const {
    return 2 * random_value(seed, position) - 1;
  }
};

struct TwoValues {
  double inside, fixed;
  KOKKOS_FUNCTION double operator()(std::uint64_t /*position*/, bool is_fixed) const {
    return is_fixed ? fixed : inside;
  }
};

template <class Real, class Value>
void set_cells(const Fields<Real>& f, Real* u, const StencilFacts& facts, const Domain& domain,
               const Value& value) {
  const Box all{-facts.r, f.ns + facts.r, -facts.ry, f.ny + facts.ry, -facts.r, f.nx + facts.r};
  const bool flat = facts.dims == 2;
  const Box& b = domain.box;
  Kokkos::parallel_for(
      "tessera::jacobi::init::set", cells_of(ExecSpace(), all),
      SetCells<Real, Value>{f, u, value, facts.r, facts.ry, streamed(domain.grid, facts.dims),
                            flat ? b.y0 : b.z0, flat ? 0 : b.y0, b.x0});
  Kokkos::fence();
}

comm::RankGrid deep_grid(const StencilFacts& facts, const Extents& n,
                         const comm::Parallel& parallel, int depth, int value_bytes) {
  comm::SplitCost cost;
  cost.width = depth * facts.r;
  cost.values = value_bytes;
  cost.cell_bytes = 2.0 * value_bytes / depth;
  cost.steps = depth;
  cost.cuts[2] = facts.dims == 3;
  return parallel.divide(n, cost);
}

}  // namespace

StencilFacts facts_of(const std::string& stencil) {
  StencilFacts facts;
  with_stencil(stencil, [&](auto s) {
    using StencilType = decltype(s);
    facts = {StencilType::kDims, StencilType::kR, StencilType::kRy, StencilType::kFlops};
  });
  if (facts.flops == 0) {
    std::vector<std::string> names;
    for_each_stencil([&](auto s) { names.emplace_back(decltype(s)::kName); });
    fail("stencil \"{}\" does not exist; did you mean {}?", stencil, nearest_name(stencil, names));
  }
  return facts;
}

FieldLayout layout_of(const std::string& stencil, const Extents& n, int value_bytes) {
  const StencilFacts facts = facts_of(stencil);
  return {n, facts.r, facts.dims == 2 ? 0 : facts.r, value_bytes};
}

int depth_of(const Selected& how, const Problem& problem, const Extents& n) {
  const Plan plan =
      how.variant->plan(how.configuration, {"inner", Update::inner, whole(n), {}}, problem);
  return plan.supported() ? std::max(1, plan.temporal_depth) : 1;
}

DeepHalo::DeepHalo(const std::string& stencil, const Extents& n, const comm::Parallel& parallel,
                   int depth, int value_bytes)
    : width_(depth * facts_of(stencil).r),
      grid_(deep_grid(facts_of(stencil), n, parallel, depth, value_bytes)) {
  const int rank = parallel.ranks.rank();
  const int more = width_ - facts_of(stencil).r;
  const auto beyond = [&](int dz, int dy, int dx) {
    return grid_.neighbour(rank, dz, dy, dx) >= 0 ? more : 0;
  };
  const Box own = grid_.domain(rank).box;
  domain_ = {n,
             {own.z0 - beyond(-1, 0, 0), own.z1 + beyond(1, 0, 0), own.y0 - beyond(0, -1, 0),
              own.y1 + beyond(0, 1, 0), own.x0 - beyond(0, 0, -1), own.x1 + beyond(0, 0, 1)}};
  own_ = domain_.local(own);
}

template <class Real>
Solver<Real>::Solver(std::string stencil, const Extents& n, const comm::Parallel& parallel,
                     int depth)
    : stencil_(std::move(stencil)),
      parallel_(parallel),
      depth_(depth),
      deep_(stencil_, n, parallel, depth, sizeof(Real)),
      n_(deep_.domain().n()),
      facts_(facts_of(stencil_)) {
  require(facts_.dims == 3 || n.nz == 1, "nz is {}: {} has two dimensions, nz must be 1", n.nz,
          stencil_);
  u_ = Field<Real>("u", layout_of(stencil_, n_, sizeof(Real)));
  next_ = Field<Real>("next", layout_of(stencil_, n_, sizeof(Real)));
}

template <class Real>
comm::HaloExchange<Real>& Solver<Real>::halo_for(int steps) {
  std::unique_ptr<comm::HaloExchange<Real>>& halo = halos_[steps];
  if (!halo) {
    halo = std::make_unique<comm::HaloExchange<Real>>(parallel_, deep_.grid(), deep_.own(),
                                                      steps * facts_.r, comm::Reach::corners,
                                                      std::vector<Field<Real>>{u_, next_});
  }
  return *halo;
}

template <class Real>
std::int64_t Solver<Real>::memory_bytes(const std::string& stencil, const Extents& n) {
  return 2 * layout_of(stencil, n, sizeof(Real)).count * static_cast<std::int64_t>(sizeof(Real));
}

template <class Real>
Fields<Real> Solver<Real>::fields() const {
  const auto u = u_.ref();
  const Extents s = streamed(n_, facts_.dims);
  return {u.origin, next_.ref().origin, s.nz, s.ny, s.nx, facts_.dims == 2 ? u.row : u.plane,
          u.row};
}

template <class Real>
std::int64_t Solver<Real>::index(int s, int y, int x) const {
  return facts_.dims == 2 ? u_.index(0, s, x) : u_.index(s, y, x);
}

template <class Real>
void Solver<Real>::set_random(std::uint64_t seed) {
  set_cells(fields(), u_.ref().origin, facts_, domain(), RandomValue{seed});
}

template <class Real>
void Solver<Real>::set_constant(double inside, double fixed) {
  set_cells(fields(), u_.ref().origin, facts_, domain(), TwoValues{inside, fixed});
}

template <class Real>
int Solver<Real>::advance(const ExecSpace& exec, const Selected& how, int left) {
  const auto& variant = *static_cast<const JacobiVariant*>(how.variant);
  const auto wanted = static_cast<std::size_t>(
      variant.exchange_elements<Real>(how.configuration, stencil_, streamed(n_, facts_.dims)));
  if (wanted > exchange_.size()) {
    exec.fence();
    exchange_ = {};
    exchange_ = Kokkos::View<Real*, ExecSpace::memory_space>(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "exchange"), wanted);
    if constexpr (!kOnDevice) {
      ask_for_huge_pages(exchange_.data(), exchange_.size() * sizeof(Real));
    }
    resident_.exchange = exchange_.data();
  }
  if (!parallel_.ranks.alone()) {
    if (asked_.variant != how.variant || asked_.configuration != how.configuration) {
      asked_ = how;
      asked_depth_ = depth_of(how, {stencil_, static_cast<int>(sizeof(Real))}, n_);
    }
    left = std::min({left, depth_, asked_depth_});
    halo_ = &halo_for(left);
    halo_->start(exec, u_);
    halo_->finish(exec);
  }
  const int done = variant.step<Real>(how.configuration, stencil_, exec, fields(), left, resident_);
  std::swap(u_, next_);
  return done;
}

template <class Real>
ValueRange Solver<Real>::range() const {
  const Box& own = deep_.own();
  FieldRef<Real> cells = u_.ref();
  cells.origin = cells.at(own.z0, own.y0, own.x0);
  const ValueRange here = range_of("tessera::jacobi::range", cells, {own.nz(), own.ny(), own.nx()});
  return {parallel_.ranks.min(here.min), parallel_.ranks.max(here.max)};
}

template class Solver<float>;
template class Solver<double>;

}  // namespace tessera::jacobi
