// SPDX-License-Identifier: Apache-2.0
// The project's decks, machine files and published tables from a directory that has none of them.
#include <cstdlib>
#include <filesystem>
#include <string>

#include "fixtures/cli_fixture.hpp"
#include "fixtures/paths.hpp"

namespace tessera::test {
namespace {

class Elsewhere : public testing::Test {
 protected:
  ~Elsewhere() override { ::unsetenv("TESSERA_DATA"); }

  [[nodiscard]] Outcome run_here(const Arguments& arguments) const {
    ProcessOptions options;
    options.directory = folder_.path().string();
    return run_program(arguments, options);
  }
  void expect_works(const Arguments& arguments, const std::string& part) const {
    const Outcome outcome = run_here(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(has(outcome.out, part));
  }

  ScratchDirectory folder_;
};

TEST_F(Elsewhere, MachineFilesByName) {
  expect_works({"plan", "j2d5pt", "--machine", "A100"}, "plan: 256 x 4");
  expect_works({"plan", "j2d5pt", "--machine", "inputs/machines/A100.json"}, "plan: 256 x 4");
  EXPECT_EQ(folder_.entries(), 0);
}

TEST_F(Elsewhere, DecksByPathAndByName) {
  for (const char* deck : {"inputs/su-k20.toml", "su-k20.toml", "su-k20"}) {
    expect_works({"predict", deck, "--machine", "K20"}, "low_order/baseline:32x4x1");
  }
}

TEST_F(Elsewhere, PublishedTables) {
  expect_works({"list", "--resources", "--deck", "sai-table3.toml", "acoustic/gmem:8x8x8"}, "V100");
  for (const char* table : {"published/sai-table3.toml", "sai-table3"}) {
    expect_works({"list", "--resources", "--deck", "inputs/sai-table4.toml", "--set",
                  std::string("output.published=") + table, "acoustic/gmem:8x8x8"},
                 "V100");
  }
}

TEST_F(Elsewhere, TablesOfKernelResources) {
  expect_works({"predict", "su-k20", "-m", "H100", "--registers",
                "results/nvidia-h100/traffic-model/registers.csv"},
               "low_order/baseline:32x4x1");
}

TEST_F(Elsewhere, WhatIsHereComesFirst) {
  write_text(folder_ / "A100", "not JSON");
  expect_error(run_here({"plan", "j2d5pt", "--machine", "A100"}), {"A100: is not JSON"});
}

TEST_F(Elsewhere, TheVariableComesBeforeTheSourceTree) {
  const auto data = folder_ / "data";
  std::filesystem::create_directories(data / "inputs/machines");
  std::filesystem::copy_file(
      std::string(tessera::source_directory()) + "/inputs/machines/H100.json",
      data / "inputs/machines/mine.json");
  write_text(data / "inputs/machines/A100.json", "not JSON");
  ::setenv("TESSERA_DATA", data.c_str(), 1);
  expect_works({"plan", "j2d5pt", "--machine", "mine"}, "plan: ");
  expect_error(run_here({"plan", "j2d5pt", "--machine", "A100"}),
               {(data / "inputs/machines/A100.json").string(), "is not JSON"});
  expect_works({"plan", "j2d5pt", "--machine", "H100"}, "plan: ");
}

TEST_F(Elsewhere, OneLineSaysWhereWasLooked) {
  ::setenv("TESSERA_DATA", "/no/such/folder", 1);
  const std::string source = tessera::source_directory();
  expect_error(run_here({"plan", "j2d5pt", "--machine", "A1000"}),
               {"machine file A1000: no such file", "the working directory", "/no/such/folder",
                source, "the nearest name is A100"});
  expect_error(run_here({"run", "inputs/quik.toml"}),
               {"deck inputs/quik.toml: no such file", source, "quick"});
  write_text(folder_ / "d.toml", read_text(source + "/inputs/sai-table3.toml"));
  expect_error(
      run_here({"list", "--resources", "--deck", "d.toml", "--set", "output.published=none.toml"}),
      {"--set output.published: published table none.toml: no such file", source});
  expect_error(run_here({"run", "quick.toml", "--dry-run", "--counters", "none.json"}),
               {"result file none.json: no such file", source});
}

TEST_F(Elsewhere, ResultsStayHere) {
  const Outcome outcome = run_here(
      {"run", "quick.toml", "--profile", "-o", "inputs/machines", "-v", "acoustic/gmem:8x8x8",
       "--set", "case.nx=24", "--set", "case.ny=24", "--set", "case.nz=24", "--set",
       "acoustic.pml_cells=3", "--set", "acoustic.decomposition=single"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(has(read_text(folder_ / "inputs/machines/result.json"), "tessera-result-1"));
}

}  // namespace
}  // namespace tessera::test
