// SPDX-License-Identifier: Apache-2.0
// The low_order family (Su 4.1): four 3D stencils of radius 1 on one or more input arrays.
//
// With u the old field, S(u) the sum over the six neighbours and E(u) that over the twelve at
// (+-1, +-1) in the three coordinate planes:
//   7pt-1: u+ = alpha u + beta S(u)
//   7pt-2: u+ = alpha gamma + beta S(u)
//   7pt-3: u+ = u + gamma + alpha sum over the six neighbours n of (kappa_n + kappa) (u_n - u)
//   19pt:  u+ = alpha gamma + beta S(u) + E(u)
// alpha and beta are constants, gamma and kappa arrays. Cells outside the grid, one deep, hold
// fixed values.
#pragma once

#include "base/device/fma.hpp"
#include "base/device/static_for.hpp"
#include "base/support/error.hpp"
#include "base/support/text.hpp"
#include "base/tile/vec.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::low_order {

/// Radius of all four stencils.
inline constexpr int kR = 1;

enum class Stencil { pt7_1, pt7_2, pt7_3, pt19 };

/// The differences between the four, for kernels and costs.
template <Stencil kStencil>
struct Shape {
  static constexpr bool kGamma = kStencil != Stencil::pt7_1;
  static constexpr bool kKappa = kStencil == Stencil::pt7_3;
  static constexpr bool kEdges = kStencil == Stencil::pt19;  ///< reads twelve neighbours more
  static constexpr int kPoints = kEdges ? 19 : 7;
};

/// Facts of a stencil for plans, work and messages.
struct StencilFacts {
  Stencil stencil;
  const char* name;     ///< in full
  const char* formula;  ///< in plain text
  int arrays;           ///< compulsory elements a cell: arrays read, and the one written
  int flops;            ///< additions and multiplications of the formula as it stands above
  double alpha, beta;   ///< defaults
};

inline constexpr StencilFacts kStencils[] = {
    {Stencil::pt7_1, "low_order/7pt-1", "u+ = alpha u + beta S(u)", 2, 8, 0.4, 0.1},
    {Stencil::pt7_2, "low_order/7pt-2", "u+ = alpha gamma + beta S(u)", 3, 8, 0.4, 0.1},
    {Stencil::pt7_3, "low_order/7pt-3", "u+ = u + gamma + alpha sum_n (kappa_n + kappa) (u_n - u)",
     4, 26, 0.05, 0},
    {Stencil::pt19, "low_order/19pt", "u+ = alpha gamma + beta S(u) + E(u)", 3, 20, 0.4, 0.1},
};

/// Full names of all four.
[[nodiscard]] inline std::vector<std::string> stencil_names() {
  std::vector<std::string> names;
  for (const StencilFacts& facts : kStencils) names.emplace_back(facts.name);
  return names;
}

/// Facts of a stencil by its full name. Throws Error where there is none of that name.
[[nodiscard]] inline const StencilFacts& facts_of(std::string_view name) {
  for (const StencilFacts& facts : kStencils) {
    if (facts.name == name) return facts;
  }
  fail("stencil \"{}\" does not exist; did you mean {}?", name,
       nearest_name(name, stencil_names()));
}

/// Calls f(integral_constant<Stencil>) for the stencil.
template <class F>
auto with_stencil(Stencil stencil, const F& f) {
  switch (stencil) {
    case Stencil::pt7_1:
      return f(std::integral_constant<Stencil, Stencil::pt7_1>{});
    case Stencil::pt7_2:
      return f(std::integral_constant<Stencil, Stencil::pt7_2>{});
    case Stencil::pt7_3:
      return f(std::integral_constant<Stencil, Stencil::pt7_3>{});
    case Stencil::pt19:
      break;
  }
  return f(std::integral_constant<Stencil, Stencil::pt19>{});
}

/// What a kernel sees: the address of cell (0, 0, 0) of each array, and the strides they share.
template <class Real>
struct Fields {
  const Real* u;      ///< old values; one halo cell on each side
  Real* next;         ///< takes u+ in the grid's cells; its halo is left alone
  const Real* gamma;  ///< null for 7pt-1
  const Real* kappa;  ///< halo as u; null except for 7pt-3
  int row, plane;     ///< elements from y to y + 1 and from z to z + 1
  Real alpha, beta;

