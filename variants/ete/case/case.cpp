// SPDX-License-Identifier: Apache-2.0
// The ete family as commands see it, and its deck keys.
#include "variants/ete/case/case.hpp"

#include "base/case/deck_keys.hpp"
#include "base/registry/neighbours.hpp"
#include "base/support/console.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"
#include "base/support/precision.hpp"
#include "base/support/problem_identity.hpp"
#include "base/support/velocity_units.hpp"
#include "variants/ete/case/solver.hpp"
#include "variants/ete/case/verify.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>

namespace tessera::ete {
namespace {

const std::vector<std::string> kStencils = {"ete/37pt", "ete/73pt"};

/// What [ete] says.
struct EteKeys {
  int velocities = kPaperColumns;
  double v_min = 1500, v_max = 4500, alpha_max = 0.4;
  std::array<double, 2> h = {10, 10};  ///< hx = hy, hz
  ColumnPattern spread = ColumnPattern::random;
};

const keys::KeyTable<EteKeys>& ete_keys() {
  using keys::any, keys::between, keys::Detail, keys::key;
  static const keys::KeyTable<EteKeys> table(
      {.name = "ete", .meaning = "Variable-coefficient ETE stencils (Fang)"},
      {key("velocities", &EteKeys::velocities, between(1, 1 << 20), "",
           "Columns of the coefficient table, evenly from v_min to v_max; over 65536 take an index "
           "of 32 bits")
           .in_details(Detail::always),
       key("v_min", &EteKeys::v_min, between(1e-3, 1e5), "m/s", "Velocity of the first column")
           .in_details(),
       key("v_max", &EteKeys::v_max, between(1e-3, 1e5), "m/s", "Velocity of the last column")
           .in_details(),
       key("alpha_max", &EteKeys::alpha_max, between(1e-6, 10), "",
           "v_max Δt / h; sets the time step. Beyond the stable limit it is refused")
           .in_details(),
       key("h", &EteKeys::h, between(1e-9, 1e9), "m",
           "Grid spacing; one number, or [hx, hz] with hy = hx"),
       keys::choice(
           "model", &EteKeys::spread,
           {{"random", ColumnPattern::random},
            {"layered", ColumnPattern::layered},
            {"smooth", ColumnPattern::smooth}},
           "How columns are spread over the grid: each cell its own; 64 slabs along z; rising "
           "with z, gentle waves along x and y"),
       keys::fetched<std::string, EteKeys>("table", any(), "",
                                           "A table that tessera fit -o saved, instead of a fit")});
  return table;
}

/// What a deck says besides the coefficients.
struct Experiment {
  ColumnPattern spread = ColumnPattern::random;
  bool random = true;  ///< initial data; else zero except for one cell
  std::uint64_t seed = 1;
  bool verify_at_size = true;
};

template <class Real>
class EteCase : public Case {
 public:
  EteCase(const Extents& grid, CoefficientTable table, const Experiment& experiment)
      : Case("ete", fmt::format("ete/{}pt", table.points), kPrecisionName<Real>, grid),
        table_(std::move(table)),
        isotropic_(table_.isotropic()),
        experiment_(experiment) {}

  [[nodiscard]] Problem problem() const override {
    Problem p = Case::problem();
    p.columns = table_.columns();
    p.isotropic = isotropic_;
    p.neighbours = neighbours_of(model, p.columns);
    return p;
  }

  [[nodiscard]] comm::RankGrid rank_grid() const override {
    return Solver<Real>::rank_grid(n, parallel);
  }
  [[nodiscard]] comm::HaloShape halo_shape() const override { return {kR, comm::Reach::edges, 1}; }
  [[nodiscard]] comm::Halo* halo() const override { return solver_ ? solver_->halo() : nullptr; }
  [[nodiscard]] std::string refused_on_ranks(const Selected& how) const override {
    return ete::refused_on_ranks(how);
  }

