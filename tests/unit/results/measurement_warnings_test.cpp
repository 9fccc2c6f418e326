// SPDX-License-Identifier: Apache-2.0
// A run that nobody should quote says so, line by line.
#include "program/results/measurement_warnings.hpp"

#include <gtest/gtest.h>

#include "fixtures/scratch_directory.hpp"

namespace tessera::results {
namespace {

using test::has;

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

const std::vector<double> kSteady(5, 1.0);

/// All warnings of a file, a line each.
std::string said(const ResultFile& file) {
  std::string lines;
  for (const std::string& warning : measurement_warnings(file)) lines += warning + "\n";
  return lines;
}

TEST(MeasurementWarnings, OfTimesRatesAndSizes) {
  EXPECT_EQ(said(run(kSteady)), "");
  EXPECT_TRUE(has(said(run({1, 1, 1.2, 1.4, 1.4})), "varies by"));
  // 16 GB a step at 100 GB/s take 0.16 s.
  EXPECT_FALSE(has(said(run({0.16, 0.16, 0.16, 0.16, 0.16})), "above"));
  EXPECT_TRUE(has(said(run({0.1, 0.1, 0.1, 0.1, 0.1})), "is above its bound"));
  EXPECT_TRUE(has(said(run(kSteady, 100)), "fits the last cache (32.0 MB)"));
  EXPECT_FALSE(has(said(run(kSteady, 200)), "fits"));
  ResultFile file = run(kSteady);
  file.machine["host"]["load"] = 3.5;
  EXPECT_TRUE(has(said(file), "busy before the run"));
  // Nothing of what a file does not tell.
  file = run(kSteady, 10);
  file.machine = nlohmann::json::object();
  EXPECT_EQ(said(file), "");
}

TEST(MeasurementWarnings, RatesAboveWhatTheModelCallsAttainable) {
  ResultFile file = run({0.16, 0.16, 0.16, 0.16, 0.16});
  file.results[0].predicted["fraction_of_attainable"] = 1.02;
  EXPECT_FALSE(has(said(file), "attainable"));
  file.results[0].predicted["fraction_of_attainable"] = 1.4;
  EXPECT_TRUE(has(said(file), "attainable"));
  EXPECT_FALSE(has(said(file), "above its bound"));
}

TEST(MeasurementWarnings, StreamsThatTheLastCacheMayServe) {
  EXPECT_EQ(warning_of_streams(400e6, 100e6, false), "");
  EXPECT_TRUE(has(warning_of_streams(390e6, 100e6, false), "measure.roofs_bytes=1200000000"));
  EXPECT_EQ(warning_of_streams(390e6, 100e6, true), "");
  EXPECT_NE(warning_of_streams(90e6, 100e6, true), "");
  ResultFile file = run(kSteady);
  file.streams = machine::StreamRates{};
  file.streams->array_bytes = 100'000'000;
  EXPECT_TRUE(has(said(file), "perhaps the cache's"));
}

TEST(MeasurementWarnings, BuildsThatAreNotForMeasuring) {
  const auto of = [](const char* flags, const char* options = "") {
    return warning_of_build({{"flags", flags}, {"kokkos_options", options}});
  };
  EXPECT_EQ(of("-march=native -O3 -DNDEBUG -Wall"), "");
  EXPECT_EQ(of("-O2 -g -DNDEBUG"), "");
  EXPECT_TRUE(has(of("-O1 -DNDEBUG"), "-O1"));
  EXPECT_TRUE(has(of("-DNDEBUG -g"), "-O0"));
  EXPECT_TRUE(has(of("-O3"), "assertions"));
  EXPECT_TRUE(has(of("-O3 -DNDEBUG -D_GLIBCXX_ASSERTIONS"), "assertions"));
  EXPECT_TRUE(has(of("-O3 -DNDEBUG", "DEBUG_BOUNDS_CHECK"), "bounds"));
  EXPECT_EQ(warning_of_build(nlohmann::json::object()), "") << "not described";
}

TEST(MeasurementWarnings, RowsOfARunThatThisOneResumed) {
  ResultFile file = run(kSteady);
  file.streams = machine::StreamRates{};
  file.streams->copy.median = 80;
  file.streams->array_bytes = std::size_t{1} << 30U;
  const auto with_copy = [&](double gb_per_s) {
    file.results[0].fraction_of_copy = *file.results[0].effective_gb_per_s / gb_per_s;
    return said(file);
  };
  EXPECT_EQ(with_copy(80), "");
  EXPECT_EQ(with_copy(77), "") << "4 % apart";
  EXPECT_TRUE(
      has(with_copy(100), "the copy bandwidth is 20 % lower than when acoustic/gmem:8x8x8"));
  EXPECT_TRUE(has(with_copy(50), "60 % higher"));
}

TEST(MeasurementWarnings, OfThreads) {
  ResultFile file = run(kSteady);
  const auto with = [&](const nlohmann::json& topology, const char* kind = "cpu") {
    file.machine["kind"] = kind;
    file.machine["topology"] = {
        {"threads", 4}, {"cpus", 4}, {"binding", "core"}, {"cpu_quota", nullptr}};
    file.machine["topology"].update(topology);
    return said(file);
  };
  // That wander between NUMA nodes.
  EXPECT_TRUE(has(with({{"binding", "none"}, {"numa_nodes", 2}}),
                  "not bound, and the machine has 2 NUMA nodes"));
  EXPECT_EQ(with({{"binding", "numa_node"}, {"numa_nodes", 2}}), "");
  EXPECT_EQ(with({{"binding", "none"}, {"numa_nodes", 1}}), "");
  EXPECT_EQ(with({{"binding", "unknown"}, {"numa_nodes", nullptr}}), "");
  // More than CPUs, cores or their time.
  EXPECT_TRUE(has(with({{"cpus", 2}}), "4 threads share the 2 CPUs that they may run on"));
  EXPECT_EQ(with({{"cpus", 4}}), "");
  EXPECT_TRUE(has(with({{"cores", 2}}), "4 threads share the 2 cores"));
  const nlohmann::json slow = {{"cores", 4}, {"cpu_quota", 1.5}};
  EXPECT_TRUE(has(with(slow), "4 threads share the time of 1.5 CPUs"));
  EXPECT_EQ(with(slow, "gpu"), "") << "a device's results do not hang on its host's threads";
}

}  // namespace
}  // namespace tessera::results
