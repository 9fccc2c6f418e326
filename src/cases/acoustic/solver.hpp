// SPDX-License-Identifier: Apache-2.0
// The fields of an acoustic case on the device, and one time step of them with any variant.
#pragma once

#include "cases/acoustic/setup.hpp"
#include "cases/acoustic/spread.hpp"
#include "cases/field_range.hpp"
#include "device/instances.hpp"
#include "grid/field.hpp"
#include "kernels/acoustic/variant.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace tessera::acoustic {

/// What a source adds to u at its cells, in two steps that are made at once.
struct PairSource {
  const SourceCells* cells = nullptr;
  double first = 0, second = 0;
};

template <class Real>
class Solver {
 public:
  /// Allocates u, u-, vp, phi and eta (see memory_bytes), zero but for eta. Throws Error for
  /// parameters that make no sense.
  explicit Solver(const Setup& setup);

  /// Bytes that the five fields of a setup take, and the index of vp where it has one.
  [[nodiscard]] static std::int64_t memory_bytes(const Setup& setup);

  /// One velocity, m/s. Throws Error where the time step would be unstable.
  void set_velocity(double v);
  /// velocity(z, y, x) in m/s, evaluated on the host for every cell, layers included. Throws Error
  /// where it is not positive or makes the time step unstable, or has more than 65,536 values where
  /// the setup wants vp by index.
  void set_velocity(const std::function<double(int, int, int)>& velocity);

  /// Sets u, u- and phi to zero.
  void set_zero();
  /// Sets u and u- to values in [-1, 1), and phi in the layers to values of the size of L(u),
  /// from `seed`: the same on every backend.
  void set_random(std::uint64_t seed);

  /// Work on the regions before must be complete.
  void set_decomposition(Decomposition kind);
  [[nodiscard]] const std::vector<Region>& regions() const { return regions_; }

  /// Enqueues what a step needs of u beside its cells: under a free surface its mirror image above.
  /// To be called before the regions are updated; nothing where there is no free surface.
  void prepare(const ExecSpace& exec) const { mirror(exec, u_); }
  /// Enqueues the update of one region, after prepare().
  void update_region(const ExecSpace& exec, const Selected& how, const Region& region) const;
  /// prepare(), and the update of all regions. u+ is then in next(), until advance() makes it u.
  /// With `seven_concurrent` each region goes to an instance of its own; for whatever is enqueued
  /// on `exec`, before or after, and for its fence, that makes no difference.
  void update(const ExecSpace& exec, const Selected& how) const;
  /// Enqueues u+ += amplitude at a cell (Algorithm 1, line 6), after update(), before advance().
  void inject(const ExecSpace& exec, int z, int y, int x, double amplitude) const;
  /// The same at all cells of a source: u+ += weight * amplitude.
  void inject(const ExecSpace& exec, const SourceCells& cells, double amplitude) const {
    add(exec, next_, cells, amplitude);
  }
  /// Makes u+ the current field.
  void advance() { std::swap(u_, next_); }

  /// Whether `how` advances these regions by two steps at once: its variant does, the layers are
  /// apart from the inner region, and that is wide enough.
  [[nodiscard]] bool makes_pairs(const Selected& how) const;
  /// Allocates the two more wavefields of pairs, unless they are there.
  void reserve_pairs();
  /// Enqueues two steps and what the sources add to each, and makes step n + 2 the current field;
  /// next() then holds step n + 1. Only where makes_pairs(), after reserve_pairs().
  void advance_pair(const ExecSpace& exec, const Selected& how,
                    std::span<const PairSource> sources);
  /// Takes back the exchange of fields of the last pair: u() and next() are those that it read, its
  /// results stay where they are until the next pair.
  void swap_pair() {
    std::swap(u_, after_);
    std::swap(next_, middle_);
  }

  [[nodiscard]] const Setup& setup() const { return setup_; }
  [[nodiscard]] const Field<Real>& u() const { return u_; }
  [[nodiscard]] Field<Real>& u() { return u_; }
  /// u- before a step; u+ between update() and advance().
  [[nodiscard]] const Field<Real>& next() const { return next_; }
  [[nodiscard]] Field<Real>& next() { return next_; }
  [[nodiscard]] const Field<Real>& vp() const { return vp_; }
  [[nodiscard]] const Field<Real>& phi() const { return phi_; }
  [[nodiscard]] Field<Real>& phi() { return phi_; }
  [[nodiscard]] const Field<Real>& eta() const { return eta_; }
  /// The kernels' view of the fields.
  [[nodiscard]] Fields<Real> fields() const;

  /// Range of the current field u over the grid. Fences.
  [[nodiscard]] ValueRange range() const;
  /// Where u is first not finite, as z, y, x; for messages.
  [[nodiscard]] std::array<int, 3> first_non_finite() const;

 private:
  [[nodiscard]] EtaProfiles<Real> profiles() const;
  void index_vp();
  static void add(const ExecSpace& exec, const Field<Real>& to, const SourceCells& cells,
                  double amplitude);
  void mirror(const ExecSpace& exec, const Field<Real>& u) const;
  [[nodiscard]] bool reserved_pairs() const { return middle_.view().extent(0) > 0; }
  [[nodiscard]] Box inner() const { return inner_box(setup_.n, setup_.layers()); }

  Setup setup_;
  Coefficients<Real> k_;
  Kokkos::View<Real*, ExecSpace::memory_space> profiles_[3];  // of eta along x, y, z
  std::vector<Region> regions_;
  Field<Real> u_, next_, vp_, phi_, eta_;
  Field<Real> middle_, after_;     // results of a pair; empty without reserve_pairs()
  Field<std::uint16_t> vp_index_;  // of vp_'s values in vp_values_; empty with VpStorage::field
  Kokkos::View<Real*, ExecSpace::memory_space> vp_values_;
  std::unique_ptr<Instances> instances_;  // one a region; null where regions follow each other
};

extern template class Solver<float>;
extern template class Solver<double>;

}  // namespace tessera::acoustic
