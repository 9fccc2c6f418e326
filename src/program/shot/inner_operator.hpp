// SPDX-License-Identifier: Apache-2.0
// Another operator than the acoustic family's for the inner region of a shot: what a deck's
// shot.operator says, made for a medium. The layers stay with the shot's own variant.
#pragma once

#include "base/comm/ranks.hpp"
#include "base/device/space.hpp"
#include "base/grid/domain.hpp"
#include "base/grid/field.hpp"
#include "base/io/deck.hpp"
#include "base/registry/registry.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tessera {

/// The medium that an operator is made for: of several ranks, each makes one for its cells.
struct Medium {
  Domain domain;
  comm::Ranks ranks;
  double dt = 0;                                  ///< s
  std::array<double, 3> h{};                      ///< hx, hy, hz in m
  double v_min = 0, v_max = 0;                    ///< m/s, of the grid
  std::function<double(int, int, int)> velocity;  ///< at cell z, y, x of the grid, in the domain
};

template <class Real>
class InnerOperator {
 public:
  InnerOperator() = default;
  InnerOperator(const InnerOperator&) = delete;
  InnerOperator& operator=(const InnerOperator&) = delete;
  virtual ~InnerOperator() = default;

  /// Enqueues one time step of the cells of `region`, in the domain's indices; `next` holds u- on
  /// entry. Both fields have the acoustic family's halo, which holds u beyond faces and edges.
  virtual void update(const ExecSpace& exec, const Field<Real>& u, const Field<Real>& next,
                      const Region& region) const = 0;
  /// What a source's wavelet f drives the step from t to t + dt with.
  [[nodiscard]] virtual double source(const std::function<double(double)>& f, double t,
                                      double dt) const = 0;
  /// One line on the operator, for the run's output.
  [[nodiscard]] virtual std::string remark() const = 0;
};

/// What a deck says of an operator, before the medium is known.
class InnerOperatorDeck {
 public:
  InnerOperatorDeck() = default;
  InnerOperatorDeck(const InnerOperatorDeck&) = delete;
  InnerOperatorDeck& operator=(const InnerOperatorDeck&) = delete;
  virtual ~InnerOperatorDeck() = default;

  /// What the operator computes, in a line: two of one text compute the same.
  [[nodiscard]] virtual std::string identity() const = 0;
  /// Why the operator cannot update `regions` on one of several ranks; empty where it can.
  [[nodiscard]] virtual std::string refused_on_ranks(const std::vector<Region>& regions) const = 0;
  /// Bytes of device memory that the operator takes for so many cells.
  [[nodiscard]] virtual std::int64_t memory_bytes(const Extents& n) const = 0;
  /// Throws Error where make() would, for a dry run; needs no velocities.
  virtual void require_possible(const Medium& medium) const = 0;
  /// Makes the operator, in float or double. Collective. Throws Error for a medium that it is not
  /// made for.
  virtual void make(const Medium& medium, std::unique_ptr<InnerOperator<float>>& made) const = 0;
  virtual void make(const Medium& medium, std::unique_ptr<InnerOperator<double>>& made) const = 0;
};

/// shot.operator = "ete": reads shot.ete_stencil, shot.ete_variant, shot.velocities and [fit] of a
/// deck for an operator on the region `inner`, its variant from `registry`. Throws Error for bad
/// values, a variant that cannot run there, and in a build without the ete family.
[[nodiscard]] std::shared_ptr<const InnerOperatorDeck> read_ete_operator(const io::Deck& deck,
                                                                         const Region& inner,
                                                                         int value_bytes,
                                                                         const Registry& registry);

/// shot.operator = "fd": checks the values of the keys of "ete", which then have no effect. Throws
/// Error for bad ones; a build without the ete family takes them as they are.
void check_ete_keys(const io::Deck& deck, const Registry& registry);

}  // namespace tessera
