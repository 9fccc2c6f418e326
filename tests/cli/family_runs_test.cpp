// SPDX-License-Identifier: Apache-2.0
// `tessera run` on the directional family, several stencils and layouts in one run, and on jacobi,
// where what is attainable stands beside what was measured.
#include <set>
#include <string>

#include "fixtures/cli_fixture.hpp"

namespace tessera::test {
namespace {

class DirectionalCli : public Cli {
 protected:
  DirectionalCli() {
    write_text(deck(),
               "[case]\nfamily = \"directional\"\nstencil = \"xyz-r4\"\nnx = 37\nny = 11\nnz = 9\n"
               "steps = 2\n"
               "[directional]\nh = [1.0, 2.0, 0.5]\n"
               "[select]\nvariants = [\"directional/baseline:fullx16xfull\", "
               "\"directional/baseline:256x1\", \"directional/fused_xyz:64x4,v=1,nw=5\"]\n"
               "[measure]\nwarmup_s = 0\n"
               "[output]\ndirectory = \"" +
                   out() + "\"\n");
  }
};

TEST_F(DirectionalCli, SeveralStencilsAndLayoutsInOneRun) {
  const Outcome outcome =
      run_deck({"--set", "case.stencil=[\"x-r2\", \"xyz-r4\"]", "--set",
                "directional.rows=[\"aligned\", \"unaligned\", \"aligned256\"]"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json file = read_result();
  EXPECT_EQ(file.at("deck").at("case").at("stencil"), json::parse(R"(["x-r2", "xyz-r4"])"));
  std::set<std::string> seen;
  for (const json& row : file.at("results")) {
    if (row.at("status") == "unsupported") continue;
    EXPECT_EQ(row.at("status"), "valid") << row.at("reason");
    seen.insert(row.at("stencil").get<std::string>() + " " + row.at("variant").get<std::string>() +
                " " + row.at("decomposition").get<std::string>());
    EXPECT_EQ(row.at("predicted").at("bytes_per_cell"), 8);
  }
  // The fused kernel computes xyz only: it is not asked for x.
  EXPECT_EQ(seen, (std::set<std::string>{"directional/x-r2 directional/baseline aligned",
                                         "directional/x-r2 directional/baseline unaligned",
                                         "directional/x-r2 directional/baseline aligned256",
                                         "directional/xyz-r4 directional/baseline aligned",
                                         "directional/xyz-r4 directional/baseline unaligned",
                                         "directional/xyz-r4 directional/baseline aligned256",
                                         "directional/xyz-r4 directional/fused_xyz aligned",
                                         "directional/xyz-r4 directional/fused_xyz unaligned",
                                         "directional/xyz-r4 directional/fused_xyz aligned256"}));
}

TEST_F(DirectionalCli, AskedByNameForWhatItDoesNotComputeFails) {
  expect_error(run_deck({"--set", "case.stencil=x-r4", "-v", "directional/lds:64x4,v=1"}),
               {"directional/lds:64x4,v=1", "directional/x-r4"});
}

TEST_F(DirectionalCli, BadInputIsOneLine) {
  expect_refused(run_deck({"--set", "case.stencil=[\"x-r4\", \"directional/x-r4\"]"}),
                 {"case.stencil", "directional/x-r4"});
  expect_refused(run_deck({"--set", R"(directional.rows=["aligned", "aligned"])"}),
                 {"directional.rows", "aligned"});
  expect_refused(run_deck({"--set", "acoustic.h=1"}), {"acoustic"});
}

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
