// SPDX-License-Identifier: Apache-2.0
// Velocity models: from a generator or a file, sampled onto the grid of a case.
//
// Lengths in m, velocities in m/s, depth z downward from the top of the inner region (the grid
// without its PML layers); x, y, z are measured from its first cell. The keys: model_keys.cpp. A
// file must cover the inner region: each cell at most half a sample beyond the outermost one. The
// PML layers, part of nx, ny, nz, continue the border of the inner region outward.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/io/deck.hpp"
#include "program/seismic/model_files.hpp"
#include "program/seismic/part_file.hpp"

namespace tessera::io {

/// P-wave velocity on a regular grid, or on a box of it.
struct VelocityModel {
  std::int64_t nx = 0, ny = 0, nz = 0;  ///< of the box
  double dx = 0, dy = 0, dz = 0;        ///< Spacing in m.
  std::vector<float> v;                 ///< In m/s, z slowest, x fastest.
  std::string note;                     ///< A line on what of a file was used; empty: all of it.
  std::int64_t z0 = 0, y0 = 0, x0 = 0;  ///< the box's first cell

  [[nodiscard]] std::int64_t cells() const { return nx * ny * nz; }
  /// Of a cell of the grid that lies in the box.
  [[nodiscard]] float at(std::int64_t z, std::int64_t y, std::int64_t x) const {
    return v[index(z, y, x)];
  }
  [[nodiscard]] float& at(std::int64_t z, std::int64_t y, std::int64_t x) {
    return v[index(z, y, x)];
  }

 private:
  [[nodiscard]] std::size_t index(std::int64_t z, std::int64_t y, std::int64_t x) const {
    return static_cast<std::size_t>(((z - z0) * ny + (y - y0)) * nx + (x - x0));
  }
};

/// The grid that a model is sampled onto, PML layers included.
struct ModelGrid {
  std::int64_t nx = 0, ny = 0, nz = 0;
  double dx = 0, dy = 0, dz = 0;  ///< Spacing in m.
  std::int64_t pml_cells = 0;     ///< Width of the layer on each of the six sides ...
  bool free_surface = false;      ///< ... but on top, where this is set.

  [[nodiscard]] CellBox whole() const { return {0, nz, 0, ny, 0, nx}; }
  [[nodiscard]] std::int64_t top_cells() const { return free_surface ? 0 : pml_cells; }
  [[nodiscard]] std::int64_t inner_nx() const { return nx - 2 * pml_cells; }
  [[nodiscard]] std::int64_t inner_ny() const { return ny - 2 * pml_cells; }
  [[nodiscard]] std::int64_t inner_nz() const { return nz - pml_cells - top_cells(); }
};

/// Smallest and largest velocity, in m/s: CFL limit and shortest wavelength follow from them.
struct VelocityRange {
  float minimum = 0, maximum = 0;
};
[[nodiscard]] VelocityRange velocity_range(const VelocityModel& model);

/// The file that the deck's [model] names, which is not read. No name where a generator makes the
/// model.
struct ModelSource {
  std::string file;
  ModelShape shape;                       ///< the file's samples
  std::array<double, 3> spacing{};        ///< m, along x, y, z; 0: the grid's
  std::array<double, 3> origin{};         ///< m, of the inner region in the file
  std::string quantity = "velocity_m_s";  ///< what the values are, by the deck

  /// Bytes that the values take in memory which the cells `part` of a grid are made of.
  [[nodiscard]] std::int64_t bytes_of(const ModelGrid& grid, const CellBox& part) const;
};
/// Throws Error as load_model() does.
[[nodiscard]] ModelSource model_source(const Deck& deck);

/// Builds the model that the deck's [model] describes, for the cells `part` of `grid`: of a file
/// only what these are made of is read. Throws Error (one line) for bad keys, a missing or short
/// file, a velocity that is not a positive number (with its place), a model that doesn't cover the
/// grid, and file support not built in.
[[nodiscard]] VelocityModel load_model(const Deck& deck, const ModelGrid& grid,
                                       const CellBox& part);
/// All cells of `grid`.
[[nodiscard]] VelocityModel load_model(const Deck& deck, const ModelGrid& grid);

}  // namespace tessera::io
