// SPDX-License-Identifier: Apache-2.0
// Parameters of the acoustic family and what follows from them: time step, damping profile,
// wavelet. Formulas: Sai III.A in the formulation of Minimod (Meng et al. 2020).
#pragma once

#include "base/grid/decomposition.hpp"
#include "base/registry/plan.hpp"
#include "variants/acoustic/formula.hpp"

#include <array>
#include <vector>

namespace tessera::acoustic {

/// What absorbs in the layers: the paper's PML, or the convolutional one
/// (variants/acoustic/absorb.hpp).
enum class LayerKind { paper, convolutional };

/// Physics of an acoustic case. The defaults are the paper's experiment.
struct Setup {
  Extents n;                                                             ///< cells, layers included
  std::array<double, 3> h{kPaperSpacing, kPaperSpacing, kPaperSpacing};  ///< hx, hy, hz in metres
  double v_max = kPaperVMax;    ///< m/s: fastest velocity the time step allows for
  double f_max = kPaperFMax;    ///< Hz: highest frequency of the source
  double cfl = 0.8;             ///< fraction of the stability limit at v_max
  int pml_cells = kPaperLayer;  ///< layer width at each face
  LayerKind layer_kind = LayerKind::paper;
  /// u = 0 on the plane z = 0, which has no layer then: u(-z) = -u(z) above it.
  bool free_surface = false;
  Decomposition decomposition = Decomposition::seven;
  VpStorage vp_storage = VpStorage::field;
  Storage storage = Storage::plain;  ///< of u and u-; vp is in 16 bits with all but plain
  double storage_scale = 0;          ///< of values in 16 bits; 0: follows from the source

  /// vp in 16 bits beside its field. A format has it in equal steps itself.
  [[nodiscard]] VpStorage vp_beside() const {
    const bool within = vp_storage == VpStorage::linear && storage != Storage::plain;
    return within ? VpStorage::field : vp_storage;
  }
  /// What a plan must know of it.
  void describe(Problem& problem) const {
    problem.vp_beside = vp_beside();
    problem.storage = storage;
    problem.convolutional_layers = convolutional();
  }
  [[nodiscard]] Layers layers() const { return {pml_cells, free_surface}; }
  /// The regions of a step.
  [[nodiscard]] std::vector<Region> regions(Decomposition kind) const {
    return decompose(n, layers(), kind, cells_together(storage));
  }
  /// Time step in seconds: 2 cfl / (v_max sqrt(sum over axes of (|c0| + 2 sum |c_m|) / h^2)).
  [[nodiscard]] double dt() const;
  /// Largest velocity in m/s for which dt() is stable.
  [[nodiscard]] double largest_stable_velocity() const;
  /// Damping at distance 1 <= i <= pml_cells into a layer along the axis (0 x, 1 y, 2 z):
  /// (i/n)^2 dt 3 v_max ln(1000) / (2 n h), dimensionless.
  [[nodiscard]] double damping(int axis, int i) const;
  /// eta at a cell: the sum of the three axes' damping.
  [[nodiscard]] double eta(int z, int y, int x) const;
  [[nodiscard]] bool convolutional() const { return layer_kind == LayerKind::convolutional; }
  /// {a, b} of the convolutional layers `deep` cells into one along the axis, 0 <= deep <=
  /// pml_cells: sigma = 3 v_max ln(10^10) / (2 n h) (deep/n)^2, so that a wave along the axis comes
  /// back with 10^-10 of its amplitude, and alpha = 0.4 pi f_max (1 - deep/n).
  [[nodiscard]] std::array<double, 2> absorption(int axis, double deep) const;
  /// The largest eta there is, in a corner of the grid; 0 without layers.
  [[nodiscard]] double largest_eta() const;
  /// Largest eta at which the layers' update is stable for velocities up to v: its characteristic
  /// polynomial (1 + 2 eta) x^2 - (2 - eta^2 + 2 eta - 4 c^2) x + 1, where c = v / v_max cfl, has
  /// no root outside the unit circle where eta^2 - 4 eta - 4 + 4 c^2 <= 0, that is up to
  /// 2 + 2 sqrt(2 - c^2).
  [[nodiscard]] double largest_stable_eta(double v) const;
};

/// Throws Error unless spacings, velocity, frequency and cfl are positive and cfl <= 1.
void check_physics(const Setup& setup);

/// check_physics(), and that each axis has an inner region.
void check(const Setup& setup);

/// Throws Error, naming the limit, where the largest velocity of a model makes dt() unstable, or
/// layers of so few cells that their damping does.
void check_velocity(const Setup& setup, double v_largest);

/// The paper's source wavelet at time t in seconds:
/// f(t) = -2 s sigma (sigma - 2 sigma s (sigma t - tau)^2) exp(-s (sigma t - tau)^2),
/// sigma = 0.6 f_max, tau = 1, s = 8.
[[nodiscard]] double paper_wavelet(double t, double f_max);

}  // namespace tessera::acoustic
