// SPDX-License-Identifier: Apache-2.0
// The tiles and depths that temporal blocking offers a stencil on a machine, in the order that they
// would be measured in: by the predicted time, not by the bound.
#pragma once

#include "machine/machine_file.hpp"
#include "registry/registry.hpp"

#include <string>
#include <vector>

namespace tessera {

struct OrderedTile {
  Selected how;
  int depth = 1;
  bool device_tiling = false;  ///< its teams wait for each other
  double cells_per_s = 0;      ///< predicted
  double attainable_s = 0;     ///< the bound, cells a second
  std::string binding;         ///< what the prediction is bound by
  bool by_bound = false;  ///< no model of the machine's times: the practical share of the bound
};

/// All of family jacobi that advance several steps a launch and have a bound there, the fastest
/// first.
[[nodiscard]] std::vector<OrderedTile> order_blocking(const Registry& variants,
                                                      const std::string& stencil,
                                                      const measure::Machine& machine,
                                                      const std::string& precision);

}  // namespace tessera
