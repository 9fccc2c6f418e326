// SPDX-License-Identifier: Apache-2.0
// `tessera run` on the directional family: several stencils and layouts in one run, bad input.
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
  const Outcome outcome = run_deck({"--set", "case.stencil=[\"x-r2\", \"xyz-r4\"]", "--set",
                                    "directional.rows=[\"aligned\", \"unaligned\"]"});
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
                                         "directional/xyz-r4 directional/baseline aligned",
                                         "directional/xyz-r4 directional/baseline unaligned",
                                         "directional/xyz-r4 directional/fused_xyz aligned",
                                         "directional/xyz-r4 directional/fused_xyz unaligned"}));
  for (const char* part : {"directional/x-r2 float", "directional/xyz-r4 float", "unaligned"})
    EXPECT_TRUE(has(outcome.out, part));
}

TEST_F(DirectionalCli, ListOfOneStencilIsThatStencil) {
  const Outcome outcome =
      run_deck({"--set", "case.stencil=[\"z-r6\"]", "-v", "directional/window:64x4,v=1,nw=100"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(read_result().at("results")[0].at("stencil"), "directional/z-r6");
}

TEST_F(DirectionalCli, AskedByNameForWhatItDoesNotComputeFails) {
  expect_error(run_deck({"--set", "case.stencil=x-r4", "-v", "directional/lds:64x4,v=1"}),
               {"directional/lds:64x4,v=1", "directional/x-r4"});
}

TEST_F(DirectionalCli, BadInputIsOneLine) {
  const auto refused = [&](const std::string& assignment, const Arguments& parts) {
    SCOPED_TRACE(assignment);
    expect_refused(run_deck({"--set", assignment}), parts);
  };
  refused("case.stencil=xyz-r9", {"case.stencil", "xyz-r9", "nearest"});
  refused("case.stencil=iso25", {"case.stencil", "iso25"});
  refused("case.stencil=[]", {"case.stencil", "empty"});
  refused("case.stencil=[\"x-r4\", \"directional/x-r4\"]", {"directional/x-r4", "twice"});
  refused("case.stencil=[\"x-r4\", \"w-r4\"]", {"w-r4"});
  refused("case.stencil=3", {"case.stencil", "strings"});
  refused("directional.rows=[]", {"directional.rows"});
  refused(R"(directional.rows=["aligned", "aligned"])", {"directional.rows", "there twice"});
  refused("directional.rows=crooked", {"directional.rows", "crooked", "unaligned"});
  refused("directional.h=0", {"directional.h", "1e-06"});
  refused("directional.h=[1, 2]", {"directional.h", "2 values"});
  refused("directional.hx=1", {"unknown key directional.hx", "directional.h"});
  refused("case.nx=0", {"case.nx", "0"});
  refused("acoustic.h=1", {"acoustic"});
}

}  // namespace
}  // namespace tessera::test
