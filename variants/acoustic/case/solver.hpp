// SPDX-License-Identifier: Apache-2.0
// The fields of an acoustic case on the device, and one time step of them with any variant.
#pragma once

#include "base/case/field_range.hpp"
#include "base/case/rank_regions.hpp"
#include "base/device/instances.hpp"
#include "base/grid/domain.hpp"
#include "base/grid/field.hpp"
#include "variants/acoustic/case/receivers.hpp"
#include "variants/acoustic/case/setup.hpp"
#include "variants/acoustic/case/stored_waves.hpp"
#include "variants/acoustic/kernels/absorber.hpp"
#include "variants/acoustic/kernels/variant.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace tessera::acoustic {

/// Wavefields that the passes of some of these configurations take besides a solver's own.
[[nodiscard]] int fields_of_passes(const std::vector<Selected>& configurations);

/// What u from set_random() may reach in a few steps.
inline constexpr double kRandomPeak = 4;

template <class Real>
class Solver {
 public:
  /// Allocates u, u-, vp, phi and eta (see memory_bytes), zero except for eta; with convolutional
  /// layers slabs in place of eta, and phi stays zero. Of several ranks each has the cells of its
  /// domain(). Collective among the ranks, as all is that sets, steps or reduces fields. `reach`:
  /// of what updates the regions, edges where it is not this family's. Throws Error for parameters
  /// that make no sense.
  explicit Solver(const Setup& setup, const comm::Parallel& parallel = {},
                  comm::Reach reach = comm::Reach::faces);

  /// How a setup's cells go to ranks. Throws Error where a free surface's ranks have too few
  /// planes.
  [[nodiscard]] static comm::RankGrid rank_grid(const Setup& setup, const comm::Parallel& parallel);
  /// The regions of a setup on one of its ranks.
  [[nodiscard]] static RankRegions regions_of(const Setup& setup, const comm::RankGrid& grid,
                                              int rank);
  /// Bytes that the fields of a setup take on this rank, the index of vp where it has one, and with
  /// fields in 16 bits the copy of vp that they are made from.
  [[nodiscard]] static std::int64_t memory_bytes(const Setup& setup,
                                                 const comm::Parallel& parallel = {});

  /// One velocity, m/s. Throws Error where the time step would be unstable.
  void set_velocity(double v);
  /// velocity(z, y, x) in m/s, evaluated on the host for every cell of the domain, layers included.
  /// Throws Error where it is not positive or makes the time step unstable, or has more than 65,535
  /// values where the setup needs vp by index.
  void set_velocity(const std::function<double(int, int, int)>& velocity);

  /// With fields in 16 bits: what u will reach, which makes their scale unless the setup has one
  /// Before fields are set.
  void expect_peak(double peak) { waves_.set_scale(storage_scale(peak, setup_.storage_scale)); }
  /// What stored values, and phi, are times those of the equations: 1 in plain storage.
  [[nodiscard]] double scale() const { return waves_.any() ? waves_.scale() : 1; }

  /// Sets u, u- and phi to zero.
  void set_zero();
  /// Sets u and u- to values in [-1, 1), and phi in the layers to values of the size of L(u),
  /// from `seed`: the same on every backend.
  void set_random(std::uint64_t seed);

  /// Work on the regions before must be complete.
  void set_decomposition(Decomposition kind);
  /// In the domain's indices.
  [[nodiscard]] const std::vector<Region>& regions() const { return regions_.all; }

