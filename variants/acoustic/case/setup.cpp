// SPDX-License-Identifier: Apache-2.0
#include "variants/acoustic/case/setup.hpp"

#include "base/support/error.hpp"

#include <cmath>
#include <numbers>

namespace tessera::acoustic {
namespace {

/// sqrt of the largest eigenvalue of -L: sum over axes of (|c0| + 2 sum |c_m|) / h^2, 1/m.
double spectral_radius_root(const std::array<double, 3>& h) {
  double axis = std::abs(kC[0]);
  for (int m = 1; m <= kR; ++m) axis += 2 * std::abs(kC[m]);
  double sum = 0;
  for (const double spacing : h) sum += axis / (spacing * spacing);
  return std::sqrt(sum);
}

}  // namespace

double Setup::dt() const { return 2 * cfl / (v_max * spectral_radius_root(h)); }

double Setup::largest_stable_velocity() const { return v_max / cfl; }

double Setup::damping(int axis, int i) const {
  const double n_cells = pml_cells;
  const double depth = i / n_cells;
  return depth * depth * dt() * 3 * v_max * std::log(1000.0) / (2 * n_cells * h[axis]);
}

std::array<double, 2> Setup::absorption(int axis, double deep) const {
  if (pml_cells == 0) return {0, 0};
  const double n = pml_cells, part = deep / n;
  const double sigma = part * part * 3 * v_max * std::log(1e10) / (2 * n * h[axis]);
  const double alpha = 0.4 * std::numbers::pi * f_max * (1 - part);
  const double b = std::exp(-(sigma + alpha) * dt());
  return {deep > 0 ? (b - 1) * sigma / (sigma + alpha) : 0, b};
}

double Setup::eta(int z, int y, int x) const {
  const auto along = [this](int axis, int cell, int cells) {
    const bool open = axis == 2 && free_surface;      // no near layer
    const int low = open ? 0 : pml_cells - cell;      // > 0 in the near layer
    const int high = cell - (cells - pml_cells) + 1;  // > 0 in the far layer
    const int i = low > high ? low : high;
    return i > 0 ? damping(axis, i) : 0.0;
  };
  if (convolutional()) return 0;
  return along(0, x, n.nx) + along(1, y, n.ny) + along(2, z, n.nz);
}

double Setup::largest_eta() const {
  if (pml_cells == 0 || convolutional()) return 0;
  return damping(0, pml_cells) + damping(1, pml_cells) + damping(2, pml_cells);
}

double Setup::largest_stable_eta(double v) const {
  const double c = v / largest_stable_velocity();
  return 2 + 2 * std::sqrt(2 - c * c);
}

void check_physics(const Setup& s) {
  constexpr double kLeast = 1e-9;
  // A frequency goes into the wavelet alone: what a field cannot hold of it is found there.
  constexpr double kMostFrequency = 1e30;
  const auto positive = [&](const char* name, double value, double most = 1e9) {
    require(value > 0 && std::isfinite(value), "{} = {} must be positive", name, value);
    // Beyond them times, distances and their products leave what the precisions hold.
    require(value >= kLeast && value <= most, "{} = {} is not between {} and {}", name, value,
            kLeast, most);
  };
  positive("acoustic.h", s.h[0]);
  positive("acoustic.h", s.h[1]);
  positive("acoustic.h", s.h[2]);
  positive("acoustic.v_max", s.v_max);
  positive("acoustic.f_max", s.f_max, kMostFrequency);
  positive("acoustic.cfl", s.cfl);
  require(s.cfl <= 1, "acoustic.cfl = {} is unstable; the limit is 1", s.cfl);
}

void check(const Setup& s) {
  check_physics(s);
  static_cast<void>(s.regions(s.decomposition));
}

void check_velocity(const Setup& s, double v_largest) {
  require(v_largest <= s.largest_stable_velocity(),
          "unstable time step: dt = {:.6g} s allows velocities up to {:.6g} m/s, the model has "
          "{:.6g} m/s; raise acoustic.v_max or lower acoustic.cfl",
          s.dt(), s.largest_stable_velocity(), v_largest);
  // Damping goes by 1 / pml_cells.
  const double share = s.largest_eta() / s.largest_stable_eta(v_largest);
  require(share <= 1,
          "acoustic.pml_cells = {} is unstable: the layers damp too much in a corner; {} or more, "
          "or a lower acoustic.cfl",
          s.pml_cells, std::ceil(share * s.pml_cells));
}

double paper_wavelet(double t, double f_max) {
  const double sigma = 0.6 * f_max;
  const double tau = 1;
  const double s = 8;
  const double r = sigma * t - tau;
  return -2 * s * sigma * (sigma - 2 * sigma * s * r * r) * std::exp(-s * r * r);
}

}  // namespace tessera::acoustic
