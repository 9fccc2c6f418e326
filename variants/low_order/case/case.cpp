// SPDX-License-Identifier: Apache-2.0
// The low_order family as commands see it, and its deck keys.
#include "variants/low_order/case/case.hpp"

#include "base/case/deck_keys.hpp"
#include "base/case/worst.hpp"
#include "base/support/error.hpp"
#include "base/support/precision.hpp"
#include "base/support/problem_identity.hpp"
#include "variants/low_order/case/verify.hpp"

#include <cmath>
#include <limits>

namespace tessera::low_order {
namespace {

template <class Real>
class LowOrderCase : public Case {
 public:
  LowOrderCase(const Setup& setup, std::uint64_t seed, bool at_size)
      : Case("low_order", kStencils[static_cast<int>(setup.stencil)].name, kPrecisionName<Real>,
             setup.n),
        setup_(setup),
        seed_(seed),
        at_size_(at_size) {}

  [[nodiscard]] comm::RankGrid rank_grid() const override {
    return Solver<Real>::rank_grid(setup_, parallel);
  }
  [[nodiscard]] comm::HaloShape halo_shape() const override { return {kR, reach_of(setup_), 1}; }
  [[nodiscard]] comm::Halo* halo() const override { return solver_ ? solver_->halo() : nullptr; }

  [[nodiscard]] std::int64_t memory_bytes() const override {
    return Solver<Real>::memory_bytes(setup_, parallel);
  }

  [[nodiscard]] StepWork work() const override {
    const auto cells = static_cast<double>(n.cells());
    return {cells, sizeof(Real) * facts().arrays * cells, facts().flops * cells};
  }

  [[nodiscard]] std::vector<Region> regions(const std::string& /*decomposition*/) const override {
    return {whole_region(domain().n())};
  }

  void allocate() override { solver_ = std::make_unique<Solver<Real>>(setup_, parallel); }

  void reset(const std::string& /*decomposition*/) override { solver_->set_random(seed_); }

  std::int64_t step(const ExecSpace& exec, const Selected& how, std::int64_t /*index*/,
                    std::int64_t /*left*/) override {
    solver_->update(exec, how);
    solver_->advance();
    return 1;
  }

  [[nodiscard]] ValueRange range() const override { return solver_->range(); }

  [[nodiscard]] Verdict verify_small(const Selected& how, const std::string& /*decomposition*/,
                                     std::uint64_t seed) const override {
    return verify_here_and_on_ranks(
        parallel, ragged_grids(),
        [&](const Extents& grid) {
          Setup small = setup_;
          small.n = grid;
          return verify_on<Real>(small, how, seed);
        },
        [&] { return verify_on_ranks<Real>(parallel, setup_, how, seed); });
  }

  [[nodiscard]] Verdict verify_at_size(const Selected& how, const std::string& /*decomposition*/,
                                       const Registry& /*registry*/) override {
    if (!at_size_) return {};
    const ExecSpace exec;
    solver_->set_random(seed_);
    solver_->update(exec, how);
    exec.fence();
    return verdict_of(solver_->worst_of_step(), n.cells(),
                      "one step at run size differs from the formula");
  }

 private:
  [[nodiscard]] const StencilFacts& facts() const {
    return kStencils[static_cast<int>(setup_.stencil)];
  }

  Setup setup_;
  std::uint64_t seed_;
  bool at_size_;
  std::unique_ptr<Solver<Real>> solver_;
};

const keys::KeyTable<Setup>& low_order_keys() {
  using keys::between, keys::Detail, keys::key;
  static const keys::KeyTable<Setup> table(
      {.name = "low_order", .meaning = "Low-order stencils (Su)"},
      {key("alpha", &Setup::alpha, between(-1e6, 1e6), "",
           "Weight of u (7pt-1), γ (7pt-2, 19pt) or the fluxes (7pt-3)")
           .usually("0.4; 7pt-3: 0.05")
           .in_details(Detail::always),
       key("beta", &Setup::beta, between(-1e6, 1e6), "",
           "Weight of the six neighbours' sum; 7pt-3 has none")
           .usually("0.1")
           .in_details(Detail::always)});
  return table;
}

std::unique_ptr<Case> make_case(const io::Deck& deck) {
  const CaseKeys c = read_case(deck, {stencil_names(), "double"});
  const StencilFacts& facts = facts_of(c.stencil);
  Setup setup{read_extents(deck), facts.stencil, facts.alpha, facts.beta};
  low_order_keys().read(deck, setup);
  const int bytes = value_bytes(c.precision);
  const auto steps = deck.get<std::int64_t>("case.steps");
  const std::int64_t most = most_steps(setup, bytes);
  require(steps <= most,
          "{} = {}: {} with these coefficients may grow past what the precision holds after {} "
          "steps",
          deck.where("case.steps"), steps, facts.name, most);
  auto made = make_in<LowOrderCase>(bytes, setup, c.seed, c.verify_at_size);
  made->details = ProblemIdentity()
                      .word(low_order_keys().details(setup))
                      .add_unless(CaseKeys{}.seed, "seed", c.seed)
                      .text();
  return made;
}

std::unique_ptr<Case> make_verify_case(const Problem& problem) {
  const StencilFacts& facts = facts_of(problem.stencil);
  const Setup setup{{64, 64, 64}, facts.stencil, facts.alpha, facts.beta};
  return make_in<LowOrderCase>(problem.value_bytes, setup, 1, true);
}

}  // namespace

std::int64_t most_steps(const Setup& setup, int value_bytes) {
  const double a = std::abs(setup.alpha);
  const double b = 6 * std::abs(setup.beta);
  double growth = a + b;  // 7pt-1
  if (setup.stencil == Stencil::pt7_2) growth = b;
  if (setup.stencil == Stencil::pt19) growth = b + 12;
  // kappa < 1.5: up to 3 a neighbour; the weights of u are positive up to alpha = 1/18.
  if (setup.stencil == Stencil::pt7_3) growth = a <= 1.0 / 18 && setup.alpha >= 0 ? 1 : 1 + 36 * a;
  if (growth <= 1 + 1e-12) return std::int64_t{1} << 40;
  const double digits = value_bytes == 4 ? std::log(1e37) : std::log(1e307);
  return static_cast<std::int64_t>(digits / std::log(growth));
}

Family family() {
  return {"low_order", stencil_names(), make_case, make_verify_case, {low_order_keys().table()}};
}

}  // namespace tessera::low_order
