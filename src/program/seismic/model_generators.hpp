// SPDX-License-Identifier: Apache-2.0
// Velocity models that are computed: no download, the same on every machine.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "program/seismic/model_keys.hpp"
#include "program/seismic/velocity_model.hpp"

namespace tessera::io {

/// Velocity in m/s of one cell of the inner region, counted from its first cell.
using CellVelocity = std::function<float(std::int64_t z, std::int64_t y, std::int64_t x)>;

/// Whether `kind` is one of the generators below.
[[nodiscard]] bool is_generator(const std::string& kind);

/// The generator that [model] in `deck` describes, for the inner region of `grid`. The result is
/// a pure function of the cell. Throws Error for bad or missing keys.
[[nodiscard]] CellVelocity make_generator(const ModelKeys& keys, const Deck& deck,
                                          const ModelGrid& grid);

}  // namespace tessera::io
