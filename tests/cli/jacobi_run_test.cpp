// SPDX-License-Identifier: Apache-2.0
// `tessera run` on the jacobi family: what is attainable stands beside what was measured.
#include <string>

#include "fixtures/cli_fixture.hpp"

namespace tessera::test {
namespace {

TEST_F(Cli, TemporalBlockingIsJudgedByWhatIsAttainable) {
  write_text(deck(),
             "[case]\nfamily = \"jacobi\"\nstencil = \"j2d5pt\"\nnx = 130\nny = 70\nsteps = 16\n"
             "[select]\nvariants = [\"jacobi/step\", \"jacobi/warps\", \"jacobi/skewed\"]\n"
             "[measure]\nwarmup_s = 0\n"
             "[output]\ndirectory = \"" +
                 out() + "\"\n");
  const Outcome outcome = run_deck({});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "% bound"));
  int blocked = 0;
  const json file = read_result();
  for (const json& row : file.at("results")) {
    if (row.at("status") != "valid") continue;
    const json& predicted = row.at("predicted");
    const bool deep = row.at("resources").at("temporal_depth") > 1;
    EXPECT_EQ(predicted.contains("fraction_of_attainable"), deep) << row.at("configuration");
    if (!deep) continue;
    ++blocked;
    const double attainable = predicted.at("attainable_gcell_per_s");
    const double valid = predicted.at("valid_share");
    EXPECT_GT(valid, 0);
    EXPECT_LE(valid, 1);
    // By the model of this machine where it has one, else by the bound.
    const double rate = predicted.at("gcell_per_s");
    if (predicted.contains("stage_s") || predicted.contains("ports")) {
      EXPECT_GT(rate, 0);
      EXPECT_NEAR(
          rate * 1e9 * predicted.at("step_s").get<double>(),
          static_cast<double>(row.at("nx").get<std::int64_t>() * row.at("ny").get<std::int64_t>() *
                              row.at("nz").get<std::int64_t>()),
          1);
    } else {
      EXPECT_DOUBLE_EQ(rate, attainable * valid);
    }
    EXPECT_DOUBLE_EQ(predicted.at("fraction_of_attainable").get<double>(),
                     row.at("gcell_per_s").at("median").get<double>() / attainable);
  }
  EXPECT_GT(blocked, 0);
}

}  // namespace
}  // namespace tessera::test
