// SPDX-License-Identifier: Apache-2.0
// The acoustic family as commands see it, and its deck keys.
#include "variants/acoustic/case/case.hpp"

#include "base/case/deck_keys.hpp"
#include "base/case/listed_once.hpp"
#include "base/grid/transfer.hpp"
#include "base/support/console.hpp"
#include "base/support/error.hpp"
#include "base/support/precision.hpp"
#include "base/support/problem_identity.hpp"
#include "base/support/velocity_units.hpp"
#include "variants/acoustic/case/solver.hpp"
#include "variants/acoustic/case/verify.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::acoustic {
namespace {

/// What a deck says besides the physics.
struct Experiment {
  double velocity = 2000;        ///< m/s throughout (the paper's)
  bool random = false;           ///< initial data; else zero
  bool source = true;            ///< the paper's wavelet at source_at, unscaled
  int source_at[3] = {0, 0, 0};  ///< z, y, x
  std::uint64_t seed = 1;
  bool verify_at_size = true;
};

template <class Real>
class AcousticCase : public Case {
 public:
  AcousticCase(const Setup& setup, const Experiment& experiment)
      : Case("acoustic", "acoustic/iso25", kPrecisionName<Real>, setup.n),
        setup_(setup),
        experiment_(experiment) {
    check(setup);
    check_velocity(setup, experiment.velocity);
  }

  void select(const std::vector<Selected>& configurations) override {
    configurations_ = configurations;
  }

  [[nodiscard]] comm::RankGrid rank_grid() const override {
    return Solver<Real>::rank_grid(setup_, parallel);
  }
  [[nodiscard]] comm::HaloShape halo_shape() const override { return {kR, comm::Reach::faces, 1}; }
  [[nodiscard]] comm::Halo* halo() const override { return solver_ ? solver_->halo() : nullptr; }
  [[nodiscard]] std::string refused_on_ranks(const Selected& how) const override {
    if (bytes_beside(setup_.storage) > 0)
      return "keeps more than 16 bits a value: acoustic.storage = \"half\" on several ranks";
    return how.as<AcousticVariant>().pass_shape(how.configuration).steps > 1
               ? "makes several steps at once, which requires a single rank: several would have to "
                 "exchange several halos"
               : "";
  }

  [[nodiscard]] std::int64_t memory_bytes() const override {
    const int passes = parallel.ranks.alone() ? fields_of_passes(configurations_) : 0;
    const bool stored = setup_.storage != Storage::plain;  // the check takes copies in float
    const int spare = (experiment_.verify_at_size ? (stored ? 5 : 2) : 0) + passes;
    return Solver<Real>::memory_bytes(setup_, parallel) +
           spare * field_bytes(domain().n(), kR, sizeof(Real));
  }

  [[nodiscard]] Problem problem() const override {
    Problem p = Case::problem();
    setup_.describe(p);
    return p;
  }

  [[nodiscard]] StepWork work() const override {
    const auto inner = static_cast<double>(inner_box(n, setup_.layers()).cells());
    const auto pml = static_cast<double>(n.cells()) - inner;
    if (setup_.convolutional()) {
      return {inner + pml, sizeof(Real) * (4 * (inner + pml) + kAbsorbElements * pml),
              kFlopsInner * (inner + pml) + kFlopsAbsorb * pml};
    }
    return {inner + pml, sizeof(Real) * (4 * inner + 7 * pml),
            kFlopsInner * inner + kFlopsPml * pml};
  }

  [[nodiscard]] std::vector<Region> regions(const std::string& decomposition) const override {
    return cut(setup_.regions(parse_decomposition(decomposition)), domain());
  }

  void allocate() override {
    solver_ = std::make_unique<Solver<Real>>(setup_, parallel);
    solver_->set_velocity(experiment_.velocity);
    solver_->expect_peak(expected_peak());
    for (const Selected& how : configurations_) solver_->reserve_passes(how);
    source_ = source_in(domain(), experiment_.source_at);
    if (experiment_.verify_at_size) {
      if (setup_.storage == Storage::plain)
        spare_next_ = Field<Real>("tessera::acoustic::spare_next", domain().n(), kR);
      spare_phi_ = Field<Real>("tessera::acoustic::spare_phi", domain().n(), kR);
    }
  }

  void reset(const std::string& decomposition) override {
    solver_->set_decomposition(parse_decomposition(decomposition));
    begin(*solver_);
  }

  std::int64_t step(const ExecSpace& exec, const Selected& how, std::int64_t index,
                    std::int64_t left) override {
    return advance(*solver_, source_, exec, how, index, left);
  }

