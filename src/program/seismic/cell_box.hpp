// SPDX-License-Identifier: Apache-2.0
// A part of a dense array [z][y][x].
#pragma once

#include <cstdint>

namespace tessera::io {

/// The cells [z0, z1) x [y0, y1) x [x0, x1).
struct CellBox {
  std::int64_t z0 = 0, z1 = 0, y0 = 0, y1 = 0, x0 = 0, x1 = 0;

  [[nodiscard]] std::int64_t nz() const { return z1 - z0; }
  [[nodiscard]] std::int64_t ny() const { return y1 - y0; }
  [[nodiscard]] std::int64_t nx() const { return x1 - x0; }
  [[nodiscard]] bool empty() const { return nz() <= 0 || ny() <= 0 || nx() <= 0; }
  [[nodiscard]] std::int64_t cells() const { return empty() ? 0 : nz() * ny() * nx(); }
  friend bool operator==(const CellBox&, const CellBox&) = default;
};

}  // namespace tessera::io
