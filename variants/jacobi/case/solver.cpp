// SPDX-License-Identifier: Apache-2.0
#include "variants/jacobi/case/solver.hpp"

#include "base/case/random.hpp"
#include "base/device/huge_pages.hpp"
#include "base/grid/cell_policy.hpp"
#include "base/support/error.hpp"

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

/// Cells of a field with the layout of f's, into f.to.
template <class Real>
struct CopyCells {
  Fields<Real> f;
  const Real* origin;
  KOKKOS_FUNCTION void operator()(int x, int y, int s) const {
    const std::int64_t i = f.offset(s, y, x);
    f.to[i] = origin[i];
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

}  // namespace

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
  u_ = Field<Real>("tessera::jacobi::u", layout_of(stencil_, n_, sizeof(Real)));
  next_ = Field<Real>("tessera::jacobi::next", layout_of(stencil_, n_, sizeof(Real)));
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
std::int64_t Solver<Real>::slab_bytes(const std::string& stencil, const Extents& n, int depth) {
  const StencilFacts facts = facts_of(stencil);
  Extents slab = n;
  (facts.dims == 2 ? slab.ny : slab.nz) = slab_planes(depth, facts.r);
  return memory_bytes(stencil, slab);
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
void Solver<Real>::find_way(const ExecSpace& exec, const Selected& how, int left) {
  if (!parallel_.ranks.alone()) left = std::min(left, depth_);
  if (way_.how.variant == how.variant && way_.how.configuration == how.configuration &&
      way_.left == left) {
    return;
  }
  const Problem problem{stencil_, static_cast<int>(sizeof(Real))};
  way_ = {how, left, left, {}};
  std::vector<Box> leagues{streamed(whole(n_), facts_.dims)};  // one of all, or of edges
  if (!parallel_.ranks.alone()) {
    const int most = depth_of(how, problem, n_);
    way_.depth = std::min(left, most);
    // A pass of fewer steps than the configuration makes may be made of several. On devices a pass
    // of several steps is one wave of resident teams, for which the edges would wait.
    const bool hides = way_.depth == 1 || (way_.depth == most && !kOnDevice);
    if (parallel_.options.overlap && hides) {
      way_.overlap =
          overlap_exchange(deep_, parallel_.ranks.rank(), facts_, way_.depth, sizeof(Real));
    }
    if (way_.overlap) {
      leagues = {way_.overlap->core.made};
      for (const Piece& edge : way_.overlap->edges) leagues.push_back(edge.made);
    }
    const auto runs = [&](const Box& b) {
      const bool flat = facts_.dims == 2;
      const Extents n{flat ? 1 : b.nz(), flat ? b.nz() : b.ny(), b.nx()};
      const Plan plan =
          how.variant->plan(how.configuration, {"inner", Update::inner, whole(n), {}}, problem);
      return plan.supported() && std::max(1, plan.temporal_depth) == most;
    };
    if (way_.overlap && !std::all_of(leagues.begin(), leagues.end(), runs)) {
      way_.overlap.reset();
      leagues = {streamed(whole(n_), facts_.dims)};
    }
  }
  const auto& variant = how.as<JacobiVariant>();
  for (std::size_t i = 0; i < leagues.size(); ++i) {
    const Box& b = leagues[i];
    const std::size_t league = i == 0 ? 0 : 1;
    const auto wanted = static_cast<std::size_t>(
        variant.exchange_elements<Real>(how.configuration, stencil_, {b.nz(), b.ny(), b.nx()}));
    auto& room = exchange_[league];
    if (wanted <= room.size()) continue;
    exec.fence();
    room = {};
    room = Kokkos::View<Real*, ExecSpace::memory_space>(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera::jacobi::exchange"), wanted);
    if constexpr (!kOnDevice) ask_for_huge_pages(room.data(), room.size() * sizeof(Real));
    resident_[league].exchange = room.data();
  }
  if (!way_.overlap || !way_.overlap->slabs) return;
  const int planes = slab_planes(way_.depth, facts_.r);
  Extents n = n_;
  (facts_.dims == 2 ? n.ny : n.nz) = planes;
  for (std::size_t i = 0; i < way_.overlap->edges.size(); ++i) {
    const Extents& there = slabs_[i].extents();
    if (there.nz == n.nz && there.ny == n.ny) continue;
    exec.fence();
    slabs_[i] = Field<Real>("tessera::jacobi::slab", layout_of(stencil_, n, sizeof(Real)));
  }
}

template <class Real>
int Solver<Real>::step_of(const ExecSpace& exec, const Selected& how, const Box& cells, Real* to,
                          int left, int league) {
  Fields<Real> f = fields();
  f.from += f.offset(cells.z0, cells.y0, cells.x0);
  f.to = to;
  f.ns = cells.nz(), f.ny = cells.ny(), f.nx = cells.nx();
  return how.as<JacobiVariant>().step<Real>(how.configuration, stencil_, exec, f, left,
                                            resident_[static_cast<std::size_t>(league)]);
}

template <class Real>
void Solver<Real>::step_beside(const ExecSpace& exec, const Selected& how, int left) {
  const Overlap& way = *way_.overlap;
  const Fields<Real> f = fields();
  const auto place = [&](const Box& b) { return f.to + f.offset(b.z0, b.y0, b.x0); };
  const auto make = [&](const ExecSpace& on, const Box& cells, Real* to, int league) {
    const int done = step_of(on, how, cells, to, left, league);
    require(done == left, "{} made {} steps of {} at once", how.full_name(), done, left);
  };
  make(exec, way.core.made, place(way.core.made), 0);
  const ExecSpace& urgent = halo_->arrive();
  for (std::size_t i = 0; i < way.edges.size(); ++i) {
    const Box& made = way.edges[i].made;
    make(urgent, made, way.slabs ? slabs_[i].ref().origin : place(made), 1);
  }
  halo_->join(exec);
  if (!way.slabs) return;
  for (std::size_t i = 0; i < way.edges.size(); ++i) {
    const auto& [made, kept] = way.edges[i];
    // Where the field's first cell would lie if the slab were part of one.
    const Real* origin = slabs_[i].ref().origin - f.offset(made.z0, made.y0, made.x0);
    Kokkos::parallel_for("tessera::jacobi::edges::copy", cells_of(exec, kept),
                         CopyCells<Real>{f, origin});
  }
}

template <class Real>
int Solver<Real>::advance(const ExecSpace& exec, const Selected& how, int left) {
  find_way(exec, how, left);
  int done = way_.depth;
  if (!parallel_.ranks.alone()) {
    halo_ = &halo_for(done);
    halo_->start(exec, u_);
  }
  if (way_.overlap) {
    step_beside(exec, how, done);
  } else {
    if (halo_ != nullptr) halo_->finish(exec);
    const Fields<Real> f = fields();
    done = step_of(exec, how, {0, f.ns, 0, f.ny, 0, f.nx}, f.to, done, 0);
  }
  std::swap(u_, next_);
  return done;
}

template <class Real>
ValueRange Solver<Real>::range() const {
  const Box& own = deep_.own();
  FieldRef<Real> cells = u_.ref();
  cells.origin = cells.at(own.z0, own.y0, own.x0);
  return range_of("tessera::jacobi::range", cells, {own.nz(), own.ny(), own.nx()}, parallel_.ranks);
}

template class Solver<float>;
template class Solver<double>;

}  // namespace tessera::jacobi
