// SPDX-License-Identifier: Apache-2.0
// The cubes of a directional case on the device, and one pass over them with any variant.
#pragma once

#include "cases/field_range.hpp"
#include "grid/field.hpp"
#include "kernels/directional/variant.hpp"

#include <array>
#include <cstdint>

namespace tessera::directional {

/// What is computed, and where it lies.
struct Setup {
  Operator op;
  Extents n;
  std::array<double, 3> h = {1, 1, 1};  ///< hx, hy, hz in metres
  RowAlignment rows = RowAlignment::line;
};

template <class Real>
class Solver {
 public:
  /// Allocates the input and the output cube. Throws Error for spacings that make no sense.
  explicit Solver(const Setup& setup);

  /// Bytes of one cube.
  [[nodiscard]] static std::int64_t cube_bytes(const Setup& setup);

  /// Sets the input, halo included, to values in [-1, 1) from `seed`, the same on every backend,
  /// and the output to NaN.
  void set_random(std::uint64_t seed);

  /// Enqueues one pass over the whole grid.
  void pass(const ExecSpace& exec, const Selected& how) const;

  /// Range of the output. Fences.
  [[nodiscard]] ValueRange range() const;

  [[nodiscard]] const Setup& setup() const { return setup_; }
  [[nodiscard]] const Field<Real>& in() const { return in_; }
  [[nodiscard]] Field<Real>& out() { return out_; }
  [[nodiscard]] const Field<Real>& out() const { return out_; }
  [[nodiscard]] Cubes<Real> cubes() const;

 private:
  Setup setup_;
  Field<Real> in_, out_;
};

/// The whole grid as the one region of a launch.
[[nodiscard]] Region whole_region(const Extents& n);

}  // namespace tessera::directional
