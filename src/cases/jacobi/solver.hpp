// SPDX-License-Identifier: Apache-2.0
// The fields of a jacobi case on the device, and some time steps of them with any variant.
#pragma once

#include "cases/field_range.hpp"
#include "comm/halo.hpp"
#include "grid/domain.hpp"
#include "grid/field.hpp"
#include "kernels/jacobi/variant.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace tessera::jacobi {

/// Dimensions and radius of a stencil.
struct StencilFacts {
  int dims = 3, r = 1, ry = 1, flops = 0;
};
/// Facts of a stencil, by its full name. Throws Error where there is none of that name.
[[nodiscard]] StencilFacts facts_of(const std::string& stencil);

/// Where the cells of such a field lie: in two dimensions one plane, without planes beside it.
[[nodiscard]] FieldLayout layout_of(const std::string& stencil, const Extents& n, int value_bytes);

/// Time steps that a configuration makes at once on a grid of `n` cells; 1 where it cannot run.
[[nodiscard]] int depth_of(const Selected& how, const Problem& problem, const Extents& n);

/// How a grid lies on ranks that exchange every `depth` steps. Between two exchanges a rank
/// updates, besides its own cells, (depth - 1) R cells beyond each cut: what neighbours update too,
/// and what is wrong there after a step lies R cells farther out than before it. Around them R
/// cells stay as the exchange left them: to variants they are fixed.
class DeepHalo {
 public:
  /// Throws Error where a rank would have fewer than depth R cells along an axis that is cut.
  DeepHalo(const std::string& stencil, const Extents& n, const comm::Parallel& parallel, int depth,
           int value_bytes);

  [[nodiscard]] const comm::RankGrid& grid() const { return grid_; }
  [[nodiscard]] int width() const { return width_; }  ///< cells that come from a neighbour
  /// What this rank updates, in the grid; its own cells in that domain's indices.
  [[nodiscard]] const Domain& domain() const { return domain_; }
  [[nodiscard]] const Box& own() const { return own_; }

 private:
  int width_;
  comm::RankGrid grid_;
  Domain domain_;
  Box own_;
};

template <class Real>
class Solver {
 public:
  /// Allocates u and u+ with R fixed cells around the `n` updated ones. Of several ranks, each with
  /// the cells of its deep halo, which lasts for `depth` steps. Collective among the ranks, as all
  /// is that sets, steps or reduces fields. Throws Error where nz is not 1 in two dimensions.
  Solver(std::string stencil, const Extents& n, const comm::Parallel& parallel = {}, int depth = 1);

  /// Bytes that the two fields take with `n` updated cells.
  [[nodiscard]] static std::int64_t memory_bytes(const std::string& stencil, const Extents& n);

  /// Sets every cell, fixed ones too, to a value in [-1, 1) from `seed`, the same on every backend.
  void set_random(std::uint64_t seed);
  /// Sets the updated cells and the fixed ones to a value each.
  void set_constant(double inside, double fixed);

  /// Exchanges the halo, enqueues at most `left` steps, no more than it lasts for, and makes the
  /// result the current field; returns how many. Allocates what a resident league exchanges when a
  /// configuration first needs it.
  int advance(const ExecSpace& exec, const Selected& how, int left);

  [[nodiscard]] const std::string& stencil() const { return stencil_; }
  /// What this rank updates, and its own cells in these indices.
  [[nodiscard]] const Domain& domain() const { return deep_.domain(); }
  [[nodiscard]] const Box& own() const { return deep_.own(); }
  [[nodiscard]] const Extents& extents() const { return n_; }
  /// Of the last steps: those of a variant that makes fewer at once fetch less. Null on one rank,
  /// and before any.
  [[nodiscard]] comm::Halo* halo() const { return halo_; }
  [[nodiscard]] const Field<Real>& u() const { return u_; }
  [[nodiscard]] Field<Real>& u() { return u_; }
  /// The kernels' view: u before, and the field that takes u after.
  [[nodiscard]] Fields<Real> fields() const;
  /// Cell (s, y, x) of a field, in the kernels' words, as an index of its view.
  [[nodiscard]] std::int64_t index(int s, int y, int x) const;

  /// Smallest and largest value of all ranks' own cells; infinite where one is not finite. Fences.
  [[nodiscard]] ValueRange range() const;

 private:
  /// The exchange before `steps` steps. Collective when it is first wanted.
  [[nodiscard]] comm::HaloExchange<Real>& halo_for(int steps);

  std::string stencil_;
  comm::Parallel parallel_;
  int depth_;
  DeepHalo deep_;
  Extents n_;
  StencilFacts facts_;
  Field<Real> u_, next_;
  std::map<int, std::unique_ptr<comm::HaloExchange<Real>>> halos_;  // of u, by the steps it lasts
  comm::HaloExchange<Real>* halo_ = nullptr;                        // the last one
  Selected asked_;  // the last configuration, and how many steps it makes at once
  int asked_depth_ = 1;
  Resident<Real> resident_;
  Kokkos::View<Real*, ExecSpace::memory_space> exchange_;
};

extern template class Solver<float>;
extern template class Solver<double>;

}  // namespace tessera::jacobi
