// SPDX-License-Identifier: Apache-2.0
// The members of EbisuInstance: the launcher of the offer's kernel.
#pragma once

#include "base/device/static_for.hpp"
#include "base/support/error.hpp"
#include "variants/jacobi/ebisu/instance.hpp"
#include "variants/jacobi/ebisu/offers.hpp"
#include "variants/jacobi/ebisu/planes.hpp"
#include "variants/jacobi/ebisu/rows.hpp"
#include "variants/jacobi/kernels/launcher.hpp"

namespace tessera::jacobi {

/// The kernel of a stream of rows or of planes.
template <class StencilType, class Real, RowStream kStream>
struct EbisuRows {
  using Kernel = RowStreamingKernel<EbisuLabel, StencilType, Real, kStream>;
};
template <class StencilType, class Real, PlaneStream kStream>
struct EbisuPlanes {
  using Kernel = PlaneStreamingKernel<EbisuLabel, StencilType, Real, kStream>;
};
template <class StencilType, class Real, int I>
[[nodiscard]] constexpr auto ebisu_kernel() {
  if constexpr (kOffers[I].of_rows) {
    return EbisuRows<StencilType, Real, kOffers[I].rows>{};
  } else {
    return EbisuPlanes<StencilType, Real, kOffers[I].planes>{};
  }
}

/// Returns f(launcher) for the kernel of one of the first kCount offers.
template <class StencilType, class Real, class Result, int kCount = kOfferCount, class Body>
Result with_ebisu_launcher(int offer, const Body& f) {
  Result result{};
  bool found = false;
  static_for<kCount>([&](auto i) {
    if constexpr (kOffers[i].template fits<StencilType>()) {
      if (offer != i) return;
      found = true;
      using Kernel = typename decltype(ebisu_kernel<StencilType, Real, i>())::Kernel;
      result = f(StreamLauncher<Kernel, Real, RunsOn::devices>{});
    }
  });
  require(found, "jacobi/ebisu: offer {} is not for {}", offer, StencilType::kName);
  return result;
}

template <class StencilType, class Real>
Plan EbisuInstance<StencilType, Real>::plan(const Extents& n, const MachineLimits& machine) const {
  // On a device plans request what a kernel takes: those that are compiled.
  constexpr int kPlanned = kOnDevice ? kOfferCount : kAllOffers;
  return with_ebisu_launcher<StencilType, Real, Plan, kPlanned>(
      offer, [&](const auto& launcher) { return launcher.plan(n, machine); });
}

template <class StencilType, class Real>
int EbisuInstance<StencilType, Real>::step(const ExecSpace& exec, const Fields<Real>& fields,
                                           int left, const Resident<Real>& resident) const {
  return with_ebisu_launcher<StencilType, Real, int>(
      offer, [&](const auto& launcher) { return launcher.step(exec, fields, left, resident); });
}

template <class StencilType, class Real>
std::int64_t EbisuInstance<StencilType, Real>::exchange_elements(const Extents& n) const {
  return with_ebisu_launcher<StencilType, Real, std::int64_t>(
      offer, [&](const auto& launcher) { return launcher.exchange_elements(n); });
}

}  // namespace tessera::jacobi
