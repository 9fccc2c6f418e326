// SPDX-License-Identifier: Apache-2.0
// Tiles that a build of few tiles has no kernels of: it plans them all the same, so that
// predictions do not depend on which tiles were compiled.
#pragma once

#include "base/registry/plan.hpp"

#include <utility>

namespace tessera {

/// Takes offers in a variant's place, and gives it their plans alone: nothing of a kernel but its
/// types is compiled.
template <class VariantType>
struct PlansOnly {
  VariantType& variant;

  template <class MakeLauncher>
  void offer(Configuration configuration, const MakeLauncher& launcher) const {
    variant.offer_plan(std::move(configuration), launcher);
  }
  template <class Shape, class MakeLauncher>
  void offer_pass(Configuration configuration, const Shape& shape,
                  const MakeLauncher& launcher) const {
    variant.offer_pass_plan(std::move(configuration), shape, launcher);
  }
  template <class Launcher, class Formats>
  void offer_stored(const std::string& text, const Launcher&, Formats formats) const {
    variant.offer_stored_plan(text, formats);
  }
};

/// What takes the offers beyond a variant's few tiles: the variant, or in a build of few tiles
/// their plans alone.
template <class VariantType>
[[nodiscard]] decltype(auto) beyond_few(VariantType& variant) {
  if constexpr (kFewConfigurations) {
    return PlansOnly<VariantType>{variant};
  } else {
    return (variant);
  }
}

}  // namespace tessera
