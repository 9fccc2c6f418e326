// SPDX-License-Identifier: Apache-2.0
// The tiles and depths that temporal blocking offers a stencil on a machine, in the order that they
// would be measured in: by the predicted time, not by the bound.
#pragma once

#include "base/registry/registry.hpp"
#include "program/results/machine_file.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace tessera {

struct OrderedTile {
  Selected how;
  int depth = 1;
  bool device_tiling = false;  ///< its teams wait for each other
  double cells_per_s = 0;      ///< predicted
  double attainable_s = 0;     ///< the bound, cells a second
  std::string binding;         ///< what the prediction is bound by, as result files name it
  std::string held_by;         ///< the same in words
  bool by_bound = false;  ///< no model of the machine's times: the practical share of the bound
};

struct BlockingOrder {
  std::vector<OrderedTile> tiles;  ///< the fastest first
  std::string none;                ///< why there are no tiles; empty where there are some
};

/// All of family jacobi that advance several steps a launch and have a bound there. There are none
/// where the machine file lacks what predictions take (model::missing_for_model).
[[nodiscard]] BlockingOrder order_blocking(const Registry& variants, const std::string& stencil,
                                           const machine::Machine& machine,
                                           const std::string& precision);

[[nodiscard]] nlohmann::json to_json(const BlockingOrder& order);

/// Prints the first tiles, or why there are none, as the sixth and last part of a plan.
void print(const BlockingOrder& order);

}  // namespace tessera
