// SPDX-License-Identifier: Apache-2.0
// The jacobi family as commands see it, and its deck keys.
#include "variants/jacobi/case/case.hpp"

#include "base/case/deck_keys.hpp"
#include "base/support/error.hpp"
#include "base/support/precision.hpp"
#include "base/support/problem_identity.hpp"
#include "variants/jacobi/case/solver.hpp"
#include "variants/jacobi/case/verify.hpp"

#include <algorithm>
#include <limits>

namespace tessera::jacobi {
namespace {

/// What a deck says besides stencil and grid.
struct Experiment {
  bool random = true;  ///< initial data and fixed cells; else the two values below
  double inside = 0;   ///< updated cells at the start
  double fixed = 1;    ///< cells around them, for good
  std::uint64_t seed = 1;
  bool verify_at_size = true;
};

template <class Real>
class JacobiCase : public Case {
 public:
  JacobiCase(const std::string& name, const Extents& extents, const Experiment& experiment)
      : Case("jacobi", name, kPrecisionName<Real>, extents), experiment_(experiment) {}

  [[nodiscard]] comm::RankGrid rank_grid() const override { return deep().grid(); }
  [[nodiscard]] comm::HaloShape halo_shape() const override {
    return {depth_ * facts_of(stencil).r, comm::Reach::corners, depth_};
  }
  [[nodiscard]] comm::Halo* halo() const override { return solver_ ? solver_->halo() : nullptr; }
  /// Known once steps were made: some cuts leave no rest to run beside.
  [[nodiscard]] bool overlaps() const override {
    return halo() == nullptr ? Case::overlaps() : solver_->overlapped();
  }

  void select(const std::vector<Selected>& configurations) override {
    depth_ = 1;
    if (parallel.ranks.alone()) return;
    for (const Selected& how : configurations) {
      depth_ = std::max(depth_, depth_of(how, problem(), n));
    }
  }

  [[nodiscard]] std::int64_t memory_bytes() const override {
    const Extents here = deep().domain().n();
    const std::int64_t fields = Solver<Real>::memory_bytes(stencil, here);
    const bool slabs = !parallel.ranks.alone() && parallel.options.overlap && depth_ > 1;
    return (experiment_.verify_at_size ? fields / 2 * 3 : fields) +
           (slabs ? Solver<Real>::slab_bytes(stencil, here, depth_) : 0);
  }

  [[nodiscard]] StepWork work() const override {
    const auto cells = static_cast<double>(n.cells());
    return {cells, 2 * sizeof(Real) * cells, facts_of(stencil).flops * cells};
  }

  [[nodiscard]] std::vector<Region> regions(const std::string& /*decomposition*/) const override {
    return {{"inner", Update::inner, whole(deep().domain().n()), {}}};
  }

  void allocate() override {
    solver_ = std::make_unique<Solver<Real>>(stencil, n, parallel, depth_);
    if (experiment_.verify_at_size) {
      spare_ = Field<Real>("tessera::jacobi::spare",
                           layout_of(stencil, solver_->extents(), sizeof(Real)));
    }
  }

  void reset(const std::string& /*decomposition*/) override {
    if (experiment_.random) {
      solver_->set_random(experiment_.seed);
    } else {
      solver_->set_constant(experiment_.inside, experiment_.fixed);
    }
  }

  std::int64_t step(const ExecSpace& exec, const Selected& how, std::int64_t /*index*/,
                    std::int64_t left) override {
    const auto most = std::min<std::int64_t>(left, std::numeric_limits<int>::max());
    return solver_->advance(exec, how, static_cast<int>(most));
  }

  [[nodiscard]] ValueRange range() const override { return solver_->range(); }

  [[nodiscard]] Verdict verify_small(const Selected& how, const std::string& /*decomposition*/,
                                     std::uint64_t seed) const override {
    return verify_here_and_on_ranks(
        parallel, ragged_grids(facts_of(stencil).dims),
        [&](const Extents& grid) { return verify_on<Real>(stencil, grid, how, seed); },
        [&] { return verify_on_ranks<Real>(parallel, stencil, how, seed); });
  }

  [[nodiscard]] Verdict verify_at_size(const Selected& how, const std::string& /*decomposition*/,
                                       const Registry& registry) override {
    if (!experiment_.verify_at_size) return {};
    return agreed(parallel.ranks,
                  verify_against_step(*solver_, how, registry.find("jacobi/step"), spare_));
  }

 private:
  [[nodiscard]] DeepHalo deep() const { return {stencil, n, parallel, depth_, sizeof(Real)}; }

  Experiment experiment_;
  int depth_ = 1;  // steps between exchanges, the most that a configuration makes at once
  std::unique_ptr<Solver<Real>> solver_;
  Field<Real> spare_;
};

/// In full; the first is what decks compute that name none.
std::vector<std::string> stencil_names() {
  std::vector<std::string> names = {"jacobi/j3d7pt"};
  for_each_stencil([&](auto s) {
    if (decltype(s)::kName != names.front()) names.emplace_back(decltype(s)::kName);
  });
  return names;
}

const keys::KeyTable<Experiment>& jacobi_keys() {
  using keys::between, keys::key;
  static const keys::KeyTable<Experiment> table(
      {.name = "jacobi", .meaning = "Temporal blocking (EBISU)"},
      {key("inside", &Experiment::inside, between(-1e6, 1e6), "",
           "Initial value of updated cells, with case.init = \"constant\""),
       key("fixed", &Experiment::fixed, between(-1e6, 1e6), "", "Value of fixed cells, likewise")});
  return table;
}

std::unique_ptr<Case> make_case(const io::Deck& deck) {
  const CaseKeys c = read_case(deck, {stencil_names(), "double", {"random", "constant"}});
  const StencilFacts facts = facts_of(c.stencil);
  const Extents n = read_extents(deck, facts.dims);
  require(facts.dims == 3 || n.nz == 1, "{}: {}, but {} has two dimensions: nz must be 1",
          deck.where("case.nz"), n.nz, c.stencil);
  Experiment e;
  e.seed = c.seed;
  e.random = c.init == "random";
  e.verify_at_size = c.verify_at_size;
  jacobi_keys().read(deck, e);
  auto made = make_in<JacobiCase>(value_bytes(c.precision), c.stencil, n, e);
  ProblemIdentity details;
  details.add("init", e.random ? "random" : "constant");
  if (e.random) details.add_unless(Experiment{}.seed, "seed", e.seed);
  if (!e.random) details.add("inside", e.inside).add("fixed", e.fixed);
  made->details = details.text();
  return made;
}

std::unique_ptr<Case> make_verify_case(const Problem& problem) {
  return make_in<JacobiCase>(problem.value_bytes, problem.stencil,
                             ragged_grids(facts_of(problem.stencil).dims).front(), Experiment{});
}

}  // namespace

Family family() {
  return {"jacobi", stencil_names(), make_case, make_verify_case, {jacobi_keys().table()}};
}

}  // namespace tessera::jacobi
