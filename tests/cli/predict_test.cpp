// SPDX-License-Identifier: Apache-2.0
// `tessera predict`: the worked example as a user types it, plans for the machine that is asked
// about, whichever kind this binary is for, and bad input.
#include <algorithm>
#include <string>
#include <vector>

#include "base/registry/registry.hpp"
#include "base/support/precision.hpp"
#include "fixtures/catalogue.hpp"
#include "fixtures/cli_fixture.hpp"
#include "fixtures/paths.hpp"

namespace tessera::test {
namespace {

const std::string kInputs = std::string(tessera::source_directory()) + "/inputs/";

Outcome predict(const Arguments& more, const std::string& deck = "su-k20.toml") {
  Arguments arguments = {"predict", kInputs + deck};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(arguments);
}

json rows_of(const Outcome& outcome) {
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return json::parse(outcome.out);
}

TEST(Predict, TheWorkedExample) {
  const Outcome outcome = predict({"--machine", "K20", "--explain"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part : {"low_order/baseline:32x4x1", "844.91 MiB", "534.40 MiB", "1.25 GiB",
                           "n_L2,B^ld,net", "704, lines of 256 B", "1.833 delta",
                           "ceil(131072 / 208) = 631", "83952", "device memory"}) {
    EXPECT_TRUE(has(outcome.out, part)) << part;
  }
}

TEST(Predict, SaysHowFarItWasValidated) {
  EXPECT_TRUE(has(predict({"-m", "H100"}).out, "validated by runs of this machine: times off by"));
  EXPECT_TRUE(has(predict({"-m", "KNL7250"}).out, "was fitted: not validated"));
}

TEST(Predict, JsonHoldsBothModels) {
  const json rows = rows_of(predict({"-m", "K20", "--json"}));
  ASSERT_EQ(rows.size(), 1U);
  const json& row = rows[0];
  EXPECT_EQ(row.at("name"), "low_order/baseline:32x4x1");
  const double cells = 256.0 * 256 * 256;
  EXPECT_NEAR(row.at("paper").at("volume_bytes_per_cell").at("gm").get<double>() * cells / 1048576,
              534.40, 0.005);
  for (const char* key : {"step_s", "gcell_per_s", "volume_bytes_per_cell", "stage_s", "binding"}) {
    EXPECT_TRUE(row.contains(key)) << key;
  }
}

TEST(Predict, ScalingOnRanks) {
  const json rows = rows_of(predict(
      {"-m", "H100", "--network", "dgx-h100", "--ranks", "1x1x2", "--ranks", "2x2x4", "--json"}));
  ASSERT_EQ(rows.size(), 4U) << "strong and weak on each grid";
  const json &strong = rows[0], &weak = rows[1], &nodes = rows[3];
  EXPECT_EQ(strong.at("scaling"), "strong");
  EXPECT_EQ(strong.at("nz"), 256);
  EXPECT_EQ(weak.at("nz"), 512);
  // A plane of 256 x 256 doubles: 20 us and 524288 bytes at 256 GB/s; nothing is packed.
  EXPECT_EQ(strong.at("bytes_sent"), 524288);
  EXPECT_NEAR(strong.at("exchange_s").get<double>(), 20e-6 + 524288 / 256e9, 1e-12);
  EXPECT_EQ(strong.at("pack_s"), 0);
  EXPECT_EQ(strong.at("level"), "NVLink");
  // Sixteen ranks are two nodes, cut along z: 25 us and a plane at 45 GB/s, once between them.
  EXPECT_EQ(nodes.at("rank_grid"), (json{2, 2, 4}));
  EXPECT_EQ(nodes.at("level"), "fabric");
  EXPECT_NEAR(nodes.at("exchange_s").get<double>(), 25e-6 + 524288 / 45e9, 1e-12);
  EXPECT_GT(nodes.at("pack_s"), 0);
  for (const json& row : rows) {
    EXPECT_GT(row.at("efficiency"), 0.05);
    EXPECT_LT(row.at("efficiency"), 1.02);
    const double exposed = row.at("exchange_exposed_s");
    EXPECT_NEAR(row.at("compute_s").get<double>() + exposed, row.at("step_s"), 1e-12);
    // The mean of equal times may round to a little more than they are.
    EXPECT_GE(row.value("imbalance", 0.0), 0.0) << row;
  }
  EXPECT_LT(strong.at("efficiency"), weak.at("efficiency"));
}

TEST(Predict, RanksAndNetworkBelongTogether) {
  for (const auto& [more, part] :
       {std::pair(Arguments{"--ranks", "1x1x2"}, "--network"),
        {{"--network", "dgx-h100"}, "--ranks"},
        {{"--network", "dgx-h100", "--ranks", "1x2"}, "1x1x4"},
        {{"--network", "no-such", "--ranks", "1x1x2"}, "no-such"},
        {{"--network", "dgx-h100", "--ranks", "1x1x512"}, "512"},
        {{"--network", "dgx-h100", "--ranks", "2000000000x2000000000x2000000000"}, "1000000"}}) {
    Arguments arguments{"-m", "H100"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_error(predict(arguments), {part});
  }
}

/// Whether a row's configuration runs on machines of a kind.
bool runs_on_kind(const json& row, MachineKind kind) {
  const std::string name = row.at("name");
  const auto found = catalogue().variants.select({name}, {}, {}, Tiles::planned);
  EXPECT_EQ(found.size(), 1U) << name;
  const Selected& how = found.front();
  return runs_on(how.variant->configuration(how.configuration).runs_on, kind);
}

// Of each family's deck the tiles of the machine's kind; by the family's name, since builds with
// few configurations lack tiles that decks name.
TEST(Predict, ShowsTilesOfTheMachinesKindAlone) {
  for (const auto& [deck, family] : {std::pair{"ebisu-j3d7pt.toml", "jacobi"},
                                     {"sai-table2.toml", "acoustic"},
                                     {"amd-directions.toml", "directional"},
                                     {"fang-37-random.toml", "ete"},
                                     {"low-order.toml", "low_order"}}) {
    for (const auto& [machine, kind] :
         {std::pair{"A100", MachineKind::device}, {"KNL7250", MachineKind::host}}) {
      const json rows = rows_of(predict({"-m", machine, "--json", "-v", family}, deck));
      EXPECT_GT(rows.size(), 4U) << deck;
      for (const json& row : rows) EXPECT_TRUE(runs_on_kind(row, kind)) << machine << row;
    }
  }
}

/// What Kokkos adds to a view's bytes, by its version.
constexpr int kAlignment = 16;

int scratch_of(const json& row) { return row.at("resources").at("scratch_bytes"); }

TEST(Predict, CountsTheScratchOfTheMachinesKind) {
  // A plane of (32 + 8) x (16 + 8) floats, and no column: that lies in registers. A host's one
  // thread keeps nine values a cell besides.
  for (const auto& [machine, bytes, team] :
       {std::tuple("P100", 3840, 512), {"KNL7250", 3840 + 9 * 512 * 4, 1}}) {
    const json rows =
        rows_of(run_program({"list", "acoustic/st_reg_fixed:32x16", "--json", "-m", machine}));
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_NEAR(scratch_of(rows[0]), bytes, 2 * kAlignment);
    EXPECT_EQ(rows[0].at("resources").at("team"), team);
  }
  const json predicted = rows_of(
      predict({"-v", "acoustic/st_reg_fixed:32x16", "-m", "P100", "--json"}, "sai-table2.toml"));
  ASSERT_EQ(predicted.size(), 1U);
  EXPECT_NEAR(scratch_of(predicted[0]), 3840, kAlignment);
}

TEST(Predict, SaysOfATileThatIsNamedWhyItDoesNotRunThere) {
  const json device =
      rows_of(predict({"-m", "KNL7250", "--json", "-v", "acoustic/two_step"}, "sai-table2.toml"));
  ASSERT_FALSE(device.empty());
  for (const json& row : device) EXPECT_EQ(row.at("unsupported"), "a device's tile");
  const json host = rows_of(
      predict({"-m", "A100", "--json", "-v", "acoustic/gmem:fullx16xfull"}, "sai-table2.toml"));
  ASSERT_EQ(host.size(), 1U);
  EXPECT_EQ(host[0].at("unsupported"), "a host's tile");
}

TEST(Predict, CopiesInBulkWhereTheMachineHasTheEngine) {
  for (const auto& [machine, has_engine] : {std::pair{"H100", true}, {"A100", false}}) {
    int bulk = 0;
    for (const json& row :
         rows_of(run_program({"list", "acoustic/two_step", "--json", "-m", machine}))) {
      if (!has(row.at("configuration").get<std::string>(), "copies=bulk")) continue;
      ++bulk;
      EXPECT_EQ(has(row.dump(), "no bulk copies"), !has_engine) << machine << row;
    }
    EXPECT_GT(bulk, 0);
  }
}

TEST(Predict, SetsEveryPublishedQuantityBeside) {
  for (const auto& [deck, machine, variant, parts] :
       {std::tuple("sai-table2.toml", "V100", "acoustic/gmem:8x8x8",
                   Arguments{"Table II", "18.560"}),
        {"sai-table4.toml",
         "V100",
         "acoustic/gmem:8x8x8",
         {"Table IV, GFLOP/s", "Table IV, flop/cell", "Table IV, DRAM B/cell",
          "Table IV, DRAM flop/B"}},
        {"amd-directions.toml",
         "MI250X",
         "directional/baseline:256x1",
         {"GB/s effective", "GB/s achieved", "990"}},
        {"ebisu-j3d7pt.toml", "H100", "jacobi/step", {"EBISU's own program", "348.000"}}}) {
    const Outcome outcome = predict({"-m", machine, "-v", variant}, deck);
    EXPECT_TRUE(has(outcome.out, "predicted / published"));
    for (const std::string& part : parts) EXPECT_TRUE(has(outcome.out, part));
  }
  const json rows =
      rows_of(predict({"-m", "H100", "--json", "-v", "acoustic/gmem:8x8x8"}, "sai-table2.toml"));
  EXPECT_NEAR(rows[0].at("published").at("columns")[0].at("value").get<double>(), 18.56, 0.005);
}

TEST(Predict, SweepsOfJacobiMoveTwoDoublesACell) {
  const json rows = rows_of(
      predict({"-m", "H100", "--json", "-v", "jacobi/step:default", "-v", "jacobi/naive:64x4x1"},
              "ebisu-j3d13pt.toml"));
  ASSERT_EQ(rows.size(), 2U);
  for (const json& row : rows) {
    // Halos add little where planes fit in the L2.
    const double volume = row.at("volume_bytes_per_cell").at("gm");
    EXPECT_TRUE(volume >= 15.9 && volume < 32) << row;
  }
}

TEST(Predict, DeviceTilingCountsBarriers) {
  int found = 0;
  for (const json& row :
       rows_of(predict({"--json", "-v", "jacobi/*", "-m", "A100"}, "ebisu-j3d7pt.toml"))) {
    EXPECT_FALSE(has(row.at("name").get<std::string>(), "jacobi/skewed"));
    if (!row.contains("barriers")) continue;
    ++found;
    const double share = row.at("barrier_share");
    EXPECT_TRUE(share > 0 && share < 0.9) << row;
    EXPECT_GE(row.at("barriers").get<double>(), 2560) << "one a plane";
    EXPECT_NEAR(row.at("gcell_per_s").get<double>(),
                row.at("attainable_gcell_per_s").get<double>() *
                    row.at("valid_share").get<double>() * share,
                1e-6);
  }
  EXPECT_GT(found, 0);
}

TEST(Predict, BadInput) {
  expect_error(predict({"-m", "K21"}), {"K21", "K20"});
  expect_error(predict({}), {"--machine"});
  expect_error(predict({"-m", kInputs + "su-k20.toml"}), {"JSON"});
  expect_error(predict({"-m", "K20", "--set", "case.stencil=9pt"}), {"9pt", "7pt-1"});
  expect_error(predict({"-m", "K20", "-v", "low_order/nothing"}), {"low_order/nothing"});
  expect_error(predict({"-m", "K20", "--set", "case.stencil=19pt", "--set", "case.steps=1000"}),
               {"case.steps", "1000", "19pt"});
  expect_error(predict({"-m", "K20", "--registers", "none.csv"}), {"none.csv"});
  const std::string study = std::string(tessera::source_directory()) + "/results/nvidia-h100";
  expect_error(run_program({"predict", "--study", study, "-o", "x.json"}), {"--study", "--output"});
  expect_error(run_program({"tune", kInputs + "su-k20.toml", "--prune", "nan"}),
               {"--prune", "nan"});
}

}  // namespace
}  // namespace tessera::test
