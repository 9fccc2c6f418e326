// SPDX-License-Identifier: Apache-2.0
// The layer conditions of Fang et al., (7) and (8): how wide a block of a cache-blocked sweep may
// be for its layers to stay in cache, and which of a variant's blocks that selects.
#pragma once

#include "base/registry/registry.hpp"
#include "program/results/machine_file.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::model {

/// `n_threads N_x N_y Size_point layers < C / 2 - M_coef`: with layers = 2R + 1 it is (7), for a
/// sweep that gathers from every layer that the stencil reaches, with layers = 1 it is (8), for one
/// that adds a single layer to all of its outputs.
struct LayerCondition {
  double threads = 1;      ///< of a core, that share its cache
  double nx = 0;           ///< cells of a block along x, which is not cut
  double value_bytes = 4;  ///< Size_point
  double layers = 1;
  double cache_bytes = 0;  ///< C, of a core; half of it is for other data and instructions
  double table_bytes = 0;  ///< M_coef

  /// The left side for blocks of `ny` rows, in bytes.
  [[nodiscard]] double wanted(double ny) const { return threads * nx * ny * value_bytes * layers; }
  /// The right side, in bytes; below 0 where the table alone fills the cache.
  [[nodiscard]] double available() const { return cache_bytes / 2 - table_bytes; }
  [[nodiscard]] bool holds(double ny) const { return wanted(ny) < available(); }
  /// The most rows for which it holds; 0 where there are none.
  [[nodiscard]] int most_rows() const;
};

/// What a core of a CPU has for a sweep: C is its own share of the largest cache that is not shared
/// by all cores, threads what the machine file says that run on it. Throws Error on a GPU and
/// naming what is missing.
[[nodiscard]] LayerCondition layer_condition(const machine::Machine& machine, double nx,
                                             double value_bytes, double layers, double table_bytes);

/// What (7) and (8) know of one of the paper's stencils: `layers` of (7), 2R + 1, the table that
/// its host sweeps keep in cache (a row a symmetry class), and the paper's grid.
struct LayeredStencil {
  std::string name;  ///< "ete/37pt"
  int layers = 9;
  int table_rows = 0, table_columns = 902;
  int nx = 328, ny = 328, nz = 936;
  [[nodiscard]] double table_bytes(double value_bytes) const {
    return value_bytes * table_rows * table_columns;
  }
};

/// The two stencils of the ete family by name, with or without "ete/"; null for another name.
[[nodiscard]] const LayeredStencil* find_layered_stencil(const std::string& name);

/// A block that a variant offers: rows and planes; 0: all.
struct Block {
  std::string name;
  int ny = 0, nz = 0;
};

/// The block that the condition chooses of those offered: the widest for which it holds, of equally
/// wide ones the one with most planes, since both read fewer halos again; the narrowest where it
/// holds for none. 0 means `ny_full` and `nz_full`. Throws Error where there is none.
[[nodiscard]] const Block& choose_block(const std::vector<Block>& offered,
                                        const LayerCondition& condition, int ny_full, int nz_full);

}  // namespace tessera::model

namespace tessera {

/// One variant's condition on a machine.
struct LayerChoice {
  int equation = 7;
  std::string variant;  ///< "ete/base_simd_blocked"
  model::LayerCondition condition;
  model::Block block;             ///< what it chooses; no name where this binary offers no block
  std::int64_t cached_bytes = 0;  ///< of that block by the variant's own plan: all that it needs
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
