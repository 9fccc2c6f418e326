// SPDX-License-Identifier: Apache-2.0
// What a command knows of a case: a stencil, a grid, a precision, a number of steps, initial data.
#pragma once

#include "base/comm/halo.hpp"
#include "base/device/space.hpp"
#include "base/grid/domain.hpp"
#include "base/io/deck.hpp"
#include "base/keys/table.hpp"
#include "base/registry/registry.hpp"
#include "base/registry/step_work.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// Outcome of comparing a variant with the reference.
struct Verdict {
  bool ok = true;
  std::string reason;      ///< what differs, where, by how much; empty where all is well
  double worst = 0;        ///< largest |difference| / bound
  std::int64_t cells = 0;  ///< cell updates that were compared
};

/// Verdicts of `verify(grid)` on each of `grids` as one; the first that fails ends it.
template <class Grids, class Verify>
[[nodiscard]] Verdict verify_each(const Grids& grids, const Verify& verify) {
  Verdict all;
  for (const auto& grid : grids) {
    Verdict one = verify(grid);
    one.cells += all.cells;
    one.worst = std::max(one.worst, all.worst);
    all = std::move(one);
    if (!all.ok) break;
  }
  return all;
}

/// case.nx, case.ny and case.nz of a deck; nz may be left out in two dimensions. Throws Error where
/// one is missing or not positive.
[[nodiscard]] Extents read_extents(const io::Deck& deck, int dims = 3);

/// 4 for "float", 8 for "double".
[[nodiscard]] int value_bytes(const std::string& precision);

/// Smallest and largest value of the final field.
struct ValueRange {
  double min = 0;
  double max = 0;
};

/// Collective: what all ranks found. One that failed makes all fail, with the reason of the first.
[[nodiscard]] Verdict agreed(const comm::Ranks& ranks, Verdict mine);

/// Collective: `here(grid)` of each grid, which compares a variant with the reference on one rank,
/// on the first; and of several ranks `on_ranks()`, which compares these with one.
template <class Grids, class Here, class OnRanks>
[[nodiscard]] Verdict verify_here_and_on_ranks(const comm::Parallel& parallel, const Grids& grids,
                                               const Here& here, const OnRanks& on_ranks) {
  const Verdict one = parallel.ranks.first() ? verify_each(grids, here) : Verdict{};
  if (parallel.ranks.alone()) return one;
  const std::vector<Verdict> both{agreed(parallel.ranks, one), agreed(parallel.ranks, on_ranks())};
  return verify_each(both, [](const Verdict& verdict) { return verdict; });
}

/// A deck's parallel.ranks, parallel.transport and parallel.overlap. Throws Error for bad values.
[[nodiscard]] comm::ParallelOptions read_parallel(const io::Deck& deck);

/// Times what was put in: a stable update makes some tens of it, where components near the largest
/// stable time step beat.
inline constexpr double kGrownWithoutBound = 1000;

/// On several ranks the members that allocate, set, step, check or reduce fields are collective,
/// and `n` is the grid of all.
class Case {
 public:
  Case() = default;
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;
  virtual ~Case() = default;

  std::string family, precision;
  std::string stencil;  ///< in full: "acoustic/iso25"
  std::string model;    ///< kind of model, where one stencil has several: "random", "layered" ...
  std::string details;  ///< further parameters that identify the problem: "pml_cells=27"
  Extents n;
  std::int64_t steps = 0;
  MachineLimits machine = this_machine();  ///< that launches are planned for
  comm::Parallel parallel;  ///< set before anything below is called; one rank if it is not
  std::vector<std::string>
      decompositions;                ///< to be run in turn; one empty string where none exist
  std::vector<std::string> remarks;  ///< lines that say what was made for it

  /// What its launches compute.
  [[nodiscard]] virtual Problem problem() const {
    Problem problem{stencil, value_bytes(precision)};
    problem.machine = machine;
    return problem;
  }

  /// How the cells go to the ranks. Throws Error where they cannot.
  [[nodiscard]] virtual comm::RankGrid rank_grid() const = 0;
  /// What ranks exchange.
  [[nodiscard]] virtual comm::HaloShape halo_shape() const = 0;
  /// Its halo exchange, once allocated; null on one rank.
  [[nodiscard]] virtual comm::Halo* halo() const = 0;
  /// Whether exchanges run beside computation.
  [[nodiscard]] virtual bool overlaps() const { return parallel.options.overlap; }
  /// Why a configuration that runs on one rank does not run on several; empty where it does.
  [[nodiscard]] virtual std::string refused_on_ranks(const Selected& /*how*/) const { return {}; }

