// SPDX-License-Identifier: Apache-2.0
#include "program/predict/temporal_model.hpp"

#include <algorithm>

namespace tessera::model {

TemporalLeague temporal_league(const Kernel& k) {
  const double cells = static_cast<double>(k.grid.product());
  const double computed = k.depth * cells / k.valid_share;
  const double plane = static_cast<double>(k.tile.x) * static_cast<double>(k.tile.y);
  return {computed, computed / (plane * static_cast<double>(k.league))};
}

TemporalVolumes temporal_volumes(const Kernel& k, double halo_share) {
  const double cells = static_cast<double>(k.grid.product());
  const double once = k.depth * k.loads;  // elements that a pass loads, a cell
  return {cells * (2 + halo_share * std::max(0.0, once - 1)),
          cells * k.depth * (k.loads + k.stores)};
}

}  // namespace tessera::model
