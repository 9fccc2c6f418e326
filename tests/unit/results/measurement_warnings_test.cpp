// SPDX-License-Identifier: Apache-2.0
// A run that nobody should quote says so, line by line.
#include "program/results/measurement_warnings.hpp"

#include <gtest/gtest.h>

namespace tessera::results {
namespace {

ResultFile run(std::vector<double> samples_s, std::int64_t n = 1000) {
  ResultFile file;
  file.machine = {{"host",
                   {{"cores", 4},
                    {"load", 0.1},
                    {"caches",
                     {{{"level", "L2"}, {"bytes", 1e6}, {"instances", 4}},
                      {{"level", "L3"}, {"bytes", 32e6}, {"instances", 1}}}}}}};
  Result r;
  r.variant = "acoustic/gmem";
  r.configuration = "8x8x8";
  r.nx = r.ny = r.nz = n;
  const double cells = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  set_valid(r, std::move(samples_s), {cells, 16 * cells, 41 * cells}, std::nullopt);
  set_roofline(r, {"float", 1e6, 100, std::nullopt});
  file.results = {r};
  return file;
}

bool says(const ResultFile& file, const std::string& part) {
  for (const std::string& warning : measurement_warnings(file)) {
    if (warning.find(part) != std::string::npos) return true;
  }
  return false;
}

TEST(MeasurementWarnings, NoneOfAQuietRun) {
  EXPECT_TRUE(measurement_warnings(run({1, 1, 1, 1, 1})).empty());
}

TEST(MeasurementWarnings, RowsThatVary) {
  EXPECT_TRUE(says(run({1, 1, 1.2, 1.4, 1.4}), "varies by"));
}

TEST(MeasurementWarnings, RatesAboveTheirBound) {
  // 16 GB a step at 100 GB/s take 0.16 s.
  EXPECT_FALSE(says(run({0.16, 0.16, 0.16, 0.16, 0.16}), "above"));
  EXPECT_TRUE(says(run({0.1, 0.1, 0.1, 0.1, 0.1}), "is above its bound"));
}

TEST(MeasurementWarnings, RatesAboveWhatTheModelCallsAttainable) {
  ResultFile file = run({0.16, 0.16, 0.16, 0.16, 0.16});
  file.results[0].predicted["fraction_of_attainable"] = 1.02;
  EXPECT_FALSE(says(file, "attainable"));
  file.results[0].predicted["fraction_of_attainable"] = 1.4;
  EXPECT_TRUE(says(file, "attainable"));
  EXPECT_FALSE(says(file, "above its bound"));
}

TEST(MeasurementWarnings, GridsThatFitACache) {
  EXPECT_TRUE(says(run({1, 1, 1, 1, 1}, 100), "fits the last cache (32.0 MB)"));
  EXPECT_FALSE(says(run({1, 1, 1, 1, 1}, 200), "fits"));
}

TEST(MeasurementWarnings, StreamsThatTheLastCacheMayServe) {
  EXPECT_EQ(warning_of_streams(400e6, 100e6, false), "");
  EXPECT_NE(warning_of_streams(390e6, 100e6, false).find("measure.roofs_bytes=1200000000"),
            std::string::npos);
  EXPECT_EQ(warning_of_streams(390e6, 100e6, true), "");
  EXPECT_NE(warning_of_streams(90e6, 100e6, true), "");
  ResultFile file = run({1, 1, 1, 1, 1});
  file.streams = machine::StreamRates{};
  file.streams->array_bytes = 100'000'000;
  EXPECT_TRUE(says(file, "perhaps the cache's"));
}

TEST(MeasurementWarnings, BuildsThatAreNotForMeasuring) {
  const auto of = [](const char* flags, const char* options = "") {
    return warning_of_build({{"flags", flags}, {"kokkos_options", options}});
  };
  EXPECT_EQ(of("-march=native -O3 -DNDEBUG -Wall"), "");
  EXPECT_EQ(of("-O2 -g -DNDEBUG"), "");
  EXPECT_NE(of("-O1 -DNDEBUG").find("-O1"), std::string::npos);
  EXPECT_NE(of("-DNDEBUG -g").find("-O0"), std::string::npos);
  EXPECT_NE(of("-O3").find("assertions"), std::string::npos);
  EXPECT_NE(of("-O3 -DNDEBUG -D_GLIBCXX_ASSERTIONS").find("assertions"), std::string::npos);
  EXPECT_NE(of("-O3 -DNDEBUG", "DEBUG_BOUNDS_CHECK").find("bounds"), std::string::npos);
  EXPECT_EQ(warning_of_build(nlohmann::json::object()), "") << "not described";
}

TEST(MeasurementWarnings, RowsOfARunThatThisOneResumed) {
  ResultFile file = run({1, 1, 1, 1, 1});
  file.streams = machine::StreamRates{};
  file.streams->copy.median = 80;
  file.streams->array_bytes = std::size_t{1} << 30U;
  Result& row = file.results[0];
  row.fraction_of_copy = *row.effective_gb_per_s / 80;
  EXPECT_TRUE(measurement_warnings(file).empty());
  row.fraction_of_copy = *row.effective_gb_per_s / 77;  // 4 % apart
  EXPECT_TRUE(measurement_warnings(file).empty());
  row.fraction_of_copy = *row.effective_gb_per_s / 100;
  EXPECT_TRUE(says(file, "the copy bandwidth is 20 % lower than when acoustic/gmem:8x8x8"));
  row.fraction_of_copy = *row.effective_gb_per_s / 50;
  EXPECT_TRUE(says(file, "60 % higher"));
}

TEST(MeasurementWarnings, OthersOnTheMachine) {
  ResultFile file = run({1, 1, 1, 1, 1});
  file.machine["host"]["load"] = 3.5;
  EXPECT_TRUE(says(file, "busy before the run"));
}

TEST(MeasurementWarnings, ThreadsThatWanderBetweenNumaNodes) {
  ResultFile file = run({1, 1, 1, 1, 1});
  file.machine["kind"] = "cpu";
  auto& topology = file.machine["topology"];
  topology = {
      {"threads", 4}, {"cpus", 4}, {"binding", "none"}, {"numa_nodes", 2}, {"cpu_quota", nullptr}};
  EXPECT_TRUE(says(file, "not bound, and the machine has 2 NUMA nodes"));
  topology["binding"] = "numa_node";
  EXPECT_TRUE(measurement_warnings(file).empty());
  topology["binding"] = "none";
  topology["numa_nodes"] = 1;
  EXPECT_TRUE(measurement_warnings(file).empty());
  topology["numa_nodes"] = nullptr;
  topology["binding"] = "unknown";
  EXPECT_TRUE(measurement_warnings(file).empty());
}

TEST(MeasurementWarnings, MoreThreadsThanCpus) {
  ResultFile file = run({1, 1, 1, 1, 1});
  file.machine["kind"] = "cpu";
  auto& topology = file.machine["topology"];
  topology = {{"threads", 4}, {"cpus", 2}, {"binding", "core"}, {"cpu_quota", nullptr}};
  EXPECT_TRUE(says(file, "4 threads share the 2 CPUs that they may run on"));
  topology["cpus"] = 4;
  EXPECT_TRUE(measurement_warnings(file).empty());
  topology["cores"] = 2;
  EXPECT_TRUE(says(file, "4 threads share the 2 cores"));
  topology["cores"] = 4;
  topology["cpu_quota"] = 1.5;
  EXPECT_TRUE(says(file, "4 threads share the time of 1.5 CPUs"));
  // A device's results do not hang on its host's threads.
  file.machine["kind"] = "gpu";
  EXPECT_TRUE(measurement_warnings(file).empty());
}

TEST(MeasurementWarnings, NothingOfWhatAFileDoesNotTell) {
  ResultFile file = run({1, 1, 1, 1, 1}, 10);
  file.machine = nlohmann::json::object();
  EXPECT_TRUE(measurement_warnings(file).empty());
}

}  // namespace
}  // namespace tessera::results
