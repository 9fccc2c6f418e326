// SPDX-License-Identifier: Apache-2.0
// `tessera list --resources`: rows by region, the compiler's registers, published columns beside.
#include <algorithm>
#include <string>

#include "fixtures/cli_fixture.hpp"
#include "fixtures/paths.hpp"

namespace tessera::test {
namespace {

TEST_F(Cli, ResourcesGoByRegions) {
  const Arguments common = {"list", "--resources", "--deck",
                            deck(), "--set",       "acoustic.decomposition=[\"seven\"]"};
  Arguments arguments = common;
  arguments.emplace_back("--json");
  const Outcome outcome = run_program(arguments);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json rows = json::parse(outcome.out);
  ASSERT_EQ(rows.size(), 4U) << "one configuration; opposite slabs are one row";
  const char* regions[] = {"inner", "top/bottom", "front/back", "left/right"};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].at("region"), regions[i]);
    EXPECT_EQ(rows[i].at("name"), "acoustic/gmem:8x8x8");
    EXPECT_TRUE(rows[i].at("registers").is_null()) << "no table was given";
  }
  // 24 x 22 x 20 cells, layers of 3: 18 x 16 x 14 inside, slabs of 24 x 22 x 3.
  EXPECT_EQ(rows[0].at("league"), 3 * 2 * 2);
  EXPECT_EQ(rows[1].at("league"), 3 * 3 * 1);
  const Outcome table = run_program(common);
  for (const char* part : {"threads", "teams", "registers", "occupancy %", "seven top/bottom"})
    EXPECT_TRUE(has(table.out, part));
}

TEST_F(Cli, ResourcesTakeTheCompilersTable) {
  const std::string csv_file = (folder_ / "registers.csv").string();
  write_text(csv_file,
             "variant,tile,precision,update,registers,spill_store_bytes\n"
             "acoustic/gmem,8x8x8,float,inner,40,0\nacoustic/gmem,8x8x8,float,pml,48,12\n");
  const json rows = json::parse(
      run_program({"list", "acoustic/gmem:8x8x8", "--resources", "--registers", csv_file, "--json"})
          .out);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].at("registers"), 40);
  EXPECT_EQ(rows[1].at("registers"), 48);
  EXPECT_EQ(rows[1].at("spilled_bytes"), 12);
  // A team of one thread has no occupancy; a device's is a share of its warps.
  if (rows[0].at("team") == 1) {
    EXPECT_TRUE(rows[0].at("warps").is_null());
  } else if (!rows[0].at("occupancy").is_null()) {
    EXPECT_GT(rows[0].at("occupancy").get<double>(), 0);
    EXPECT_LE(rows[0].at("occupancy").get<double>(), 1);
  }
}

TEST_F(Cli, ResourcesStandBesideTheSeedsTable) {
  const std::string table3 = std::string(tessera::source_directory()) + "/inputs/sai-table3.toml";
  const Outcome outcome =
      run_program({"list", "acoustic/gmem:8x8x8", "--resources", "--deck", table3});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part : {"V100", "1685159", "56644", "66.4", "75.0"}) {
    // 66.4 is the achieved occupancy, which is not a resource.
    EXPECT_EQ(has(outcome.out, part) ? 1 : 0, std::string(part) == "66.4" ? 0 : 1) << part;
  }
  // The regions of the case give the paper's grid sizes wherever the paper's rule does.
  EXPECT_TRUE(has(outcome.out, "1685159  1685159") || has(outcome.out, "1685159   1685159"))
      << outcome.out;
}

TEST_F(Cli, ResourcesRefuseBadInput) {
  const auto refused = [&](const Arguments& more, const Arguments& parts) {
    Arguments arguments = {"list", "--resources"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_error(run_program(arguments), parts);
  };
  refused({"--registers", "absent.csv"}, {"absent.csv", "no such file"});
  refused({"--registers", deck()}, {"tiny.toml", "not a table of kernel resources"});
  refused({"--deck", deck(), "--set", "case.nxx=3"}, {"case.nxx"});
  refused({"--deck", deck(), "--set", "output.published=none.toml"}, {"none.toml"});
  refused({"acoustic/gmen"}, {"acoustic/gmen", "acoustic/gmem"});
  refused({"--tag", "nope"}, {"--tag nope: no variant has it"});
  refused({"--deck", deck(), "low_order/baseline"},
          {"nothing of low_order/baseline computes the stencil of", "nothing to list"});
  expect_error(run_program({"list", "acoustic/gmem", "--tag", "temporal"}),
               {"nothing of acoustic/gmem has the tag temporal"});
  expect_error(run_program({"list", "--registers", "a.csv"}), {"--resources"});
}

}  // namespace
}  // namespace tessera::test
