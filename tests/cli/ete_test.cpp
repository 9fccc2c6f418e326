// SPDX-License-Identifier: Apache-2.0
// `tessera fit` and `tessera tune` as a user types them, and their bad input.
#include <string>

#include "base/device/space.hpp"
#include "fixtures/cli_fixture.hpp"
#include "variants/ete/case/fit.hpp"

namespace tessera::test {
namespace {

/// A folder with a tiny ete deck.
class CliEte : public testing::Test {
 protected:
  CliEte() {
    write_text(
        deck(),
        "[case]\nfamily = \"ete\"\nstencil = \"37pt\"\nnx = 40\nny = 36\nnz = 24\nsteps = 2\n"
        "[ete]\nvelocities = 21\nalpha_max = 0.4\n"
        "[select]\nvariants = [\"ete/base_simd*\"]\n"
        "[measure]\nwarmup_s = 0.0\nrepetitions = 5\n"
        "[output]\ndirectory = \"" +
            (folder_ / "out").string() + "\"\n");
  }
  [[nodiscard]] std::string deck() const { return (folder_ / "tiny.toml").string(); }
  [[nodiscard]] std::string file(const std::string& name) const {
    return (folder_ / name).string();
  }
  [[nodiscard]] Outcome with(const std::string& command, Arguments more) const {
    std::filesystem::remove_all(folder_ / "out");
    more.insert(more.begin(), {command, deck()});
    return run_program(more);
  }

  ScratchDirectory folder_;
};

/// For tests of what a fit gives: a build without Kokkos Kernels only refuses.
class CliEteFit : public CliEte {
 protected:
  void SetUp() override {
    if (!ete::can_fit()) GTEST_SKIP() << "built without Kokkos Kernels";
  }
};

TEST_F(CliEteFit, FitPrintsMisfitStabilityAndLimit) {
  const Outcome outcome = with("fit", {"-o", file("table.json"), "--csv", file("quality.csv")});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json table = json::parse(read_text(file("table.json")));
  EXPECT_EQ(table.at("columns").size(), 21U);
  EXPECT_TRUE(has(read_text(file("quality.csv")), "column,alpha,misfit_max"));
  // The table that was saved is as good as the fit, and a run takes it.
  const Outcome loaded = with("fit", overrides({"ete.table=" + file("table.json")}));
  EXPECT_EQ(loaded.status, 0) << loaded.err;
  const Outcome run = with("run", overrides({"ete.table=" + file("table.json")}));
  EXPECT_EQ(run.status, 0) << run.err;
}

TEST_F(CliEteFit, UnstableStepsAreRefusedWithTheLimit) {
  const Arguments too_long = overrides({"ete.alpha_max=0.9"});
  expect_error(with("run", too_long), {"unstable", "ete.alpha_max"});
  const Outcome fit = with("fit", too_long);
  EXPECT_EQ(fit.status, 1);
  EXPECT_TRUE(has(fit.out, "UNSTABLE"));
}

TEST_F(CliEte, WithoutKokkosKernelsTheFitIsRefused) {
  if (ete::can_fit()) GTEST_SKIP() << "built with Kokkos Kernels";
  for (const char* command : {"fit", "run", "tune"}) {
    expect_error(with(command, {}), {"Kokkos Kernels", "ete.table"});
  }
}

TEST_F(CliEteFit, TuneFindsAWinnerThatRunTakes) {
  const Arguments files = {"-w", file("tuned.json")};
  const Outcome outcome = with("tune", files);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json winners = json::parse(read_text(file("tuned.json")));
  ASSERT_EQ(winners.at("winners").size(), 2U) << "one a variant";
  EXPECT_EQ(winners.at("winners")[0].at("stencil"), "ete/37pt");
  const Outcome run = with("run", {"--tuned", file("tuned.json")});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(json::parse(read_text(file("out/result.json"))).at("results").size(), 2U);
}

}  // namespace
}  // namespace tessera::test
