// SPDX-License-Identifier: Apache-2.0
// A row whose field grows without bound is invalid: of `run` and of `tune`.
#include "program/run/run.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "base/io/deck.hpp"
#include "fixtures/catalogue.hpp"
#include "fixtures/scratch_directory.hpp"

namespace tessera {
namespace {

/// A case of another one's fields and steps, the largest value being `grown` at the end.
class Grown : public Case {
 public:
  Grown(std::unique_ptr<Case> of, double grown)
      : Case("acoustic", of->stencil, "float", of->n), of_(std::move(of)), grown_(grown) {
    steps = of_->steps;
    decompositions = of_->decompositions;
  }
  [[nodiscard]] Problem problem() const override { return of_->problem(); }
  [[nodiscard]] comm::RankGrid rank_grid() const override { return of_->rank_grid(); }
  [[nodiscard]] comm::HaloShape halo_shape() const override { return of_->halo_shape(); }
  [[nodiscard]] comm::Halo* halo() const override { return of_->halo(); }
  [[nodiscard]] std::int64_t memory_bytes() const override { return of_->memory_bytes(); }
  [[nodiscard]] StepWork work() const override { return of_->work(); }
  [[nodiscard]] std::vector<Region> regions(const std::string& kind) const override {
    return of_->regions(kind);
  }
  void allocate() override { of_->allocate(); }
  void reset(const std::string& kind) override { of_->reset(kind); }
  std::int64_t step(const ExecSpace& exec, const Selected& how, std::int64_t index,
                    std::int64_t left) override {
    return of_->step(exec, how, index, left);
  }
  [[nodiscard]] ValueRange range() const override { return {-grown_, 0}; }
  [[nodiscard]] double bound() const override { return of_->bound(); }
  [[nodiscard]] Verdict verify_small(const Selected& /*how*/, const std::string& /*kind*/,
                                     std::uint64_t /*seed*/) const override {
    return {};
  }
  [[nodiscard]] Verdict verify_at_size(const Selected& /*how*/, const std::string& /*kind*/,
                                       const Registry& /*registry*/) override {
    return {};
  }

 private:
  std::unique_ptr<Case> of_;
  double grown_;
};

std::unique_ptr<Case> case_of(const std::string& init, const std::string& source) {
  const io::Deck deck = io::Deck::from_string(
      "[case]\nfamily = \"acoustic\"\nnx = 20\nny = 18\nnz = 16\nsteps = 20\ninit = \"" + init +
          "\"\n[acoustic]\npml_cells = 0\nsource = \"" + source + "\"\n",
      "deck");
  return std::move(make_cases(deck, catalogue().families).front());
}

results::Result row_of(double grown) {
  Grown grown_case(case_of("random", "none"), grown);
  StudyOptions options;
  options.warmup_s = 0;
  return run_study(grown_case, all_variants().select({"acoustic/naive"}), all_variants(), options,
                   std::nullopt, [](double, const std::string&) {})
      .front();
}

TEST(StudyGrowth, AThousandTimesWhatWasPutInIsInvalid) {
  const results::Result sound = row_of(999);
  EXPECT_EQ(sound.status, results::Status::valid) << sound.reason;
  EXPECT_EQ(sound.u_min, -999);
  const results::Result grown = row_of(1001);
  EXPECT_EQ(grown.status, results::Status::invalid);
  EXPECT_TRUE(test::has(grown.reason, "without bound"));
  EXPECT_FALSE(grown.gcell_per_s || grown.u_min);
}

TEST(StudyGrowth, WhatASourceAddsIsPutInToo) {
  const double random = case_of("random", "none")->bound();
  const double source = case_of("zero", "paper")->bound();
  EXPECT_EQ(random, kGrownWithoutBound);
  EXPECT_GT(source, 0);
  EXPECT_DOUBLE_EQ(case_of("random", "paper")->bound(), random + source);
}

}  // namespace
}  // namespace tessera
