// SPDX-License-Identifier: Apache-2.0
// The keys of [model]: which kinds of model there are, and what each takes.
#pragma once

#include "base/keys/table.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace tessera::io {

inline constexpr double kLowestVelocity = 1e-3;  // m/s; smaller values are a mistake in the unit
inline constexpr double kHighestVelocity = 1e5;  // m/s; faster than anything on Earth

/// What [model] says; each kind has some of them.
struct ModelKeys {
  std::string kind;
  double v0 = 0, k = 0;                  // gradient
  double v_min = 0, v_max = 0;           // random
  std::uint64_t seed = 1;                // random, structure
  double v_top = 1800, v_bottom = 4000;  // structure, from here on
  int layers = 8;
  double dip_x = 0.1, dip_y = 0.05;
  double fault_x = 0.35, fault_slope = 0.4;
  std::optional<double> fault_throw;
  double v_salt = 4500;
  std::array<double, 3> salt = {0.65, 0.5, 0.55}, salt_size = {0.15, 0.3, 0.2};
  double v_water = 1500, water_depth = 0;
  std::int64_t nx = 0, ny = 1, nz = 0;  // files, from here on
  std::string order = "zyx", dataset = "m", quantity = "velocity_m_s";
  bool check_headers = true, nearest = false, extrude_y = false;
  std::array<std::optional<double>, 3> spacing;  // x, y, z
  std::array<double, 3> origin = {0, 0, 0};
};

[[nodiscard]] const keys::Table& model_table();

/// Reads [model]. With model.kind from `--set` the keys of the file's own kind are left out. Throws
/// Error for a bad value.
[[nodiscard]] ModelKeys read_model_keys(const Deck& deck);

}  // namespace tessera::io
