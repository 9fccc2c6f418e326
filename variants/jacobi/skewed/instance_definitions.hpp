// SPDX-License-Identifier: Apache-2.0
// The members of SkewedInstance: the launcher of the tile's kernel.
#pragma once

#include "support/error.hpp"
#include "variants/jacobi/skewed/instance.hpp"
#include "variants/jacobi/skewed/launcher.hpp"
#include "variants/jacobi/skewed/stream.hpp"

namespace tessera::jacobi {

/// Returns f(launcher) for the tile's kernel. Throws Error where the stencil cannot have the tile.
template <class StencilType, class Real, class Result, class Body>
Result with_skewed_launcher(const SkewedInstance<StencilType, Real>& instance, const Body& f) {
  Result result{};
  bool found = false;
  static_for<kOfferedTileCount>([&](auto i) {
    constexpr RowTile kTile = kOfferedTiles[i].tile;
    if constexpr (kTile.template fits<StencilType>()) {
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
  return with_skewed_launcher<StencilType, Real, Plan>(
      *this, [&](const auto& launcher) { return launcher.plan(n, machine); });
}

template <class StencilType, class Real>
int SkewedInstance<StencilType, Real>::step(const ExecSpace& exec, const Fields<Real>& fields,
                                            int left, const Resident<Real>& resident) const {
  return with_skewed_launcher<StencilType, Real, int>(
      *this, [&](const auto& launcher) { return launcher.step(exec, fields, left, resident); });
}

template <class StencilType, class Real>
std::int64_t SkewedInstance<StencilType, Real>::exchange_elements(const Extents& n) const {
  return with_skewed_launcher<StencilType, Real, std::int64_t>(
      *this, [&](const auto& launcher) { return launcher.exchange_elements(n); });
}

}  // namespace tessera::jacobi