  /// On a grid of the same layers with at most kReducedInner cells inside along an axis, the
  /// source in its middle.
  [[nodiscard]] std::optional<double> storage_error(
      const Selected& how, const std::string& decomposition) const override {
    if (setup_.storage == Storage::plain) return std::nullopt;
    Setup small = setup_;
    const int most = 2 * setup_.pml_cells + kReducedInner;
    small.n = {std::min(n.nx, most), std::min(n.ny, most), std::min(n.nz, most)};
    small.decomposition = parse_decomposition(decomposition);
    const int middle[3] = {small.n.nz / 2, small.n.ny / 2, small.n.nx / 2};
    const auto field_in = [&](Storage storage) {
      small.storage = storage;
      Solver<Real> solver(small);
      solver.set_velocity(experiment_.velocity);
      solver.expect_peak(expected_peak());
      begin(solver);
      const SourceCells source = source_in(solver.domain(), middle);
      const ExecSpace exec;
      for (std::int64_t step = 0; step < steps;)
        step += advance(solver, source, exec, how, step, 1);
      exec.fence();
      std::vector<Real> u = to_host(solver.u_values());
      for (Real& value : u) value = static_cast<Real>(value / solver.scale());
      return u;
    };
    return relative_difference(field_in(setup_.storage), field_in(Storage::plain));
  }

  [[nodiscard]] std::string not_finite() const override {
    return overflow_remark(setup_.storage, storage_scale(expected_peak(), setup_.storage_scale));
  }

  [[nodiscard]] ValueRange range() const override { return solver_->range(); }
  [[nodiscard]] double bound() const override {
    double added = experiment_.random ? 1 : 0;
    // The wavelet is over after four of its times 1 / sigma.
    const auto last = static_cast<std::int64_t>(4 / (0.6 * setup_.f_max * setup_.dt()));
    for (std::int64_t k = 0; experiment_.source && k < std::min(steps, last); ++k)
      added += std::abs(wavelet(k));
    return kGrownWithoutBound * added;
  }

  [[nodiscard]] Verdict verify_small(const Selected& how, const std::string& decomposition,
                                     std::uint64_t seed) const override {
    const Decomposition kind = parse_decomposition(decomposition);
    return verify_here_and_on_ranks(
        parallel, kept_by<Real>(how, kind, setup_.layer_kind),
        [&](const Kept& kept) {
          return verify_each(ragged_grids(), [&](const RaggedGrid& grid) {
            return verify_on<Real>(grid, how, kind, seed, kept, setup_.layer_kind);
          });
        },
        [&] { return verify_on_ranks<Real>(parallel, how, kind, seed, setup_); });
  }

  [[nodiscard]] Verdict verify_at_size(const Selected& how, const std::string& decomposition,
                                       const Registry& registry) override {
    if (!experiment_.verify_at_size) return {};
    solver_->set_decomposition(parse_decomposition(decomposition));
    return agreed(parallel.ranks,
                  verify_against_naive(*solver_, how, registry.find("acoustic/naive"), spare_next_,
                                       spare_phi_));
  }

 private:
  static constexpr int kReducedInner = 40;

  [[nodiscard]] static SourceCells source_in(const Domain& domain, const int (&at)[3]) {
    return {domain, {at[0], at[0] + 1, at[1], at[1] + 1, at[2], at[2] + 1}, {1.0}};
  }
  void begin(Solver<Real>& solver) const {
    experiment_.random ? solver.set_random(experiment_.seed) : solver.set_zero();
  }
  /// What u reaches by the wavelet's peak (at t = tau / sigma).
  [[nodiscard]] double expected_peak() const {
    if (!experiment_.source) return kRandomPeak;
    const double moved = experiment_.velocity * setup_.dt();
    const double h = *std::max_element(setup_.h.begin(), setup_.h.end());
    const double amplitude = std::abs(paper_wavelet(1 / (0.6 * setup_.f_max), setup_.f_max));
    return std::max(acoustic::expected_peak(amplitude, h, moved * moved),
                    experiment_.random ? kRandomPeak : 0);
  }
  std::int64_t advance(Solver<Real>& solver, const SourceCells& cells, const ExecSpace& exec,
                       const Selected& how, std::int64_t index, std::int64_t left) const {
    PassSource source = cells.source();
    const int made = solver.steps_of_pass(how, left);
    for (int k = 0; k < made; ++k) source.amplitude[k] = wavelet(index + k);
    solver.advance_pass(exec, how, made, {&source, experiment_.source ? 1U : 0U});
    return made;
  }
  [[nodiscard]] double wavelet(std::int64_t step) const {
    return paper_wavelet(static_cast<double>(step) * setup_.dt(), setup_.f_max);
  }

