// SPDX-License-Identifier: Apache-2.0
// `tessera plan`: EBISU's decisions for the A100, and bad input.
#include <string>

#include "fixtures/cli_fixture.hpp"

namespace tessera::test {
namespace {

std::string machine(const std::string& name) {
  std::string path(TESSERA_SOURCE_DIR);
  path += "/inputs/machines/";
  return path + name + ".json";
}

TEST(PlanCommand, ReproducesTheSeedsDecisions) {
  const Outcome flat = run_program({"plan", "j2d5pt", "--machine", machine("A100")});
  EXPECT_EQ(flat.status, 0) << flat.err;
  for (const char* part : {"256 x 4", "t = 6.27", "SM tiling", "t = 7", "computed addresses",
                           "94.5 %", "docs/errata.md"}) {
    EXPECT_TRUE(has(flat.out, part));
  }
  const Outcome deep = run_program({"plan", "jacobi/j3d7pt", "--machine", machine("A100")});
  EXPECT_EQ(deep.status, 0) << deep.err;
  for (const char* part : {"t = 18.34", "352 KiB", "device tiling", "t = 8", "shifted addresses",
                           "22.3 x 22.3", "valid 65.5 %"}) {
    EXPECT_TRUE(has(deep.out, part));
  }
}

TEST(PlanCommand, TakesTheDepthOfItsOwnTableWhereScratchNeverBinds) {
  const Outcome outcome = run_program({"plan", "j3d7pt", "--machine", machine("V100")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "from t = infinity on")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "SM tiling of 32 x 32 tiles, t = 4")) << outcome.out;
}

TEST(PlanCommand, SetsWhatThePaperPrintedBeside) {
  const Outcome here = run_program({"plan", "j2d5pt", "--machine", machine("A100")});
  for (const char* part : {"t = 12 on an A100 (Table 3)", "440 GCell/s", "482 GCell/s"}) {
    EXPECT_TRUE(has(here.out, part)) << here.out;
  }
  const Outcome other = run_program({"plan", "j2d5pt", "--machine", machine("H100")});
  EXPECT_TRUE(has(other.out, "(Table 3)"));
  EXPECT_FALSE(has(other.out, "440 GCell/s"));
}

TEST(PlanCommand, PlansForOtherMachinesAndPrecisions) {
  for (const char* name : {"H100", "H200"}) {
    for (const char* stencil : {"j2d25pt", "j3d13pt", "poisson"}) {
      for (const char* precision : {"float", "double"}) {
        const Outcome outcome =
            run_program({"plan", stencil, "--machine", machine(name), "--precision", precision});
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_TRUE(has(outcome.out, "plan: "));
      }
    }
  }
}

TEST(PlanCommand, RefusesWhatItDoesNotKnow) {
  expect_error(run_program({"plan", "j3d8pt", "--machine", machine("A100")}), {"j3d8pt", "j3d7pt"});
  expect_error(run_program({"plan", "j3d7pt", "--machine", "A1000"}), {"A1000", "A100, H100"});
  expect_error(run_program({"plan", "j3d7pt", "--precision", "half"}), {"half"});
  expect_error(run_program({"plan"}), {"stencil"});
}

}  // namespace
}  // namespace tessera::test
