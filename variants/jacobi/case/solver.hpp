// SPDX-License-Identifier: Apache-2.0
// The fields of a jacobi case on the device, and some time steps of them with any variant.
#pragma once

#include "base/case/field_range.hpp"
#include "base/comm/halo.hpp"
#include "base/grid/domain.hpp"
#include "base/grid/field.hpp"
#include "variants/jacobi/case/deep_halo.hpp"
#include "variants/jacobi/case/overlap_exchange.hpp"
#include "variants/jacobi/kernels/variant.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tessera::jacobi {

template <class Real>
class Solver {
 public:
  /// Allocates u and u+ with R fixed cells around the `n` updated ones. Of several ranks, each with
  /// the cells of its deep halo, which lasts for `depth` steps. Collective among the ranks, as all
  /// is that sets, steps or reduces fields. Throws Error where nz is not 1 in two dimensions.
  Solver(std::string stencil, const Extents& n, const comm::Parallel& parallel = {}, int depth = 1);

  /// Bytes that the two fields take with `n` updated cells.
  [[nodiscard]] static std::int64_t memory_bytes(const std::string& stencil, const Extents& n);
  /// Bytes that the edges of passes of `depth` steps take on a rank of `n` cells.
  [[nodiscard]] static std::int64_t slab_bytes(const std::string& stencil, const Extents& n,
                                               int depth);

  /// Sets every cell, fixed ones too, to a value in [-1, 1) from `seed`, the same on every backend.
  void set_random(std::uint64_t seed);
  /// Sets the updated cells and the fixed ones to a value each.
  void set_constant(double inside, double fixed);

  /// Exchanges the halo, beside the steps where it can (overlap_exchange.hpp), enqueues at most
  /// `left` of them, no more than the halo lasts for, and makes the result the current field;
  /// returns how many. Allocates what a resident league exchanges, and the slabs of edges, when a
  /// configuration first needs them.
  int advance(const ExecSpace& exec, const Selected& how, int left);

  [[nodiscard]] const std::string& stencil() const { return stencil_; }
  /// What this rank updates, and its own cells in these indices.
  [[nodiscard]] const Domain& domain() const { return deep_.domain(); }
  [[nodiscard]] const Box& own() const { return deep_.own(); }
  [[nodiscard]] const Extents& extents() const { return n_; }
  /// Of the last steps: those of a variant that makes fewer at once fetch less. Null on one rank,
  /// and before any.
  [[nodiscard]] comm::Halo* halo() const { return halo_; }
  /// Whether the last steps ran beside their exchange.
  [[nodiscard]] bool overlapped() const { return way_.overlap.has_value(); }
  [[nodiscard]] const Field<Real>& u() const { return u_; }
  [[nodiscard]] Field<Real>& u() { return u_; }
  /// The kernels' view: u before, and the field that takes u after.
  [[nodiscard]] Fields<Real> fields() const;
  /// Cell (s, y, x) of a field, in the kernels' words, as an index of its view.
  [[nodiscard]] std::int64_t index(int s, int y, int x) const;

  /// Smallest and largest value of all ranks' own cells; infinite where one is not finite. Fences.
  [[nodiscard]] ValueRange range() const;

 private:
  /// How steps were made that were requested last.
  struct Way {
    Selected how;
    int left = 0;
    int depth = 1;  ///< that the configuration makes at once, and the halo lasts for
    std::optional<Overlap> overlap;
  };

  /// Finds out how `left` steps are made, and allocates what that takes.
  void find_way(const ExecSpace& exec, const Selected& how, int left);
  /// Steps of some cells, from `f.from` to `to`, where the first of them lies.
  int step_of(const ExecSpace& exec, const Selected& how, const Box& cells, Real* to, int left,
              int league);
  /// Steps of all cells beside the exchange.
  void step_beside(const ExecSpace& exec, const Selected& how, int left);
  /// The exchange before `steps` steps. Collective when it is first needed.
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
  Way way_;
  // Of a resident league: the core's or all, and the edges' beside it.
  std::array<Resident<Real>, 2> resident_;
  std::array<Kokkos::View<Real*, ExecSpace::memory_space>, 2> exchange_;
  std::array<Field<Real>, 2> slabs_;  // of the edges of a pass
};

extern template class Solver<float>;
extern template class Solver<double>;

}  // namespace tessera::jacobi