  [[nodiscard]] std::int64_t memory_bytes() const override {
    return Solver<Real>::memory_bytes(domain().n(), table_.columns()) +
           (experiment_.verify_at_size
                ? field_bytes(domain().n(), kR, static_cast<int>(sizeof(Real)))
                : 0);
  }

  [[nodiscard]] StepWork work() const override {
    const auto cells = static_cast<double>(n.cells());
    Plan plan;
    add_costs(plan, table_.points, problem());
    return {cells, plan.minimal_elements * sizeof(Real) * cells, plan.flops * cells};
  }

  [[nodiscard]] std::vector<Region> regions(const std::string& /*decomposition*/) const override {
    return {Solver<Real>::whole_grid(domain().n())};
  }

  void allocate() override {
    solver_ = std::make_unique<Solver<Real>>(n, table_, parallel);
    solver_->set_columns(experiment_.spread, experiment_.seed + 17);
    if (experiment_.verify_at_size)
      spare_ = Field<Real>("tessera::ete::spare_next", domain().n(), kR);
  }

  void reset(const std::string& /*decomposition*/) override {
    if (experiment_.random) {
      solver_->set_random(experiment_.seed);
    } else {
      solver_->set_zero();
      const ExecSpace exec;
      solver_->inject(exec, n.nz / 2, n.ny / 2, n.nx / 2, 1.0);
      solver_->advance();
      exec.fence();
    }
  }

  std::int64_t step(const ExecSpace& exec, const Selected& how, std::int64_t /*index*/,
                    std::int64_t /*left*/) override {
    solver_->update(exec, how);
    solver_->advance();
    return 1;
  }

  [[nodiscard]] ValueRange range() const override { return solver_->range(); }
  [[nodiscard]] double bound() const override { return kGrownWithoutBound; }

  [[nodiscard]] Verdict verify_small(const Selected& how, const std::string& /*decomposition*/,
                                     std::uint64_t seed) const override {
    return verify_here_and_on_ranks(
        parallel, ragged_grids(),
        [&](const RaggedGrid& grid) { return verify_on<Real>(grid, table_.points, how, seed); },
        [&] { return verify_on_ranks<Real>(parallel, table_.points, how, seed); });
  }

  [[nodiscard]] Verdict verify_at_size(const Selected& how, const std::string& /*decomposition*/,
                                       const Registry& registry) override {
    if (!experiment_.verify_at_size) return {};
    return agreed(parallel.ranks,
                  verify_against_base(*solver_, how, registry.find("ete/base_simd"), spare_));
  }

