// SPDX-License-Identifier: Apache-2.0
#include "cases/jacobi/solver.hpp"

#include "cases/random.hpp"
#include "device/huge_pages.hpp"
#include "grid/cell_policy.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

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
  KOKKOS_FUNCTION void operator()(int x, int y, int s) const {
    const std::int64_t i = f.offset(s, y, x);
    const bool fixed = !f.updated(s, y, x);
    const auto position = ((static_cast<std::uint64_t>(s + r) * (f.ny + 2 * ry)) + (y + ry)) *
                              static_cast<std::uint64_t>(f.nx + 2 * r) +
                          static_cast<std::uint64_t>(x + r);
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
void set_cells(const Fields<Real>& f, Real* u, const StencilFacts& facts, const Value& value) {
  const Box all{-facts.r, f.ns + facts.r, -facts.ry, f.ny + facts.ry, -facts.r, f.nx + facts.r};
  Kokkos::parallel_for("tessera::jacobi::init::set", cells_of(ExecSpace(), all),
                       SetCells<Real, Value>{f, u, value, facts.r, facts.ry});
  Kokkos::fence();
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

template <class Real>
Solver<Real>::Solver(std::string stencil, const Extents& n)
    : stencil_(std::move(stencil)), n_(n), facts_(facts_of(stencil_)) {
  require(facts_.dims == 3 || n.nz == 1, "nz is {}: {} has two dimensions, nz must be 1", n.nz,
          stencil_);
  u_ = Field<Real>("u", layout_of(stencil_, n, sizeof(Real)));
  next_ = Field<Real>("next", layout_of(stencil_, n, sizeof(Real)));
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
  set_cells(fields(), u_.ref().origin, facts_, RandomValue{seed});
}

template <class Real>
void Solver<Real>::set_constant(double inside, double fixed) {
  set_cells(fields(), u_.ref().origin, facts_, TwoValues{inside, fixed});
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
  const int done = variant.step<Real>(how.configuration, stencil_, exec, fields(), left, resident_);
  std::swap(u_, next_);
  return done;
}

template <class Real>
ValueRange Solver<Real>::range() const {
  return range_of("tessera::jacobi::range", u_);
}

template class Solver<float>;
template class Solver<double>;

}  // namespace tessera::jacobi
