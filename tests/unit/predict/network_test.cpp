// SPDX-License-Identifier: Apache-2.0
// Messages and steps of the network model, by numbers computed by hand; files that it refuses.
#include "program/predict/network.hpp"

#include "fixtures/scratch_directory.hpp"

#include <gtest/gtest.h>

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
  const auto expect_us = [&step](double whole, double compute, double exposed, double hidden) {
    const StepTime time = step_time(step);
    EXPECT_NEAR(time.step, 1e-6 * whole, 1e-12);
    EXPECT_NEAR(time.compute, 1e-6 * compute, 1e-12);
    EXPECT_NEAR(time.exposed, 1e-6 * exposed, 1e-12);
    EXPECT_NEAR(time.hidden, 1e-6 * hidden, 1e-12);
  };
  expect_us(950, 950, 0, 130);
  step.shared = 20e-6;  // what messages take of the memory is the core's loss
  expect_us(970, 950, 20, 110);
  step.core = 100e-6;
  expect_us(250, 150, 100, 30);
  step.overlap = false;
  expect_us(1130, 1000, 130, 0);
}

TEST(Network, FilesAreReadStrictly) {
  const auto file = [](const std::string& levels) {
    return R"({"schema": "tessera-network-1", "name": "n", "source": "s", "levels": )" + levels +
           "}";
  };
  const test::ScratchDirectory folder;
  const auto refusal = [&](const std::string& text) {
    test::write_text(folder / "network.json", text);
    return test::error_of([&] { static_cast<void>(read_network(folder / "network.json")); });
  };
  EXPECT_EQ(refusal(file(R"([{"name": "a", "latency_us": 1, "gb_per_s": 2}])")), "");
  const auto expect = [&](const std::string& text, const std::string& wanted) {
    EXPECT_TRUE(test::has(refusal(text), wanted));
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
