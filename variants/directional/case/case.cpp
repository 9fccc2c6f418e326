// SPDX-License-Identifier: Apache-2.0
// The directional family as commands see it, and its deck keys.
#include "variants/directional/case/case.hpp"

#include "base/case/deck_keys.hpp"
#include "base/case/listed_once.hpp"
#include "base/support/error.hpp"
#include "base/support/precision.hpp"
#include "base/support/problem_identity.hpp"
#include "variants/directional/case/verify.hpp"

#include <algorithm>

namespace tessera::directional {
namespace {

// The layouts to compare are distinguished by the name in `decomposition`.
constexpr const char* kAligned = "aligned";
constexpr const char* kUnaligned = "unaligned";
constexpr const char* kAligned256 = "aligned256";

RowAlignment rows_of(const std::string& layout) {
  return layout == kAligned     ? RowAlignment::line
         : layout == kUnaligned ? RowAlignment::vector
                                : RowAlignment::lines;
}

/// A step is one pass: the input is never written, so that every step computes the same.
template <class Real>
class DirectionalCase : public Case {
 public:
  DirectionalCase(const Setup& setup, std::uint64_t seed, bool verify_at_size)
      : Case("directional", stencil_name(setup.op), kPrecisionName<Real>, setup.n),
        setup_(setup),
        seed_(seed),
        verify_at_size_(verify_at_size) {}

  [[nodiscard]] comm::RankGrid rank_grid() const override {
    return Solver<Real>::rank_grid(setup_, parallel);
  }
  [[nodiscard]] comm::HaloShape halo_shape() const override {
    return {setup_.op.radius, comm::Reach::faces, 1};
  }
  [[nodiscard]] comm::Halo* halo() const override {
    return solvers_.empty() ? nullptr : solvers_[current_]->halo();
  }

  [[nodiscard]] std::int64_t memory_bytes() const override {
    std::int64_t bytes = 0;
    for (const auto& layout : decompositions) {
      bytes += (verify_at_size_ ? 3 : 2) * Solver<Real>::cube_bytes(with_layout(layout), parallel);
    }
    return bytes;
  }

  [[nodiscard]] StepWork work() const override {
    const auto cells = static_cast<double>(n.cells());
    return {cells, 2 * sizeof(Real) * cells, flops(setup_.op) * cells};
  }

  [[nodiscard]] std::vector<Region> regions(const std::string& /*layout*/) const override {
    return {whole_region(domain().n())};
  }

  void allocate() override {
    for (const auto& layout : decompositions) {
      const Setup s = with_layout(layout);
      solvers_.push_back(std::make_unique<Solver<Real>>(s, parallel));
      solvers_.back()->set_random(seed_);
      spares_.emplace_back();
      if (verify_at_size_) {
        spares_.back() = Field<Real>("tessera::directional::spare", domain().n(),
                                     halo_width(s.op.radius), Real(0), s.rows);
      }
    }
  }

  void reset(const std::string& layout) override {
    current_ = index_of(layout);
    if (!dirty_) return;
    for (auto& solver : solvers_) solver->set_random(seed_);
    dirty_ = false;
  }

  std::int64_t step(const ExecSpace& exec, const Selected& how, std::int64_t /*index*/,
                    std::int64_t /*left*/) override {
    solvers_[current_]->pass(exec, how);
    return 1;
  }

  [[nodiscard]] ValueRange range() const override { return solvers_[current_]->range(); }

  [[nodiscard]] Verdict verify_small(const Selected& how, const std::string& layout,
                                     std::uint64_t seed) const override {
    return verify_here_and_on_ranks(
        parallel, ragged_grids(),
        [&](const Extents& grid) {
          return verify_on<Real>(grid, setup_.op, rows_of(layout), how, seed);
        },
        [&] { return verify_on_ranks<Real>(parallel, setup_.op, rows_of(layout), how, seed); });
  }

  [[nodiscard]] Verdict verify_at_size(const Selected& how, const std::string& layout,
                                       const Registry& registry) override {
    if (!verify_at_size_) return {};
    dirty_ = true;
    const std::size_t i = index_of(layout);
    return agreed(parallel.ranks,
                  verify_against_baseline(*solvers_[i], how, registry.find("directional/baseline"),
                                          spares_[i]));
  }

 private:
  [[nodiscard]] Setup with_layout(const std::string& layout) const {
    Setup s = setup_;
    s.rows = rows_of(layout);
    return s;
  }
  [[nodiscard]] std::size_t index_of(const std::string& layout) const {
    return static_cast<std::size_t>(
        std::find(decompositions.begin(), decompositions.end(), layout) - decompositions.begin());
  }

  Setup setup_;
  std::uint64_t seed_;
  bool verify_at_size_;
  bool dirty_ = false;  // the check at run size has changed the cubes
  std::size_t current_ = 0;
  std::vector<std::unique_ptr<Solver<Real>>> solvers_;  // one a layout
  std::vector<Field<Real>> spares_;
};

const keys::KeyTable<Setup>& directional_keys() {
  using keys::between, keys::Detail, keys::key, keys::one_of;
  static const keys::KeyTable<Setup> table(
      {.name = "directional", .meaning = "Directional differences (AMD)"},
      {key("h", &Setup::h, between(1e-6, 1e6), "m", "Grid spacing; one number, or [hx, hy, hz]")
           .in_details(Detail::always),
       keys::fetched<std::vector<std::string>, Setup>(
           "rows", one_of({kAligned, kUnaligned, kAligned256}), "",
           "The first cell of each row on a 128-byte line (aligned), on 16 bytes only, or on 256 "
           "bytes; or a list, each once, to compare",
           "\"aligned\"")});
  return table;
}

/// xyz-r4 first, which decks compute that name none.
std::vector<std::string> names_for_decks() {
  std::vector<std::string> names = stencil_names();
  std::rotate(names.begin(), std::find(names.begin(), names.end(), "directional/xyz-r4"),
              names.end());
  return names;
}

std::unique_ptr<Case> make_case(const io::Deck& deck) {
  const CaseKeys c = read_case(deck, {names_for_decks()});
  Setup setup;
  setup.op = parse_stencil(c.stencil);
  setup.n = read_extents(deck);
  directional_keys().read(deck, setup);
  const auto layouts = deck.get<std::vector<std::string>>("directional.rows", {kAligned});
  require_listed_once(layouts, deck.where("directional.rows"));
  auto made = make_in<DirectionalCase>(value_bytes(c.precision), setup, c.seed, c.verify_at_size);
  made->details = ProblemIdentity()
                      .word(directional_keys().details(setup))
                      .add_unless(CaseKeys{}.seed, "seed", c.seed)
                      .text();
  made->decompositions = layouts;
  return made;
}

std::unique_ptr<Case> make_verify_case(const Problem& problem) {
  Setup setup;
  setup.op = parse_stencil(problem.stencil);
  setup.n = {50, 50, 50};
  auto made = make_in<DirectionalCase>(problem.value_bytes, setup, 1, false);
  made->decompositions = {kAligned, kUnaligned};
  return made;
}

}  // namespace

Family family() {
  return {
      "directional", stencil_names(), make_case, make_verify_case, {directional_keys().table()}};
}

}  // namespace tessera::directional
