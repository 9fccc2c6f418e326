// SPDX-License-Identifier: Apache-2.0
// The members of SkewedInstance: the launcher of the tile's kernel.
#pragma once

#include "base/support/error.hpp"
#include "variants/jacobi/skewed/instance.hpp"
#include "variants/jacobi/skewed/launcher.hpp"
#include "variants/jacobi/skewed/stream.hpp"

namespace tessera::jacobi {

/// Returns f(launcher) for the tile's kernel; kAll: also where that is not compiled. Throws Error
/// where the stencil cannot have the tile.
template <class StencilType, class Real, class Result, bool kAll, class Body>
Result with_skewed_launcher(const SkewedInstance<StencilType, Real>& instance, const Body& f) {
  Result result{};
  bool found = false;
  static_for<kPlannedTileCount>([&](auto i) {
    constexpr RowTile kTile = planned_tile(i).tile;
    if constexpr (kTile.template fits<StencilType>() && (kAll || has_kernels(i))) {
      static_assert(kTile.nx % kHostLanes<Real> == 0 && kTile.ny % kTile.rows == 0);
      if (instance.tile != kTile) return;
      found = true;
      using Kernel = SkewedStreamingKernel<StencilType, Real, kTile.block()>;
      result = f(SkewedLauncher<Kernel, Real>{kTile, instance.steps});
    }
  });
  require(found, "jacobi/skewed:{}: {}", instance.tile.text(),
          instance.tile.template unfit<StencilType>());
  return result;
}

template <class StencilType, class Real>
Plan SkewedInstance<StencilType, Real>::plan(const Extents& n, const MachineLimits& machine) const {
  if (!tile.template fits<StencilType>()) return unsupported(tile.template unfit<StencilType>());
  return with_skewed_launcher<StencilType, Real, Plan, true>(
      *this, [&](const auto& launcher) { return launcher.plan(n, machine); });
}

template <class StencilType, class Real>
int SkewedInstance<StencilType, Real>::step(const ExecSpace& exec, const Fields<Real>& fields,
                                            int left, const Resident<Real>& resident) const {
  return with_skewed_launcher<StencilType, Real, int, false>(
      *this, [&](const auto& launcher) { return launcher.step(exec, fields, left, resident); });
}

template <class StencilType, class Real>
std::int64_t SkewedInstance<StencilType, Real>::exchange_elements(const Extents& n) const {
  return with_skewed_launcher<StencilType, Real, std::int64_t, false>(
      *this, [&](const auto& launcher) { return launcher.exchange_elements(n); });
}

}  // namespace tessera::jacobi