 private:
  CoefficientTable table_;
  bool isotropic_;
  Experiment experiment_;
  std::unique_ptr<Solver<Real>> solver_;
  Field<Real> spare_;
};

/// What of the coefficients distinguishes one case from another.
ProblemIdentity table_details(const FitDeck& fit) {
  ProblemIdentity details;
  if (!fit.saved) {
    const EteKeys usual,
        own{static_cast<int>(fit.alpha.size()), fit.v_min, fit.v_max, fit.alpha.back()};
    return details.word(ete_keys().details(own))
        .add_unless(usual.h[0], "h", fit.hx)
        .add_unless(1.0, "hz_to_hx", fit.options.z_spacing)
        .word(fit_keys().details(fit.options))
        .word(fit.options.stabilise ? "" : "unstabilised");
  }
  return details.add("velocities", fit.saved->table.columns())
      .add("table",
           fmt::format("{}#{:08x}", std::filesystem::path(fit.saved->path).filename().string(),
                       fit.saved->digest));
}

std::string details_of(const FitDeck& fit, const Experiment& e) {
  return table_details(fit)
      .word(e.random ? "" : "init=zero")
      .add_unless(Experiment{}.seed, "seed", e.seed)
      .text();
}

std::unique_ptr<Case> make_case(const io::Deck& deck) {
  const Extents n = read_extents(deck);
  const CaseKeys c = read_case(deck, {kStencils, "float", {"random", "zero"}});
  const int bytes = value_bytes(c.precision);
  EteKeys keys;
  ete_keys().read(deck, keys);
  const Experiment e{keys.spread, c.init == "random", c.seed, c.verify_at_size};
  const std::string spread = deck.get("ete.model", "random");
  const FitDeck fit = read_fit(deck);
  if (!Kokkos::is_initialized()) {
    // A prediction needs the number of columns, not their values, and cannot fit them.
    auto predicted =
        make_in<EteCase>(bytes, n,
                         fit.saved ? fit.saved->table
                                   : random_table(fit.points, static_cast<int>(fit.alpha.size()),
                                                  fit.options.z_spacing == 1, 1),
                         e);
    predicted->model = spread;
    predicted->details = details_of(fit, e);
    return predicted;
  }
  JudgedTable made = make_table(fit);
  require_stable(made.quality, deck.name());
  std::string remark = describe_quality(made.quality, fit.options.band);
  auto study_case = make_in<EteCase>(bytes, n, made.table, e);
  study_case->model = spread;
  study_case->details = details_of(fit, e);
  study_case->remarks.push_back(std::move(remark));
  return study_case;
}

std::unique_ptr<Case> make_verify_case(const Problem& problem) {
  const int points = problem.stencil == "ete/37pt" ? 37 : 73;
  return make_in<EteCase>(problem.value_bytes, Extents{55, 55, 55},
                          random_table(points, kPaperColumns, true, 1), Experiment{});
}

}  // namespace

namespace {

bool is_near(double a, double b) { return std::abs(a - b) <= 1e-6 * std::abs(b); }

SavedTable read_saved_table(const std::string& path) {
  const std::string text = read_table(path);
  std::uint32_t digest = 2166136261U;  // FNV-1a
  for (const char c : text) digest = (digest ^ static_cast<unsigned char>(c)) * 16777619U;
  return {path, parse_table(text, path), digest};
}

/// Keys of [ete] that say otherwise than the table, in place of which they would be ignored.
void require_like_table(const io::Deck& deck, const FitDeck& fit, const SavedTable& saved) {
  const CoefficientTable& table = saved.table;
  const auto refuse_unless = [&](bool fine, const char* key, const std::string& says) {
    require(fine, "{} contradicts ete.table: {} has {}: remove the key, or fit another table",
            deck.where(key), saved.path, says);
  };
  const double highest = table.alpha.back();
  if (deck.contains("ete.velocities")) {
    refuse_unless(fit.alpha.size() == table.alpha.size(), "ete.velocities",
                  fmt::format("{} velocities", table.columns()));
  }
  if (deck.contains("ete.alpha_max")) {
    refuse_unless(is_near(fit.alpha.back(), highest), "ete.alpha_max",
                  fmt::format("alpha up to {:.6g}", highest));
  }
  for (const char* key : {"ete.v_min", "ete.v_max"}) {
    // For a single velocity the table only gives its alpha.
    if (table.columns() == 1 || !deck.contains(key)) continue;
    refuse_unless(is_near(fit.v_min / fit.v_max, table.alpha.front() / highest), key,
                  fmt::format("v_min / v_max = {:.6g}, the deck {:.6g}",
                              table.alpha.front() / highest, fit.v_min / fit.v_max));
  }
  require(is_near(fit.options.z_spacing, table.z_spacing),
          "{}: {} is for h_z / h_x = {:.6g}, the deck has {:.6g}: set ete.h = [{:g}, {:g}], or fit "
          "another table",
          deck.where(deck.contains("ete.h") ? "ete.h" : "ete.table"), saved.path, table.z_spacing,
          fit.options.z_spacing, fit.hx, fit.hx * table.z_spacing);
}

/// What a table says takes the place of what a fit would be for.
void take_table(const io::Deck& deck, FitDeck& fit) {
  SavedTable saved = read_saved_table(deck.get_path("ete.table").string());
  require_like_table(deck, fit, saved);
  fit.alpha = saved.table.alpha;
  fit.dt = fit.alpha.back() * fit.hx / fit.v_max;
  fit.saved = std::move(saved);
}

}  // namespace

const keys::KeyTable<FitOptions>& fit_keys() {
  using keys::any, keys::between, keys::key;
  static const keys::KeyTable<FitOptions> table(
      {.name = "fit", .meaning = "The fit of ete coefficients"},
      {key("band", &FitOptions::band, between(1e-3, 1), "",
           "Wavenumbers with |k| h <= band π are fitted")
           .in_details(),
       key("power", &FitOptions::power, between(-4, 8), "",
           "Their weight is (|k| h / (band π))^power")
           .in_details(),
       key("outside", &FitOptions::outside, between(0, 1e6), "", "Weight of the rest of the zone")
           .in_details(),
       key("stabilise", &FitOptions::stabilise, any(), "",
           "Raise that weight, velocity by velocity, until |S| <= 1")});
  return table;
}

FitOptions read_fit_options(const io::Deck& deck) {
  FitOptions o;
  fit_keys().read(deck, o);
  return o;
}

FitDeck read_fit(const io::Deck& deck) {
  FitDeck fit;
  fit.points = read_stencil(deck, kStencils) == kStencils[0] ? 37 : 73;
  EteKeys keys;
  ete_keys().read(deck, keys);
  fit.v_min = keys.v_min;
  fit.v_max = keys.v_max;
  require(fit.v_max >= fit.v_min, "{}: v_max = {} is below v_min = {}", deck.where("ete.v_max"),
          fit.v_max, fit.v_min);
  const std::string question =
      velocity_question(fit.v_min, fit.v_max, "km/s? ete.v_min and ete.v_max are in m/s");
  if (!question.empty()) warn(question);
  fit.hx = keys.h[0];
  fit.dt = keys.alpha_max * fit.hx / fit.v_max;
  for (int i = 0; i < keys.velocities; ++i) {
    const double part = keys.velocities == 1 ? 1.0 : static_cast<double>(i) / (keys.velocities - 1);
    fit.alpha.push_back(std::lerp(fit.v_min, fit.v_max, part) / fit.v_max * keys.alpha_max);
  }
  fit.options = read_fit_options(deck);
  fit.options.z_spacing = keys.h[1] / keys.h[0];
  check(fit.options);
  if (deck.contains("ete.table")) take_table(deck, fit);
  return fit;
}

JudgedTable make_table(const FitDeck& deck) {
  JudgedTable made;
  if (!deck.saved) {
    made.table = fit(deck.points, deck.alpha, deck.options, &made.quality);
    return made;
  }
  made.table = deck.saved->table;
  require(made.table.points == deck.points, "{}: a table of {} points, the stencil has {}",
          deck.saved->path, made.table.points, deck.points);
  made.quality = quality_of(made.table, deck.options.band);
  return made;
}

std::string describe_quality(const std::vector<FitQuality>& quality, double band) {
  double worst = 0, square = 0, growth = -1;
  int weighted = 0;
  for (const FitQuality& q : quality) {
    worst = std::max(worst, q.misfit_max);
    square += q.misfit_rms * q.misfit_rms;
    growth = std::max(growth, q.growth);
    weighted += q.outside > 0 ? 1 : 0;
  }
  return fmt::format(
      "coefficients: {} velocities, v dt / h = {:.4g} to {:.4g}; misfit over |k| h <= {:.3g} pi: "
      "max {:.2e}, rms {:.2e}; largest |S| - 1 = {:.1e} ({}{})",
      quality.size(), quality.front().alpha, quality.back().alpha, band, worst,
      std::sqrt(square / static_cast<double>(quality.size())), growth,
      growth <= FitQuality::kGrowthLimit ? "stable" : "UNSTABLE",
      weighted > 0 ? fmt::format("; {} with weight outside the band", weighted) : "");
}

Family family() {
  return {"ete", kStencils, make_case, make_verify_case, {ete_keys().table(), fit_keys().table()}};
}

}  // namespace tessera::ete