  Setup setup_;
  Experiment experiment_;
  std::vector<Selected> configurations_;  // that will run
  std::unique_ptr<Solver<Real>> solver_;
  SourceCells source_;
  Field<Real> spare_next_, spare_phi_;
};

const keys::KeyTable<Experiment>& experiment_keys() {
  using keys::between, keys::fetched, keys::key;
  std::vector<std::string> decompositions;
  for (const Decomposition kind : kDecompositions) decompositions.emplace_back(to_string(kind));
  static const keys::KeyTable<Experiment> table(
      {.name = "acoustic"},
      {key("velocity", &Experiment::velocity, between(1e-6, 1e9), "m/s",
           "Velocity of the medium, everywhere; above v_max / cfl the time step is unstable and "
           "refused")
           .in_details(),
       keys::choice("source", &Experiment::source,
                    {{"paper", true}, {"none", false}, {"seed", true}},
                    "Sai's wavelet added to u⁺ unscaled (Algorithm 1), or no source. \"seed\" is "
                    "the older word for \"paper\"")
           .usually("paper, with random data none"),
       fetched<std::vector<std::int64_t>, Experiment>("source_at", keys::at_least(0), "",
                                                      "The source's cell x, y, z")
           .list_of(3)
           .usually("[nx/2, ny/2, nz/2]"),
       fetched<std::vector<std::string>, Experiment>(
           "decomposition", keys::one_of(decompositions), "",
           "Regions of a step: one launch with branches; inner and the whole shell; inner, top, "
           "bottom, front, back, left, right; _concurrent: each on an execution-space instance of "
           "its own. Or a list, each once, to compare",
           "\"seven\"")});
  return table;
}

/// What of the deck changes numbers or traffic, the size aside. The layers always; the rest where
/// it is not as usual.
std::string details_of(const Setup& s, const Experiment& e) {
  ProblemIdentity details;
  details.word(setup_keys().details(s)).word(experiment_keys().details(e));
  if (e.random) details.add("init", "random").add_unless(Experiment{}.seed, "seed", e.seed);
  if (e.source == e.random) details.add("source", e.source ? "paper" : "none");
  const std::array<int, 3> middle = {s.n.nx / 2, s.n.ny / 2, s.n.nz / 2};
  const std::array<int, 3> at = {e.source_at[2], e.source_at[1], e.source_at[0]};
  if (e.source && at != middle) {
    details.add("source_at", fmt::format("{},{},{}", at[0], at[1], at[2]));
  }
  return details.text();
}

}  // namespace

std::unique_ptr<Case> make_case(const io::Deck& deck) {
  const CaseKeys c = read_case(deck, {{"acoustic/iso25"}, "float", {"zero", "random"}});
  Setup setup = read_setup(deck);
  Experiment e;
  e.seed = c.seed;
  e.random = c.init == "random";
  e.source = !e.random;
  e.verify_at_size = c.verify_at_size;
  experiment_keys().read(deck, e);
  const auto at = deck.get<std::vector<std::int64_t>>(
      "acoustic.source_at", {setup.n.nx / 2, setup.n.ny / 2, setup.n.nz / 2});
  require(at[0] < setup.n.nx && at[1] < setup.n.ny && at[2] < setup.n.nz,
          "{}: the cell x, y, z is not within the grid", deck.where("acoustic.source_at"));
  for (int d = 0; d < 3; ++d) e.source_at[d] = static_cast<int>(at[2 - d]);

  const std::string question =
      velocity_question(std::min(e.velocity, setup.v_max), std::max(e.velocity, setup.v_max),
                        "km/s? acoustic.velocity and acoustic.v_max are in m/s");
  if (!question.empty()) warn(question);
  auto made = make_in<AcousticCase>(value_bytes(c.precision), setup, e);
  made->details = details_of(setup, e);
  made->decompositions = deck.get<std::vector<std::string>>("acoustic.decomposition", {"seven"});
  require_listed_once(made->decompositions, deck.where("acoustic.decomposition"));
  return made;
}

namespace {

std::unique_ptr<Case> make_verify_case(const Problem& problem) {
  Setup setup;
  setup.n = {55, 55, 55};
  setup.pml_cells = 5;  // as on the ragged grids, so that plans are of regions like theirs
  auto made = make_in<AcousticCase>(problem.value_bytes, setup, Experiment{});
  made->decompositions.clear();
  for (const Decomposition kind : distinct_decompositions()) {
    made->decompositions.emplace_back(to_string(kind));
  }
  return made;
}

}  // namespace

Family family() {
  keys::Table table = setup_keys().table();
  const auto& more = experiment_keys().table().keys;
  table.keys.insert(table.keys.end(), more.begin(), more.end());
  return {"acoustic", {"acoustic/iso25"}, make_case, make_verify_case, {table}};
}

}  // namespace tessera::acoustic
