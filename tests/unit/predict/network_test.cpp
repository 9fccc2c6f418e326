// SPDX-License-Identifier: Apache-2.0
// Messages and steps of the network model, by numbers computed by hand; files that it refuses.
#include "program/predict/network.hpp"

#include "base/support/error.hpp"
#include "fixtures/scratch_directory.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace tessera::model {
namespace {

/// Four ranks a node: 10 us and 100 GB/s in it, 20 us, 2 us a message and 10 GB/s beyond.
const Network kNetwork{
    "small", "made up", {{"node", 4, 10e-6, 0, 100e9}, {"fabric", 0, 20e-6, 2e-6, 10e9}}};

TEST(Network, RanksOfANodeAreNearer) {
  EXPECT_EQ(level_between(kNetwork, 0, 3), 0U);
  EXPECT_EQ(level_between(kNetwork, 3, 4), 1U);
  EXPECT_EQ(level_between(kNetwork, 9, 11), 0U);
  EXPECT_EQ(level_between(kNetwork, 0, 100000), 1U);
}

TEST(Network, AnExchangeTakesAsLongAsItsLongestLevel) {
  // 10 us + 4 MB / 100 GB/s = 50 us; 20 us + 2 x 2 us + 1 MB / 10 GB/s = 124 us.
  EXPECT_NEAR(exchange_seconds(kNetwork, {{1, 4e6}, {0, 0}}), 50e-6, 1e-12);
  EXPECT_NEAR(exchange_seconds(kNetwork, {{0, 0}, {3, 1e6}}), 124e-6, 1e-12);
  EXPECT_NEAR(exchange_seconds(kNetwork, {{1, 4e6}, {3, 1e6}}), 124e-6, 1e-12);
  EXPECT_EQ(exchange_seconds(kNetwork, {{0, 0}, {0, 0}}), 0);
}

TEST(Network, MessagesMoveInMemoryToo) {
  // Read and written within a node; beyond it through buffers.
  Network network = kNetwork;
  network.levels[1].memory_passes = 6;
  EXPECT_EQ(exchange_memory_bytes(network, {{1, 4e6}, {3, 1e6}}), 14e6);
}

TEST(Network, AStepHidesWhatItsCoreHasTimeFor) {
  // The core of 900 us hides 130 us; of 100 us, and 50 of the edges beside it, all but 100 us.
  RankStep step{.whole = 1000e-6,
                .core = 900e-6,
                .edges = 120e-6,
                .edges_busy = 50e-6,
                .pack = 6e-6,
                .exchange = 124e-6};
  StepTime time = step_time(step);
  EXPECT_NEAR(time.step, 950e-6, 1e-12);
  EXPECT_NEAR(time.compute, 950e-6, 1e-12);
  EXPECT_NEAR(time.exposed, 0, 1e-12);
  EXPECT_NEAR(time.hidden, 130e-6, 1e-12);
  // What messages take of the memory is the core's loss.
  step.shared = 20e-6;
  time = step_time(step);
  EXPECT_NEAR(time.step, 970e-6, 1e-12);
  EXPECT_NEAR(time.compute, 950e-6, 1e-12);
  EXPECT_NEAR(time.exposed, 20e-6, 1e-12);
  EXPECT_NEAR(time.hidden, 110e-6, 1e-12);
  step.core = 100e-6;
  time = step_time(step);
  EXPECT_NEAR(time.step, 250e-6, 1e-12);
  EXPECT_NEAR(time.compute, 150e-6, 1e-12);
  EXPECT_NEAR(time.exposed, 100e-6, 1e-12);
  EXPECT_NEAR(time.hidden, 30e-6, 1e-12);
  step.overlap = false;
  time = step_time(step);
  EXPECT_NEAR(time.step, 1130e-6, 1e-12);
  EXPECT_NEAR(time.exposed, 130e-6, 1e-12);
  EXPECT_NEAR(time.hidden, 0, 1e-12);
}

std::string refusal(const std::string& text) {
  const test::ScratchDirectory folder;
  const auto path = folder.path() / "network.json";
  std::ofstream(path) << text;
  try {
    static_cast<void>(read_network(path));
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Network, FilesAreReadStrictly) {
  const auto file = [](const std::string& levels) {
    return R"({"schema": "tessera-network-1", "name": "n", "source": "s", "levels": )" + levels +
           "}";
  };
  EXPECT_EQ(refusal(file(R"([{"name": "a", "latency_us": 1, "gb_per_s": 2}])")), "");
  const auto expect = [&](const std::string& text, const std::string& wanted) {
    EXPECT_NE(refusal(text).find(wanted), std::string::npos) << refusal(text);
  };
  expect("{}", "\"schema\"");
  expect(R"({"schema": "tessera-machine-1", "name": "n", "source": "s", "levels": []})", "schema");
  expect(file("[]"), "levels");
  expect(file(R"([{"name": "a", "latency_us": -1, "gb_per_s": 2}])"), "levels[0].latency_us is -1");
  expect(file(R"([{"name": "a", "latency_us": 1e30, "gb_per_s": 2}])"), "latency_us is 1e+30");
  expect(file(R"([{"name": "a", "latency_us": 1, "gb_per_s": 1e9}])"), "gb_per_s is 1000000000");
  expect(file(R"([{"name": "a", "latency_us": 1, "gb_per_s": 2, "memory_passes": 1}])"),
         "memory_passes is 1");
  expect(file(R"([{"name": "a", "latency_us": 1}])"), "levels[0]: no key \"gb_per_s\"");
  expect(file(R"([{"name": "a", "latency_us": 1, "gb_per_s": 2, "hops": 3}])"), "\"hops\"");
  expect(file(R"([{"name": "a", "ranks": 8, "latency_us": 1, "gb_per_s": 2}])"), "it reaches all");
  expect(file(R"([{"name": "a", "ranks": 8, "latency_us": 1, "gb_per_s": 2},
                  {"name": "b", "ranks": 12, "latency_us": 1, "gb_per_s": 2}])"),
         "no multiple of the level before, 8");
  expect(file(R"([{"name": "a", "ranks": 2.5, "latency_us": 1, "gb_per_s": 2}])"), "ranks is 2.5");
}

}  // namespace
}  // namespace tessera::model