  /// Enqueues what a step needs of u beside its cells: under a free surface its mirror image above.
  /// To be called before the regions are updated; nothing where there is no free surface.
  void prepare(const ExecSpace& exec) const;
  /// Enqueues the update of one region, after prepare().
  void update_region(const ExecSpace& exec, const Selected& how, const Region& region) const;
  /// prepare(), the update of all regions, and of several ranks the exchange of u's halo beside
  /// those cells that need none of it. u+ is then in next(), until advance() makes it u. In a
  /// concurrent decomposition each region goes to an instance of its own; for whatever is enqueued
  /// on `exec`, before or after, and for its fence, that makes no difference.
  void update(const ExecSpace& exec, const Selected& how) const {
    update(exec, [&](const ExecSpace& on, const std::vector<Region>& regions) {
      launch(on, how, regions);
    });
  }
  /// The same by a launch of one's own, which enqueues the update of regions.
  using Launch = std::function<void(const ExecSpace&, const std::vector<Region>&)>;
  void update(const ExecSpace& exec, const Launch& launch) const;
  /// Enqueues u+ += amplitude at a cell of the grid (Algorithm 1, line 6), on the rank that has it,
  /// after update(), before advance().
  void inject(const ExecSpace& exec, int z, int y, int x, double amplitude) const;
  /// The same at all cells of a source, in the domain's indices: u+ += weight * amplitude.
  void inject(const ExecSpace& exec, const PassSource& source) const;
  /// Makes u+ the current field.
  void advance() {
    std::swap(u_, next_);
    absorber_.advance();
    if (waves_.any()) waves_.advance();
  }

  /// Where u is recorded from now on, in the domain's indices.
  void set_receivers(Receivers<Real> receivers) { receivers_ = std::move(receivers); }
  /// Enqueues samples[i] = u at receiver i, where kernels run.
  void record(const ExecSpace& exec, Real* samples) const {
    waves_.any() ? receivers_.sample(exec, waves_.u_unscaled(), samples)
                 : receivers_.sample(exec, u_.ref(), samples);
  }

  /// Allocates what the passes of `how` need, unless it is there.
  void reserve_passes(const Selected& how);
  /// How many of at most `left` steps `how` makes in one pass of these regions: 1 where it has no
  /// pass for them, and on several ranks. A pass in place does not expose its intermediate steps:
  /// it is of one step, too, under a free surface and with receivers between the cells.
  [[nodiscard]] int steps_of_pass(const Selected& how, std::int64_t left) const;
  /// Enqueues so many steps, as steps_of_pass() says and after reserve_passes(), and what the
  /// sources add to each, and makes the last one the current field; next() then holds the one
  /// before. Where `samples` is not null step k's records go to samples[k * receivers + i].
  void advance_pass(const ExecSpace& exec, const Selected& how, int steps,
                    std::span<const PassSource> sources, Real* samples = nullptr);
  /// Whether such a pass is made in place.
  [[nodiscard]] bool passes_in_place(const Selected& how) const {
    return how.as<AcousticVariant>().pass_shape(how.configuration).in_place;
  }
  /// Takes back the exchange of fields of the last pass, which was out of place: u() and next() are
  /// those that it read, its results stay where they are until the next pass.
  void swap_pass() {
    std::swap(u_, after_);
    std::swap(next_, middle_);
    waves_.swap_pass();
  }

