// SPDX-License-Identifier: Apache-2.0
// Machine files and their errors.
#include "program/results/machine_file.hpp"

#include "base/support/error.hpp"
#include "fixtures/paths.hpp"
#include "fixtures/scratch_directory.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

namespace tessera::machine {
namespace {

// A published machine: what a data sheet gives, in the same fields as a measured one.
const char* const kPublished = R"({
  "schema": "tessera-machine-1",
  "name": "some-gpu", "kind": "gpu", "device": "Some GPU", "source": "its data sheet",
  "units": 13, "clock_ghz": 0.706,
  "memory": {"theoretical_gb_per_s": 208, "bytes": 5368709120},
  "peak": {"double_gflop_per_s": 1170},
  "caches": [{"level": "L2", "bytes": 1310720, "line_bytes": 32, "instances": 1}],
  "latency": {"barrier_us": 1.2, "memory_cycles": 600, "scratch_cycles": 23, "fma_cycles": 4},
  "limits": {"lanes": 32, "threads_per_unit": 2048}
})";

std::string message_of(const std::function<void(nlohmann::json&)>& change) {
  nlohmann::json json = nlohmann::json::parse(kPublished);
  change(json);
  return test::error_of([&] { (void)machine_from_json(json, "file"); });
}

TEST(MachineFile, ReadsAPublishedMachine) {
  const Machine machine = machine_from_json(nlohmann::json::parse(kPublished), "file");
  EXPECT_EQ(machine.name, "some-gpu");
  EXPECT_DOUBLE_EQ(*machine.theoretical_gb_per_s, 208);
  EXPECT_FALSE(machine.copy_gb_per_s.has_value());
  ASSERT_EQ(machine.caches.size(), 1U);
  EXPECT_DOUBLE_EQ(*machine.caches[0].line_bytes, 32);
  EXPECT_FALSE(machine.caches[0].gb_per_s.has_value());
  EXPECT_DOUBLE_EQ(*machine.threads_per_unit, 2048);
  EXPECT_DOUBLE_EQ(*machine.barrier_us, 1.2);
  EXPECT_DOUBLE_EQ(*machine.memory_cycles, 600);
  EXPECT_EQ(to_json(machine).at("latency").size(), 4U);
  const test::ScratchDirectory directory;
  write_machine(machine, directory / "machine.json");
  EXPECT_EQ(to_json(read_machine(directory / "machine.json")), to_json(machine));
}

TEST(MachineFile, ShortfallBeginsAtFivePercent) {
  Machine stored;
  stored.device = "some CPU";
  StreamRates now;
  now.triad = {1, 95, 200};  // the median counts
  now.update = {1, 50, 200};
  EXPECT_THROW((void)shortfall(stored, now, "m.json"), Error);
  stored.update_gb_per_s = 100;
  EXPECT_TRUE(test::has(shortfall(stored, now, "m.json"), "update"));
  stored.triad_gb_per_s = 100;  // preferred
  EXPECT_EQ(shortfall(stored, now, "m.json"), "");
  now.triad.median = 94;
  EXPECT_TRUE(test::has_all(shortfall(stored, now, "m.json"),
                            {"triad", "94 GB/s", "6 %", "100 GB/s", "m.json", "some CPU"}));
}

TEST(MachineFile, EachErrorNamesTheKey) {
  using Json = nlohmann::json;
  const std::pair<std::function<void(Json&)>, const char*> cases[] = {
      {[](Json& j) { j["schema"] = "tessera-machine-9"; }, "tessera-machine-9"},
      {[](Json& j) { j.erase("source"); }, "\"source\""},
      {[](Json& j) { j["source"] = ""; }, "source"},
      {[](Json& j) { j["kind"] = "fpga"; }, "\"fpga\""},
      {[](Json& j) { j["memory"]["speed"] = 1; }, "\"speed\""},
      {[](Json& j) { j["memory"]["copy_gb_per_s"] = "fast"; }, "memory.copy_gb_per_s is \"fast\""},
      {[](Json& j) { j["caches"][0].erase("level"); }, "caches[0]"},
      {[](Json& j) { j["caches"][0]["bytes"] = 0; }, "caches[0].bytes is 0"},
      {[](Json& j) {
         j["memory"] = Json{{"bytes", 1}};
       },
       "memory"}};
  for (const auto& [change, part] : cases) EXPECT_TRUE(test::has(message_of(change), part));
}

TEST(MachineFile, NumbersHaveARange) {
  using Json = nlohmann::json;
  const auto refused = [](const char* table, const char* key, double value) {
    const std::string message = message_of([&](Json& j) {
      Json& place = *table == '\0' ? j : j[table];
      place[key] = value;
    });
    EXPECT_TRUE(test::has_all(message, {key, "expected a"})) << value;
  };
  for (const double value : {0.5, 2e6, 0.0}) refused("", "units", value);
  for (const double value : {0.5, 4294967296.0}) refused("limits", "lanes", value);
  for (const double value : {0.5, 3e9}) refused("limits", "registers_per_thread", value);
  refused("memory", "copy_gb_per_s", 3010e9);
  refused("latency", "memory_cycles", 697e9);
  refused("peak", "double_gflop_per_s", 34e12);
  for (const char* key : {"misses_per_cycle", "clock_share", "l2_scale", "overlap", "load_bytes",
                          "store_bytes", "memory_scale", "vector_bytes", "l2_bytes_per_cycle",
                          "l3_bytes_per_cycle", "lookups_per_cycle"}) {
    refused("model", key, 0);
  }
  refused("model", "delta", -1);
  EXPECT_EQ(message_of([](Json& j) { j["model"]["delta"] = 0; }), "");
}

TEST(MachineFile, NumbersOfADeviceFitEachOther) {
  using Json = nlohmann::json;
  EXPECT_TRUE(test::has(message_of([](Json& j) { j["limits"]["threads_per_unit"] = 16; }),
                        "limits.threads_per_unit is 16"));
  EXPECT_TRUE(test::has(message_of([](Json& j) {
                          j["memory"]["copy_gb_per_s"] = 200;
                          j["memory"]["update_gb_per_s"] = 100;
                        }),
                        "memory.update_gb_per_s is 100"));
}

TEST(MachineFile, AllThatAreShippedAreRead) {
  const std::filesystem::path source = tessera::source_directory();
  int read = 0;
  for (const char* folder : {"inputs/machines", "results"}) {
    for (const auto& entry : std::filesystem::directory_iterator(source / folder)) {
      const auto path = entry.is_directory() ? entry.path() / "machine.json" : entry.path();
      if (path.extension() != ".json" || !std::filesystem::exists(path)) continue;
      EXPECT_NO_THROW((void)read_machine(path)) << path;
      ++read;
    }
  }
  EXPECT_GT(read, 10);
}

}  // namespace
}  // namespace tessera::machine
