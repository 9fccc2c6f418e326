// SPDX-License-Identifier: Apache-2.0
// `tessera predict`: the worked example as a user types it, and bad input.
#include <algorithm>
#include <string>
#include <vector>

#include "cases/case.hpp"
#include "fixtures/catalogue.hpp"
#include "fixtures/cli_fixture.hpp"
#include "registry/registry.hpp"

namespace tessera::test {
namespace {

const std::string kK20Deck = TESSERA_SOURCE_DIR "/inputs/su-k20.toml";

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

TEST_F(Predict, AnyMachineAnyVariant) {
  for (const char* machine : {"V100", "H100", "MI250X"}) {
    const Outcome outcome = predict({"-m", machine, "-v", "low_order/z*:*chunk=16*"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  }
  EXPECT_EQ(predict({"-m", "KNL7250", "-v", "low_order/baseline:full*"}).status, 0);
}

TEST_F(Predict, DecksOfAllFamiliesAndTilesOfHosts) {
  const std::string inputs = TESSERA_SOURCE_DIR "/inputs/";
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
}

}  // namespace
}  // namespace tessera::test
