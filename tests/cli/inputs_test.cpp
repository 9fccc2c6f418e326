// SPDX-License-Identifier: Apache-2.0
// The project's decks, machine files and tables from a directory that has none of them, and decks
// that are given to another command.
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

  ScratchDirectory folder_;
};

TEST_F(Elsewhere, InputsOfEveryKindAreFoundByName) {
  for (const auto& [arguments, part] : {
           std::pair(Arguments{"plan", "j2d5pt", "--machine", "A100"}, "256 x 4"),
           {{"predict", "su-k20", "--machine", "K20"}, "low_order/baseline:32x4x1"},
           {{"list", "--resources", "--deck", "inputs/sai-table4.toml", "--set",
             "output.published=sai-table3", "acoustic/gmem:8x8x8"},
            "V100"},
           {{"predict", "su-k20", "-m", "H100", "--registers",
             "results/nvidia-h100/traffic-model/registers.csv"},
            "low_order/baseline:32x4x1"},
       }) {
    const Outcome outcome = run_here(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(has(outcome.out, part));
  }
  EXPECT_EQ(folder_.entries(), 0);
}

TEST_F(Elsewhere, TheVariableComesBeforeTheSourceTree) {
  const auto machines = folder_ / "data/inputs/machines";
  std::filesystem::create_directories(machines);
  write_text(machines / "A100.json", "not JSON");
  ::setenv("TESSERA_DATA", (folder_ / "data").c_str(), 1);
  expect_error(run_here({"plan", "j2d5pt", "--machine", "A100"}),
               {(machines / "A100.json").string()});
  EXPECT_EQ(run_here({"plan", "j2d5pt", "--machine", "H100"}).status, 0);
}

TEST_F(Elsewhere, OneLineSaysWhereWasLooked) {
  const std::string source = tessera::source_directory();
  expect_error(run_here({"plan", "j2d5pt", "--machine", "A1000"}), {"A1000", source, "A100"});
  expect_error(run_here({"run", "inputs/quik.toml"}), {"inputs/quik.toml", source, "quick"});
  expect_error(run_here({"list", "--resources", "--deck", "sai-table3.toml", "--set",
                         "output.published=none.toml"}),
               {"output.published", "none.toml", source});
  expect_error(run_here({"run", "quick.toml", "--dry-run", "--counters", "none.json"}),
               {"none.json", source});
}

TEST(DecksOfAnotherCommand, AreToldWhose) {
  for (const auto& [arguments, taker] : {std::pair(Arguments{"run", "shot.toml"}, "tessera shot"),
                                         {{"tune", "first-study.toml"}, "tessera study"},
                                         {{"run", "published/sai-table2.toml"}, "tools/compare.py"},
                                         {{"predict", "shot.toml", "-m", "H100"}, "tessera shot"},
                                         {{"shot", "quick.toml"}, "tessera run"},
                                         {{"study", "quick.toml"}, "tessera run"}}) {
    expect_error(run_program(arguments), {arguments[1], taker});
  }
}

// A name insists on its tile where a glob takes what is there: bites where all tiles are built.
TEST(DecksOfTheStudy, NameNoTileOfDevicesAlone) {
  for (const char* deck : {"sai-table2.toml", "amd-directions.toml", "low-order.toml",
                           "ebisu-j2d5pt.toml", "ebisu-j3d7pt.toml", "fang-37-random.toml"}) {
    const Outcome outcome =
        run_program({"run", deck, "--dry-run", "--set", "case.nx=64", "--set", "case.ny=64"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_FALSE(has(outcome.out, "unsupported: a device's tile")) << outcome.out;
  }
}

}  // namespace
}  // namespace tessera::test
