// SPDX-License-Identifier: Apache-2.0
// Velocity models that are computed: no download, the same on every machine.
//
// kind = "structure" takes, beside v_water and water_depth (a sea, 1500 m/s, 0 m = none),
//   v_top, v_bottom     velocity of the first and the last layer (1800, 4000 m/s)
//   layers, seed        how many layers of uneven thickness (8), and which unevenness (1)
//   dip_x, dip_y        slope of the layers, m down per m along x, y (0.1, 0.05)
//   fault_x, fault_slope, fault_throw   the fault crosses the top at fault_x (a fraction of the
//                       width, 0.35), moves fault_slope m along x per m of depth (0.4); beyond it
//                       the layers lie fault_throw m deeper (a tenth of the depth)
//   v_salt              velocity of the salt body (4500 m/s); 0 = no salt
//   salt                centre as fractions of the inner region [x, y, z] ([0.65, 0.5, 0.55])
//   salt_size           half axes as fractions of it [x, y, z] ([0.15, 0.3, 0.2])
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "program/seismic/velocity_model.hpp"

namespace tessera::io {

/// Velocity in m/s of one cell of the inner region, counted from its first cell.
using CellVelocity = std::function<float(std::int64_t z, std::int64_t y, std::int64_t x)>;

/// Whether `kind` is one of the generators below.
[[nodiscard]] bool is_generator(const std::string& kind);

/// The generator that [model] in `deck` describes, for the inner region of `grid`. The result is
/// a pure function of the cell. Throws Error for bad or missing keys.
[[nodiscard]] CellVelocity make_generator(const std::string& kind, const Deck& deck,
                                          const ModelGrid& grid);

}  // namespace tessera::io