  /// Offset of a cell from cell (0, 0, 0), in elements.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::int64_t offset(int z, int y, int x) const {
    return static_cast<std::int64_t>(z) * plane + static_cast<std::int64_t>(y) * row + x;
  }
};

/// The six neighbours: x, y, z, in this order. `u(dx, dy, dz)` takes Constants.
template <class U>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto sum_of_faces(const U& u) {
  const Constant<0> o{};
  const Constant<1> p{};
  const Constant<-1> m{};
  return ((u(m, o, o) + u(p, o, o)) + (u(o, m, o) + u(o, p, o))) + (u(o, o, m) + u(o, o, p));
}

/// The four neighbours at (+-1, +-1) of one coordinate plane.
template <class Along>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto sum_of_corners(const Along& at) {
  const Constant<1> p{};
  const Constant<-1> m{};
  return (at(m, m) + at(p, m)) + (at(m, p) + at(p, p));
}

/// The twelve neighbours on edges: planes xy, xz, yz, in this order.
template <class U>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto sum_of_edges(const U& u) {
  const Constant<0> o{};
  return (sum_of_corners([&](auto a, auto b) { return u(a, b, o); }) +
          sum_of_corners([&](auto a, auto b) { return u(a, o, b); })) +
         sum_of_corners([&](auto a, auto b) { return u(o, a, b); });
}

/// sum over the six neighbours of (kappa_n + kappa) (u_n - u): x-, x+, y-, y+, z-, z+.
template <class U, class Kappa>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto sum_of_fluxes(const U& u, const Kappa& kappa) {
  const Constant<0> o{};
  const Constant<1> p{};
  const Constant<-1> m{};
  const auto u0 = u(o, o, o);
  const auto k0 = kappa(o, o, o);
  auto sum = (kappa(m, o, o) + k0) * (u(m, o, o) - u0);
  sum = multiply_add(kappa(p, o, o) + k0, u(p, o, o) - u0, sum);
  sum = multiply_add(kappa(o, m, o) + k0, u(o, m, o) - u0, sum);
  sum = multiply_add(kappa(o, p, o) + k0, u(o, p, o) - u0, sum);
  sum = multiply_add(kappa(o, o, m) + k0, u(o, o, m) - u0, sum);
  return multiply_add(kappa(o, o, p) + k0, u(o, o, p) - u0, sum);
}

/// u+ of a cell, or of a Pack of neighbouring cells: the one place that holds each formula.
/// `gamma` is called where the stencil has that array, and so is `kappa(dx, dy, dz)`.
template <Stencil kStencil, class Real, class U, class Gamma, class Kappa>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto new_value(Real alpha, Real beta, const U& u,
                                                         [[maybe_unused]] const Gamma& gamma,
                                                         [[maybe_unused]] const Kappa& kappa) {
  const Constant<0> o{};
  if constexpr (kStencil == Stencil::pt7_1) {
    return multiply_add(beta, sum_of_faces(u), alpha * u(o, o, o));
  } else if constexpr (kStencil == Stencil::pt7_2) {
    return multiply_add(beta, sum_of_faces(u), alpha * gamma());
  } else if constexpr (kStencil == Stencil::pt7_3) {
    return multiply_add(alpha, sum_of_fluxes(u, kappa), u(o, o, o) + gamma());
  } else {
    return multiply_add(beta, sum_of_faces(u), alpha * gamma()) + sum_of_edges(u);
  }
}

/// u+ of the cell at `i`, every value read from memory through the cache.
template <Stencil kStencil, class Real>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real value_at(const Fields<Real>& f, std::int64_t i) {
  const Real* u = f.u + i;
  const Real* kappa = f.kappa + i;
  return new_value<kStencil>(
      f.alpha, f.beta, [&](auto dx, auto dy, auto dz) { return u[dz * f.plane + dy * f.row + dx]; },
      [&] { return f.gamma[i]; },
      [&](auto dx, auto dy, auto dz) { return kappa[dz * f.plane + dy * f.row + dx]; });
}

}  // namespace tessera::low_order
