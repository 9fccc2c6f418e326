// SPDX-License-Identifier: Apache-2.0
// Plans are made for the machine that is asked about, whichever kind this binary is for.
#include <algorithm>
#include <string>
#include <vector>

#include "base/case/case.hpp"
#include "base/registry/registry.hpp"
#include "base/support/precision.hpp"
#include "fixtures/catalogue.hpp"
#include "fixtures/cli_fixture.hpp"
#include "fixtures/paths.hpp"

namespace tessera::test {
namespace {

const std::string kInputs = std::string(tessera::source_directory()) + "/inputs/";

json rows_of(const Arguments& arguments) {
  const Outcome outcome = run_program(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return json::parse(outcome.out);
}

/// Whether a row's configuration runs on machines of a kind.
bool runs_on_kind(const json& row, MachineKind kind) {
  const std::string name = row.at("name");
  const Registry& registry = catalogue().variants;
  const auto found = registry.select({name}, {}, {}, Tiles::planned);
  EXPECT_EQ(found.size(), 1U) << name;
  const Selected& how = found.front();
  return runs_on(how.variant->configuration(how.configuration).runs_on, kind);
}

/// What Kokkos adds to a view's bytes, by its version.
constexpr int kAlignment = 16;

int scratch_of(const json& row) { return row.at("resources").at("scratch_bytes"); }

TEST(NamedMachine, CountsTheScratchOfItsKind) {
  // A plane of (32 + 8) x (16 + 8) floats, and no column: that lies in registers.
  const json p100 = rows_of({"list", "acoustic/st_reg_fixed:32x16", "--json", "-m", "P100"});
  ASSERT_EQ(p100.size(), 1U);
  EXPECT_NEAR(scratch_of(p100[0]), 3840, kAlignment);
  EXPECT_EQ(p100[0].at("resources").at("team"), 512);
  // A host's one thread keeps nine values a cell besides.
  const json host = rows_of({"list", "acoustic/st_reg_fixed:32x16", "--json", "-m", "KNL7250"});
  ASSERT_EQ(host.size(), 1U);
  EXPECT_NEAR(scratch_of(host[0]), 3840 + 9 * 512 * 4, 2 * kAlignment);
  EXPECT_EQ(host[0].at("resources").at("team"), 1);
  const json described = rows_of({"describe", "st_reg_fixed:32x16", "--json", "-m", "P100"});
  EXPECT_NEAR(scratch_of(described.at("configurations")[0].at("float")), 3840, kAlignment);
  const json predicted = rows_of({"predict", kInputs + "sai-table2.toml", "-v",
                                  "acoustic/st_reg_fixed:32x16", "-m", "P100", "--json"});
  ASSERT_EQ(predicted.size(), 1U);
  EXPECT_NEAR(scratch_of(predicted[0]), 3840, kAlignment);
}

TEST(NamedMachine, ShowsTilesOfItsKindAlone) {
  // By the family's name: builds with few configurations lack tiles that decks name.
  for (const auto& [deck, family] :
       {std::pair{"ebisu-j3d7pt.toml", "jacobi"}, std::pair{"sai-table2.toml", "acoustic"},
        std::pair{"amd-directions.toml", "directional"}, std::pair{"fang-37-random.toml", "ete"}}) {
    for (const auto& [machine, kind] :
         {std::pair{"A100", MachineKind::device}, std::pair{"KNL7250", MachineKind::host}}) {
      const json rows = rows_of({"predict", kInputs + deck, "-m", machine, "--json", "-v", family});
      EXPECT_GT(rows.size(), 4U) << deck;
      for (const json& row : rows) EXPECT_TRUE(runs_on_kind(row, kind)) << machine << row;
    }
  }
}

TEST(NamedMachine, HasItsOwnTilesToo) {
  const std::string precision =
      std::string("case.precision=") + (precision_is_built(8) ? "double" : "float");
  const json rows = rows_of({"predict", kInputs + "ebisu-j3d7pt.toml", "-m", "A100", "--json", "-v",
                             "jacobi", "--set", precision});
  std::vector<std::string> names;
  for (const json& row : rows) names.push_back(row.at("name"));
  const auto count = [&](const std::string& part) {
    return std::count_if(names.begin(), names.end(), [&](const std::string& name) {
      return name.find(part) != std::string::npos;
    });
  };
  EXPECT_GT(count("jacobi/warps:64x32"), 0);
  EXPECT_GT(count(":32x32,t="), 0);
  EXPECT_EQ(count("jacobi/skewed"), 0);
  EXPECT_EQ(count(":128x32"), 0);
  const auto warps = std::find_if(rows.begin(), rows.end(), [](const json& row) {
    return row.at("name") == "jacobi/warps:64x32,t=4";
  });
  ASSERT_NE(warps, rows.end());
  EXPECT_GT(warps->at("gcell_per_s").get<double>(), 0) << *warps;
  EXPECT_EQ(warps->at("resources").at("team"), 256);
  EXPECT_EQ(warps->at("resources").at("launch"), "native");
}

TEST(NamedMachine, SaysOfATileThatIsNamedWhyItDoesNotRunThere) {
  const json device = rows_of({"predict", kInputs + "sai-table2.toml", "-m", "KNL7250", "--json",
                               "-v", "acoustic/two_step"});
  ASSERT_FALSE(device.empty());
  for (const json& row : device) EXPECT_EQ(row.at("unsupported"), "a device's tile");
  const json host = rows_of({"predict", kInputs + "sai-table2.toml", "-m", "A100", "--json", "-v",
                             "acoustic/gmem:fullx16xfull"});
  ASSERT_EQ(host.size(), 1U);
  EXPECT_EQ(host[0].at("unsupported"), "a host's tile");
  expect_error(run_program({"list", "gmem", "-m", "P101"}), {"P101", "P100"});
}

TEST(NamedMachine, CopiesInBulkWhereItHasTheEngine) {
  for (const char* variant : {"directional/fused_async", "acoustic/two_step"}) {
    for (const auto& [machine, has_engine] :
         {std::pair{"H100", true}, std::pair{"A100", false}, std::pair{"MI250X", false}}) {
      const json rows = rows_of({"list", variant, "--json", "-m", machine});
      int bulk = 0;
      for (const json& row : rows) {
        if (!has(row.at("configuration").get<std::string>(), "copies=bulk")) continue;
        ++bulk;
        EXPECT_EQ(has(row.dump(), "no bulk copies"), !has_engine) << machine << row;
      }
      EXPECT_GT(bulk, 0) << variant;
    }
  }
}

TEST(NamedMachine, ChoosesBlocksOfHostsByTheLayerConditions) {
  const json plan = rows_of({"plan", "ete/37pt", "--machine", "KNC5110P", "--json"});
  for (const json& condition : plan.at("conditions")) {
    EXPECT_TRUE(condition.at("configuration").is_string()) << condition;
    EXPECT_GT(condition.at("cached_bytes").get<int>(), 0) << condition;
  }
}

TEST(NamedMachine, SetsThePublishedRatesBeside) {
  const Outcome outcome = run_program(
      {"predict", kInputs + "sai-table2.toml", "-m", "V100", "-v", "acoustic/gmem:8x8x8"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part : {"beside Sai et al., Table II", "predicted / published", "18.560"}) {
    EXPECT_TRUE(has(outcome.out, part)) << part << outcome.out;
  }
  const json rows = rows_of({"predict", kInputs + "sai-table2.toml", "-m", "H100", "--json", "-v",
                             "acoustic/gmem:8x8x8"});
  EXPECT_EQ(rows[0].at("published").at("source"), "Sai et al., Table II");
  EXPECT_NEAR(rows[0].at("published").at("columns")[0].at("value").get<double>(), 18.56, 0.005);
}

TEST(NamedMachine, SetsEveryPublishedQuantityBeside) {
  const auto out = [](const Arguments& arguments) {
    const Outcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  };
  // Sai, Table IV on its V100: rates, flops, volumes, intensities, roofs.
  const std::string sai =
      out({"predict", kInputs + "sai-table4.toml", "-m", "V100", "-v", "acoustic/gmem:8x8x8"});
  for (const char* part :
       {"Table IV, GFLOP/s", "Table IV, flop/cell", "Table IV, DRAM B/cell", "Table IV, L2 B/cell",
        "Table IV, DRAM flop/B", "predicted / published"}) {
    EXPECT_TRUE(has(sai, part)) << part << sai;
  }
  // AMD's bandwidths on its MI250X.
  const std::string amd = out({"predict", kInputs + "amd-directions.toml", "-m", "MI250X", "-v",
                               "directional/baseline:256x1"});
  for (const char* part : {"GB/s effective", "GB/s achieved", "990", "predicted / published"}) {
    EXPECT_TRUE(has(amd, part)) << part << amd;
  }
  // EBISU's own program, beside whatever computes the stencil.
  const std::string ebisu =
      out({"predict", kInputs + "ebisu-j3d7pt.toml", "-m", "H100", "-v", "jacobi/step"});
  for (const char* part : {"EBISU's own program", "348.000", "predicted / published"}) {
    EXPECT_TRUE(has(ebisu, part)) << part << ebisu;
  }
}

TEST(NamedMachine, SweepsOfJacobiArePredicted) {
  for (const char* stencil : {"j2d9pt-gol", "j3d13pt"}) {
    const json rows = rows_of({"predict", kInputs + "ebisu-" + stencil + ".toml", "-m", "H100",
                               "--json", "-v", "jacobi/step", "-v", "jacobi/naive:64x4x1"});
    ASSERT_EQ(rows.size(), 2U);
    for (const json& row : rows) {
      EXPECT_EQ(row.at("unsupported"), "") << row;
      // Two doubles a cell at least; halos add little where planes fit in the L2.
      EXPECT_GE(row.at("volume_bytes_per_cell").at("gm").get<double>(), 15.9) << row;
      EXPECT_LT(row.at("volume_bytes_per_cell").at("gm").get<double>(), 32) << row;
    }
  }
}

TEST(NamedMachine, DeviceTilingCountsBarriers) {
  const auto device_tiles = [](const char* machine) {
    std::vector<json> found;
    for (const json& row : rows_of({"predict", kInputs + "ebisu-j3d7pt.toml", "--json", "-v",
                                    "jacobi/*", "-m", machine})) {
      if (row.contains("barriers")) found.push_back(row);
    }
    EXPECT_FALSE(found.empty()) << machine;
    return found;
  };
  for (const json& row : device_tiles("A100")) {
    const double share = row.at("barrier_share").get<double>();
    EXPECT_GT(share, 0) << row;
    EXPECT_LT(share, 0.9) << row;
    EXPECT_GE(row.at("barriers").get<double>(), 2560) << "one a plane";
    EXPECT_NEAR(row.at("gcell_per_s").get<double>(),
                row.at("attainable_gcell_per_s").get<double>() *
                    row.at("valid_share").get<double>() * share,
                1e-6);
  }
  for (const json& row : device_tiles("V100")) {
    EXPECT_TRUE(row.at("barrier_share").is_null()) << "no barrier_us in its file: " << row;
    if (row.contains("remark")) {
      EXPECT_TRUE(has(row.at("remark").get<std::string>(), "no latency.barrier_us"));
    }
  }
}

}  // namespace
}  // namespace tessera::test