  [[nodiscard]] const Setup& setup() const { return setup_; }
  /// This rank's cells; the fields have these.
  [[nodiscard]] const Domain& domain() const { return domain_; }
  /// The inner region in the domain's indices, not cut to it.
  [[nodiscard]] Box inner() const { return domain_.local(inner_box(setup_.n, setup_.layers())); }
  /// Null on one rank.
  [[nodiscard]] comm::Halo* halo() const {
    return waves_.any() ? static_cast<comm::Halo*>(stored_halo_.get()) : halo_.get();
  }
  /// Fields in 16 bits, instead of u(), next() and vp(), which have no cells then.
  [[nodiscard]] const StoredWaves<Real>& waves() const { return waves_; }
  /// u, u- and vp as values, times scale(): the fields themselves, or from 16 bits copies.
  [[nodiscard]] Field<Real> u_values() const { return waves_.any() ? waves_.u() : u_; }
  [[nodiscard]] Field<Real> u_minus_values() const {
    return waves_.any() ? waves_.u_minus() : next_;
  }
  [[nodiscard]] Field<Real> vp_values() const { return waves_.any() ? waves_.vp() : vp_; }
  [[nodiscard]] const Field<Real>& u() const { return u_; }
  [[nodiscard]] Field<Real>& u() { return u_; }
  /// u- before a step; u+ between update() and advance().
  [[nodiscard]] const Field<Real>& next() const { return next_; }
  [[nodiscard]] Field<Real>& next() { return next_; }
  [[nodiscard]] const Field<Real>& vp() const { return vp_; }
  [[nodiscard]] const Field<Real>& phi() const { return phi_; }
  [[nodiscard]] Field<Real>& phi() { return phi_; }
  [[nodiscard]] const Field<Real>& eta() const { return eta_; }
  /// Of convolutional layers.
  [[nodiscard]] const Absorber<Real>& absorber() const { return absorber_; }
  /// The kernels' view of the fields.
  [[nodiscard]] Fields<Real> fields() const;

  /// Range of the current field u over the grid, of all ranks. Fences.
  [[nodiscard]] ValueRange range() const;
  /// Where u is first not finite, as z, y, x of the grid; for messages.
  [[nodiscard]] std::array<int, 3> first_non_finite() const;

 private:
  [[nodiscard]] EtaProfiles<Real> profiles() const;
  [[nodiscard]] Field<Real> room_for_vp();
  void keep_vp(const Field<Real>& vp);
  void make_vp_16();
  /// Of vp, of all ranks.
  [[nodiscard]] Real largest_vp(const Field<Real>& vp) const;
  template <class To>
  static void add(const ExecSpace& exec, const To& to, const PassSource& source, double amplitude);
  template <class Ref>
  void mirror(const ExecSpace& exec, const Ref& of, int deepest) const;
  void mirror_halo(const ExecSpace& exec) const;
  void advance_in_place(const ExecSpace& exec, const Selected& how, int steps,
                        std::span<const PassSource> sources, Real* samples);
  void advance_out_of_place(const ExecSpace& exec, const Selected& how,
                            std::span<const PassSource> sources, Real* samples);
  /// Results of a pass as they lie in memory, and as receivers see them.
  template <class Ref>
  struct PassResults {
    Ref middle, after, seen_middle, seen_after;
  };
  template <class Pass, class Ref>
  void make_pass(const ExecSpace& exec, const Selected& how, const Pass& pass,
                 const PassResults<Ref>& made, std::span<const PassSource> sources, Real* samples);
  void launch(const ExecSpace& exec, const Selected& how, const std::vector<Region>& regions) const;

  Setup setup_;
  comm::Parallel parallel_;
  comm::Reach reach_;
  comm::RankGrid grid_;
  Domain domain_;
  Coefficients<Real> k_;
  Kokkos::View<Real*, ExecSpace::memory_space> profiles_[3];  // of eta along x, y, z
  RankRegions regions_;
  Field<Real> u_, next_, vp_, phi_, eta_;
  StoredWaves<Real> waves_;  // in place of the first three
  Absorber<Real> absorber_;
  Field<Real> middle_, after_;  // results of a pass out of place; empty without reserve_passes()
  TeamChain chain_;             // of a pass in place
  Receivers<Real> receivers_;
  LinearVp<Real> vp_16_;  // vp_ once more, or its bits the index in vp_values_
  Kokkos::View<Real*, ExecSpace::memory_space> vp_values_;
  std::unique_ptr<Instances> instances_;  // one a region; null where regions follow each other
  // Of u, as it is or in 16 bits; null on one rank.
  std::unique_ptr<comm::HaloExchange<Real>> halo_;
  std::unique_ptr<comm::HaloExchange<std::uint16_t>> stored_halo_;
};

extern template class Solver<float>;
extern template class Solver<double>;

}  // namespace tessera::acoustic
