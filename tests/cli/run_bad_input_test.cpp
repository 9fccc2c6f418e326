// SPDX-License-Identifier: Apache-2.0
// `tessera run` on bad input: one clear line, a status that is not zero, nothing half-written.
#include <string>

#include "fixtures/cli_fixture.hpp"

namespace tessera::test {
namespace {

/// Arguments after `run DECK`, and what the one line must name.
struct BadInput {
  std::string name;
  Arguments arguments;
  Arguments parts;
};

BadInput set(const std::string& name, const Arguments& assignments, const Arguments& parts) {
  return {name, overrides(assignments), parts};
}

TEST_F(Cli, BadInputIsOneLineAndCostsNothing) {
  const BadInput inputs[] = {
      set("UnknownTable", {"akoustic.h=3"}, {"akoustic", "acoustic"}),
      set("UnknownDecomposition", {"acoustic.decomposition=eight"}, {"eight", "seven_concurrent"}),
      set("DecompositionTwice", {R"(acoustic.decomposition=["two","two"])"},
          {"acoustic.decomposition", "two"}),
      set("GridBeyondMemory", {"case.nx=10000", "case.ny=10000", "case.nz=1000000"},
          {"10000 x 10000 x 1000000", "GiB"}),
      set("PlaneBeyond32BitStrides", {"case.nx=1048576", "case.ny=1048576", "case.nz=1048576"},
          {"1048576 x 1048576", "limit"}),
      set("UnstableTimeStep", {"acoustic.velocity=9000"}, {"unstable", "5625", "9000"}),
      set("LayersTooThin", {"acoustic.pml_cells=2"}, {"acoustic.pml_cells = 2", "3 or more"}),
      set("NoInnerRegion", {"case.nx=6"}, {"case.nx = 6", "2 * pml_cells + 1 = 7"}),
      set("SourceOutside", {"acoustic.source_at=[24, 0, 0]"}, {"acoustic.source_at"}),
      set("OutputInProc", {"output.directory=/proc/none/x"}, {"/proc/none"}),
      set("OutputIsThere", {"output.directory=/tmp"}, {"/tmp", "-o"}),
      set("OutputIsAFile", {"output.directory=x.json"}, {"x.json"}),
      set("KeysOfFiles", {"output.json=x.json"}, {"output.json", "output.directory"}),
      BadInput{"OutputInAFile", {"-o", deck() + "/x"}, {"tiny.toml"}},
      BadInput{"UnknownVariant", {"-v", "acoustic/st_reg_fxed"}, {"acoustic/st_reg_fixed"}},
      BadInput{"UnknownTile", {"-v", "acoustic/gmem:8x8x88"}, {"acoustic/gmem:8x8x8"}},
      BadInput{"NothingLeft", {"-x", "acoustic/*"}, {"select.exclude"}}};
  for (const BadInput& input : inputs) {
    SCOPED_TRACE(input.name);
    expect_refused(run_deck(input.arguments), input.parts);
  }
}

TEST_F(Cli, AnOverflowOf16BitsIsNamed) {
  Arguments arguments = overrides({"acoustic.storage=half", "acoustic.storage_scale=1e9"});
  arguments.insert(arguments.end(), {"-v", "acoustic/naive:default"});
  expect_error(run_deck(arguments), {"acoustic.storage = \"half\"", "acoustic.storage_scale"});
}

TEST_F(Cli, ValuesThatAreNoneAreRefused) {
  for (const char* option : {"-o", "--platform", "--time-budget", "--machine", "--tuned"}) {
    expect_error(run_deck({option, ""}), {option});
  }
  expect_untouched();
}

TEST_F(Cli, DeckErrorsNameFileAndLine) {
  // The deck has 16 lines.
  write_text(deck(), deck_text() + "colour = \"red\"\n");
  expect_refused(run_deck(), {"tiny.toml:17: ", "output.colour"});
  write_text(deck(), deck_text() + "redact = \n");
  expect_refused(run_deck(), {"tiny.toml:17:"});
  expect_refused(run_program({"run", (folder_ / "none.toml").string()}), {"none.toml"});
}

TEST_F(Cli, MoreThanTwoBillionCellsAreCountedRight) {
  // 2.7e9 cells: 71.5 GiB for seven fields of floats, padding apart; a machine may have that.
  Arguments arguments = overrides({"case.nx=1400", "case.ny=1400", "case.nz=1400"});
  arguments.emplace_back("--dry-run");
  const Outcome outcome = run_deck(arguments);
  const std::string label = "\nmemory: ";
  const auto at = outcome.out.find(label);
  ASSERT_NE(at, std::string::npos) << outcome.out << outcome.err;
  const double gib = std::stod(outcome.out.substr(at + label.size()));
  EXPECT_GT(gib, 71.5);
  EXPECT_LT(gib, 71.5 * 1.1) << "padding is a few per cent";
  if (outcome.status != 0) expect_refused(outcome, {"1400 x 1400 x 1400", "available"});
}

TEST_F(Cli, DryRunShowsThePlanOfWhatDoesNotFitAndFails) {
  Arguments arguments = overrides({"case.nx=10000", "case.ny=10000", "case.nz=1000000"});
  arguments.emplace_back("--dry-run");
  const Outcome dry = run_deck(arguments);
  expect_refused(dry, {"10000 x 10000 x 1000000", "GiB"});
  for (const char* part : {"acoustic/gmem:8x8x8", "memory: ", "predicted: "})
    EXPECT_TRUE(has(dry.out, part));
}

TEST_F(Cli, AskedByNameAndUnsupportedFails) {
  for (const char* precision : {"float", "double"}) {
    for (const json& row :
         json::parse(run_program({"list", "--json", "--precision", precision}).out)) {
      if (row.at("unsupported").get<std::string>().empty()) continue;
      const auto name = row.at("name").get<std::string>();
      const auto set_precision = std::string("case.precision=") + precision;
      const Outcome asked = run_deck({"-v", name, "--set", set_precision});
      expect_error(asked, {name, "by name"});
      const Outcome swept = run_deck({"-v", name + "*", "--set", set_precision});
      expect_error(swept, {"can run here"});
      const Outcome dry = run_deck({"-v", name, "--set", set_precision, "--dry-run"});
      expect_error(dry, {"can run here"});
      return;
    }
  }
  GTEST_SKIP() << "this backend runs every configuration";
}

TEST_F(Cli, WavefieldThatIsNotFiniteHasNoRate) {
  // The wavelet's peak is 16 (0.6 f_max)^2: beyond what a float holds.
  const Outcome outcome = run_deck({"--set", "acoustic.f_max=1e20"});
  expect_error(outcome, {"acoustic/gmem:8x8x8", "not finite"});
  const json row = read_result().at("results")[0];
  EXPECT_EQ(row.at("status"), "invalid");
  EXPECT_TRUE(row.at("gcell_per_s").is_null());
  EXPECT_TRUE(row.at("samples_s").empty());
}

TEST_F(Cli, FullDiskIsOneLineAndTheRowsArePrinted) {
  ProcessOptions options;
  options.file_bytes = 3000;  // run.json fits, result.json does not
  const Outcome full = run_program({"run", deck()}, options);
  expect_error(full, {"result.json", "cannot write"});
}

}  // namespace
}  // namespace tessera::test