  /// Called with the configurations that will run, before memory is queried: some take more.
  virtual void select(const std::vector<Selected>& /*configurations*/) {}
  /// Bytes of this rank's device memory that the case takes, copies for the check at run size
  /// included.
  [[nodiscard]] virtual std::int64_t memory_bytes() const = 0;
  /// Work of one time step of all ranks, the same for all variants and decompositions.
  [[nodiscard]] virtual StepWork work() const = 0;
  /// The regions of a decomposition on this rank, in its indices.
  [[nodiscard]] virtual std::vector<Region> regions(const std::string& decomposition) const = 0;

  /// Allocates the fields. Called once, after the memory was found sufficient.
  virtual void allocate() = 0;
  /// Initial data, and the regions of a decomposition.
  virtual void reset(const std::string& decomposition) = 0;
  /// Enqueues one launch's worth of time steps from number `index` on, sources included: one, or
  /// the temporal depth of a variant that blocks in time, and never more than `left`. Returns how
  /// many.
  virtual std::int64_t step(const ExecSpace& exec, const Selected& how, std::int64_t index,
                            std::int64_t left) = 0;
  /// Range of the current field; infinite where a value is not finite. Fences.
  [[nodiscard]] virtual ValueRange range() const = 0;
  /// Magnitude that a field passes only if it grows without bound: kGrownWithoutBound times what
  /// the initial data and the sources have put in.
  [[nodiscard]] virtual double bound() const { return std::numeric_limits<double>::infinity(); }
  /// What a message adds where that range is infinite; may be empty.
  [[nodiscard]] virtual std::string not_finite() const { return {}; }
  /// Relative L2 error of the field after the case's steps that fewer bits in memory cause, at a
  /// reduced size; none where fields are kept as they are.
  [[nodiscard]] virtual std::optional<double> storage_error(
      const Selected& /*how*/, const std::string& /*decomposition*/) const {
    return std::nullopt;
  }

  /// Compares with the sequential reference on small ragged grids, on data drawn from `seed`; of
  /// several ranks also the fields of all with those of one, to the bit.
  [[nodiscard]] virtual Verdict verify_small(const Selected& how, const std::string& decomposition,
                                             std::uint64_t seed) const = 0;
  /// Compares one step at run size with the family's plainest variant, which `registry` must hold,
  /// on the device; overwrites the fields.
  [[nodiscard]] virtual Verdict verify_at_size(const Selected& how,
                                               const std::string& decomposition,
                                               const Registry& registry) = 0;

 protected:
  Case(const char* family_name, std::string stencil_name, const char* precision_name,
       const Extents& extents)
      : family(family_name),
        precision(precision_name),
        stencil(std::move(stencil_name)),
        n(extents),
        decompositions{""} {}

  /// This rank's cells.
  [[nodiscard]] Domain domain() const { return rank_grid().domain(parallel.ranks.rank()); }
};

/// A CaseOf<float> or a CaseOf<double>.
template <template <class Real> class CaseOf, class... Arguments>
[[nodiscard]] std::unique_ptr<Case> make_in(int value_bytes, const Arguments&... arguments) {
  if (value_bytes == 4) return std::make_unique<CaseOf<float>>(arguments...);
  return std::make_unique<CaseOf<double>>(arguments...);
}

/// What a command knows of a family: its stencils, by their full names, and how to make its cases.
struct Family {
  std::string name;
  std::vector<std::string> stencils;
  std::function<std::unique_ptr<Case>(const io::Deck&)> make_case;
  /// A case of one stencil whose verify_small() can be called; it is never allocated.
  std::function<std::unique_ptr<Case>(const Problem&)> make_verify_case;
  std::vector<keys::Table> tables = {};  ///< its deck keys, beside [case]
};

/// The case of one of `families` that a deck describes, on `parallel`. Throws Error for bad values;
/// reads [case] and the family's table.
[[nodiscard]] std::unique_ptr<Case> make_case(const io::Deck& deck,
                                              const std::vector<Family>& families,
                                              const comm::Parallel& parallel = {});

/// One case for each stencil that the deck names: case.stencil may be a list, to compare within one
/// run; the cases differ in nothing else. Throws Error as make_case does.
[[nodiscard]] std::vector<std::unique_ptr<Case>> make_cases(const io::Deck& deck,
                                                            const std::vector<Family>& families,
                                                            const comm::Parallel& parallel = {});

/// A case for `verify` alone: the physics of the family named `family` at its defaults.
[[nodiscard]] std::unique_ptr<Case> make_verify_case(const std::string& family,
                                                     const Problem& problem,
                                                     const std::vector<Family>& families,
                                                     const comm::Parallel& parallel = {});

}  // namespace tessera
