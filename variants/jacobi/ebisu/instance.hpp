// SPDX-License-Identifier: Apache-2.0
// jacobi/ebisu for one stencil in one precision: on devices compiled in a translation unit of its
// own, from instance.cpp.in, since deep streams are long.
#pragma once

#include "variants/jacobi/kernels/variant.hpp"

#include <cstdint>

namespace tessera::jacobi {

struct EbisuLabel {
  static constexpr const char* kLabel = "tessera::jacobi::ebisu::stream";
};

template <class StencilType, class Real>
struct EbisuInstance {
  int offer;  ///< its place in kOffers, which fits the stencil

  // As JacobiVariant::offer() needs them.
  [[nodiscard]] Plan plan(const Extents& n, const MachineLimits& machine) const;
  int step(const ExecSpace& exec, const Fields<Real>& fields, int left,
           const Resident<Real>& resident) const;
  [[nodiscard]] std::int64_t exchange_elements(const Extents& n) const;
};

}  // namespace tessera::jacobi
