// SPDX-License-Identifier: Apache-2.0
// `tessera predict`: the worked example as a user types it, and bad input.
#include <algorithm>
#include <string>
#include <vector>

#include "base/case/case.hpp"
#include "base/registry/registry.hpp"
#include "fixtures/catalogue.hpp"
#include "fixtures/cli_fixture.hpp"
#include "fixtures/paths.hpp"

namespace tessera::test {
namespace {

const std::string kK20Deck = std::string(tessera::source_directory()) + "/inputs/su-k20.toml";

class Predict : public testing::Test {
 protected:
  void SetUp() override {
    const auto& families = catalogue().families;
    if (std::none_of(families.begin(), families.end(),
                     [](const Family& family) { return family.name == "low_order"; })) {
      GTEST_SKIP() << "without the low_order family";
    }
  }
  static Outcome predict(const Arguments& more) {
    Arguments arguments = {"predict", kK20Deck};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }
};

TEST(PredictAll, ADeckOfOtherTilesThanTheBuilds) {
  const auto& families = catalogue().families;
  if (std::none_of(families.begin(), families.end(),
                   [](const Family& family) { return family.name == "acoustic"; })) {
    GTEST_SKIP() << "without the acoustic family";
  }
  const Outcome outcome =
      run_program({"predict", std::string(tessera::source_directory()) + "/inputs/sai-table2.toml",
                   "--machine", "V100"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* tile : {"acoustic/gmem:4x4x4", "acoustic/st_reg_fixed:32x32"}) {
    EXPECT_TRUE(has(outcome.out, tile)) << tile;
  }
}

TEST_F(Predict, TheWorkedExample) {
  const Outcome outcome = predict({"--machine", "K20", "--explain"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part :
       {"low_order/baseline:32x4x1", "844.91", "534.40", "1.25 GiB", "n_L2,B^ld,net", "1.833 delta",
        "ceil(131072 / 208) = 631", "83952", "device memory"}) {
    EXPECT_TRUE(has(outcome.out, part)) << part;
  }
}

TEST_F(Predict, JsonHoldsBothModels) {
  const Outcome outcome = predict({"-m", "K20", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json rows = json::parse(outcome.out);
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

TEST_F(Predict, ScalingOnRanks) {
  const Outcome outcome = predict(
      {"-m", "H100", "--network", "dgx-h100", "--ranks", "1x1x2", "--ranks", "2x2x4", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json rows = json::parse(outcome.out);
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
    EXPECT_LT(row.at("compute_s"), row.at("step_s").get<double>() + 1e-15);
  }
  EXPECT_LT(strong.at("efficiency"), weak.at("efficiency"));
}

TEST_F(Predict, RanksAndNetworkBelongTogether) {
  const auto refused = [&](const Arguments& more, const std::string& wanted) {
    Arguments arguments{"-m", "H100"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = predict(arguments);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_TRUE(has(outcome.err, wanted)) << outcome.err;
  };
  refused({"--ranks", "1x1x2"}, "--ranks requires --network");
  refused({"--network", "dgx-h100"}, "--network requires --ranks");
  refused({"--network", "dgx-h100", "--ranks", "1x2"}, "as in 1x1x4");
  refused({"--network", "no-such", "--ranks", "1x1x2"}, "no-such");
  refused({"--network", "dgx-h100", "--ranks", "1x1x512"}, "256 cells along z among 512");
  refused({"--network", "dgx-h100", "--ranks", "100x100x101"}, "more than 1000000 ranks");
  refused({"--network", "dgx-h100", "--ranks", "2000000000x2000000000x2000000000"},
          "more than 1000000 ranks");
}

TEST_F(Predict, EqualRanksHaveNoImbalance) {
  // The mean of equal times may round to a little more than they are.
  for (const char* ranks : {"2x2x2", "4x4x4"}) {
    const Outcome outcome =
        predict({"-m", "H100", "--network", "dgx-h100", "--ranks", ranks, "--set", "case.nx=64",
                 "--set", "case.ny=64", "--set", "case.nz=64", "-v", "low_order", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    std::size_t found = 0;
    for (const json& row : json::parse(outcome.out)) {
      if (!row.contains("imbalance")) continue;
      ++found;
      EXPECT_GE(row.at("imbalance").get<double>(), 0.0) << row;
    }
    EXPECT_GT(found, 100U);
  }
}

TEST_F(Predict, AnyMachineAnyVariant) {
  for (const char* machine : {"V100", "H100", "MI250X"}) {
    const Outcome outcome = predict({"-m", machine, "-v", "low_order/z*:*chunk=16*"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  }
  EXPECT_EQ(predict({"-m", "KNL7250", "-v", "low_order/baseline:full*"}).status, 0);
}

TEST_F(Predict, DecksOfAllFamiliesAndTilesOfHosts) {
  const std::string inputs = std::string(tessera::source_directory()) + "/inputs/";
  for (const Family& family : catalogue().families) {
    const std::string deck = family.name == "acoustic"      ? "quick.toml"
                             : family.name == "directional" ? "amd-nw.toml"
                             : family.name == "low_order"   ? "low-order.toml"
                             : family.name == "jacobi"      ? "ebisu-j3d7pt.toml"
                                                            : "fang-37-random.toml";
    for (const char* machine : {"V100", "KNL7250"}) {
      std::vector<std::string> words{"predict", inputs + deck, "--machine", machine};
      // Builds with few configurations do not have that deck's own tiles.
      if (kFewConfigurations && family.name == "low_order") {
        words.insert(words.end(), {"-v", "low_order/*:32x4*"});
      }
      const Outcome outcome = run_program(words);
      EXPECT_EQ(outcome.status, 0) << deck << ": " << outcome.err;
      EXPECT_TRUE(has(outcome.out, family.name + "/"));
    }
  }
}

TEST_F(Predict, BadInput) {
  expect_error(predict({"-m", "K21"}), {"K21", "the nearest name is K20"});
  expect_error(predict({}), {"--machine"});
  expect_error(predict({"-m", kK20Deck}), {"JSON"});
  expect_error(predict({"-m", "K20", "--set", "case.nx=0"}), {"case.nx", "0"});
  expect_error(predict({"-m", "K20", "--set", "case.stencil=9pt"}), {"9pt", "7pt-1"});
  expect_error(predict({"-m", "K20", "-v", "low_order/nothing"}), {"low_order/nothing"});
  expect_error(predict({"-m", "K20", "--set", "low_order.gamma=1"}), {"low_order.gamma"});
  expect_error(predict({"-m", "K20", "--set", "case.stencil=19pt", "--set", "case.steps=1000"}),
               {"case.steps", "1000", "19pt"});
  expect_error(predict({"-m", "K20", "--registers", "none.csv"}), {"none.csv"});
  const std::string study = std::string(tessera::source_directory()) + "/results/nvidia-h100";
  expect_error(run_program({"predict", "--study", study, "-o", "x.json"}), {"--study", "--output"});
  expect_error(run_program({"tune", kK20Deck, "--prune", "nan"}), {"--prune", "nan"});
  for (const char* seed : {"-1", "99999999999999999999", "010"}) {
    expect_error(run_program({"verify", "--seed", seed}), {"--seed", seed});
  }
}

}  // namespace
}  // namespace tessera::test
