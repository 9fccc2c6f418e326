// SPDX-License-Identifier: Apache-2.0
// Which blocks of ete's host sweeps fit a machine: Fang's layer conditions (7) and (8).
#pragma once

#include "base/registry/registry.hpp"
#include "program/predict/layer_condition.hpp"
#include "program/results/machine_file.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

/// One variant's condition on a machine.
struct LayerChoice {
  int equation = 7;
  std::string variant;  ///< "ete/base_simd_blocked"
  model::LayerCondition condition;
  model::Block block;             ///< what it chooses; no name where this binary offers no block
  std::int64_t cached_bytes = 0;  ///< of that block by the variant's own plan: all that it wants
};

struct LayerPlan {
  model::LayeredStencil stencil;
  std::string machine, device;
  std::vector<LayerChoice> choices;
};

/// The choices among the blocks that this binary offers for a stencil on hosts. Throws Error on a
/// GPU and for a machine file without cores or caches.
[[nodiscard]] LayerPlan plan_layers(const Registry& variants, const model::LayeredStencil& stencil,
                                    const machine::Machine& machine, int value_bytes);

[[nodiscard]] nlohmann::json to_json(const LayerPlan& plan);

/// Prints the conditions with their numbers, and what they choose.
void print(const LayerPlan& plan, const std::string& precision);

}  // namespace tessera
