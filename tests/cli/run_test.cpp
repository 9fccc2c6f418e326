// SPDX-License-Identifier: Apache-2.0
// list, describe, run and verify as a user types them: what they print, write and refuse.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

#include "cli/child_process.hpp"
#include "unit/scratch_directory.hpp"

namespace tessera::test {
namespace {

using nlohmann::json;
using Arguments = std::vector<std::string>;

constexpr const char* kOldResult = "an older result\n";

/// A folder with a deck that runs in a blink, and an older result where the deck writes its own.
class Cli : public testing::Test {
 protected:
  Cli() {
    write_text(deck(), deck_text());
    write_text(result(), kOldResult);
  }

  [[nodiscard]] std::string deck() const { return (folder_ / "tiny.toml").string(); }
  [[nodiscard]] std::string result() const { return (folder_ / "tiny.json").string(); }
  [[nodiscard]] std::string csv() const { return (folder_ / "tiny.csv").string(); }

  [[nodiscard]] std::string deck_text() const {
    return "[case]\nfamily = \"acoustic\"\nnx = 24\nny = 22\nnz = 20\nsteps = 2\n"
           "[acoustic]\npml_cells = 3\ndecomposition = [\"two\"]\n"
           "[select]\nvariants = [\"acoustic/gmem:8x8x8\"]\n"
           "[measure]\nwarmup_s = 0.0\nrepetitions = 5\n"
           "[output]\njson = \"" +
           result() + "\"\ncsv = \"" + csv() + "\"\n";
  }

  [[nodiscard]] json read_result() const { return json::parse(read_text(result())); }

  /// Runs the deck with more arguments.
  [[nodiscard]] Outcome run_deck(const Arguments& more = {}) const {
    Arguments arguments = {"run", deck()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }

  /// One line on stderr with every one of `parts` in it, exit status 1, and no file touched.
  void expect_refused(const Outcome& outcome, const Arguments& parts) const {
    expect_error(outcome, parts);
    EXPECT_EQ(read_text(result()), kOldResult);
    EXPECT_EQ(folder_.entries(), 2) << "only the deck and the older result";
  }

  static void expect_error(const Outcome& outcome, const Arguments& parts) {
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.err.rfind("tessera: error: ", 0), 0u) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    for (const auto& part : parts) EXPECT_TRUE(has(outcome.err, part));
  }

  ScratchDirectory folder_;
};

TEST_F(Cli, HelpAndVersionNeedNothing) {
  for (const Arguments& arguments :
       {Arguments{"--help"}, Arguments{"list", "--help"}, Arguments{"describe", "--help"},
        Arguments{"run", "--help"}, Arguments{"verify", "--help"}, Arguments{"machine", "--help"},
        Arguments{"shot", "--help"}}) {
    const Outcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.status, 0) << arguments.front() << outcome.err;
    // Example lines start with the program, whatever indentation this CLI11 gives them.
    const std::string command = arguments.size() > 1 ? arguments.front() : "run";
    const char* heading = arguments.size() > 1 ? "Examples:" : "Start here:";
    const std::size_t examples = outcome.out.find(heading);
    ASSERT_NE(examples, std::string::npos) << arguments.front();
    EXPECT_TRUE(has(outcome.out.substr(examples), " tessera " + command))
        << "every help page has examples";
    EXPECT_EQ(outcome.err, "");
  }
  const Outcome version = run_program({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_EQ(version.out.find_first_not_of("0123456789."), version.out.find(" (")) << version.out;
}

TEST_F(Cli, IncompleteCommandsSayWhatIsMissing) {
  const Outcome bare = run_program({});
  EXPECT_NE(bare.status, 0);
  EXPECT_TRUE(has(bare.out + bare.err, "subcommand"));
  const Outcome no_deck = run_program({"run"});
  EXPECT_NE(no_deck.status, 0);
  EXPECT_TRUE(has(no_deck.err, "inputs/quick.toml"));
  const Outcome unknown = run_program({"run", deck(), "--faster"});
  EXPECT_NE(unknown.status, 0);
  EXPECT_TRUE(has(unknown.err, "--faster"));
  EXPECT_EQ(read_text(result()), kOldResult);
}

TEST_F(Cli, ListShowsEveryConfigurationOnce) {
  const json rows = json::parse(run_program({"list", "--json"}).out);
  ASSERT_TRUE(rows.is_array());
  std::vector<std::string> names;
  for (const json& row : rows) {
    names.push_back(row.at("name"));
    EXPECT_TRUE(row.at("resources").contains("scratch_bytes"));
  }
  for (const char* name :
       {"acoustic/naive:default", "acoustic/gmem:8x8x8", "acoustic/st_reg_fixed:32x16"}) {
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  }
  const Outcome table = run_program({"list"});
  EXPECT_EQ(table.status, 0) << table.err;
  for (const auto& name : names) EXPECT_TRUE(has(table.out, name));
  expect_error(run_program({"list", "acoustic/gmen"}), {"acoustic/gmen", "acoustic/gmem"});
}

TEST_F(Cli, DescribeSpeaksOfEveryVariant) {
  std::vector<std::string> names;
  for (const json& row : json::parse(run_program({"list", "--json"}).out)) {
    const auto full = row.at("name").get<std::string>();
    const std::string name = full.substr(0, full.find(':'));
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  for (const auto& name : names) {
    const Outcome outcome = run_program({"describe", name});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    for (const char* part : {"formula", "source", "memory", "loses", "survives", "flops a cell"})
      EXPECT_TRUE(has(outcome.out, part)) << name;
  }
  expect_error(run_program({"describe", "acoustic/st_reg_fxed"}), {"acoustic/st_reg_fixed"});
  expect_error(run_program({"describe", "acoustic/gmem:8x8x88"}), {"acoustic/gmem:8x8x8"});
}

TEST_F(Cli, RunWritesEveryField) {
  const Outcome outcome = run_deck({"--set", "acoustic.decomposition=[\"single\", \"seven\"]"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part :
       {"acoustic/gmem:8x8x8", "GCell/s", "% of update", "streams: copy", "final field: u_min = "})
    EXPECT_TRUE(has(outcome.out, part));
  const json file = read_result();
  EXPECT_EQ(file.at("schema"), "tessera-result-1");
  for (const char* key : {"machine", "build", "deck", "streams", "date", "command_line"})
    EXPECT_TRUE(file.contains(key)) << key;
  EXPECT_EQ(file.at("deck").at("case").at("nx"), 24);
  for (const char* stream : {"copy", "triad", "update"})
    EXPECT_GT(file.at("streams").at(stream).get<double>(), 0) << stream;
  const json& rows = file.at("results");
  ASSERT_EQ(rows.size(), 2u);
  for (const json& row : rows) {
    for (const char* key : {"family",
                            "stencil",
                            "variant",
                            "configuration",
                            "decomposition",
                            "precision",
                            "nx",
                            "ny",
                            "nz",
                            "steps",
                            "status",
                            "reason",
                            "samples_s",
                            "gcell_per_s",
                            "effective_gb_per_s",
                            "fraction_of_copy",
                            "fraction_of_update",
                            "gflop_per_s",
                            "u_min",
                            "u_max",
                            "resources",
                            "predicted",
                            "counters"})
      EXPECT_TRUE(row.contains(key)) << key;
    EXPECT_EQ(row.at("status"), "valid") << row.at("reason");
    EXPECT_EQ(row.at("samples_s").size(), 5u);
    const json& rate = row.at("gcell_per_s");
    EXPECT_LE(rate.at("min"), rate.at("median"));
    EXPECT_LE(rate.at("median"), rate.at("max"));
    // The seed's wavelet at t = 0 and dt, and nothing else, is in the field: it cannot be flat.
    EXPECT_LT(row.at("u_min").get<double>(), row.at("u_max").get<double>());
  }
  EXPECT_EQ(rows[0].at("u_max"), rows[1].at("u_max")) << "regions must not change the result";
  const std::string table = read_text(csv());
  EXPECT_EQ(table.rfind("application,problem,platform,fom,family,", 0), 0u);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 3);
}

TEST_F(Cli, CommandLineOverridesTheDeck) {
  const std::string other = (folder_ / "other.json").string();
  const Outcome outcome = run_deck({"--set", "case.nx=27", "--set", "case.precision=double", "-v",
                                    "acoustic/st_reg_fixed:32x16", "-v", "acoustic/naive", "-x",
                                    "acoustic/naive", "-o", other});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(read_text(result()), kOldResult);
  const json file = json::parse(read_text(other));
  ASSERT_EQ(file.at("results").size(), 1u);
  const json& row = file.at("results")[0];
  EXPECT_EQ(row.at("variant"), "acoustic/st_reg_fixed");
  EXPECT_EQ(row.at("nx"), 27);
  EXPECT_EQ(row.at("precision"), "double");
  EXPECT_EQ(file.at("deck").at("case").at("nx"), 27);
}

TEST_F(Cli, CsvStaysBesideTheResultFile) {
  const Outcome moved = run_deck({"-o", (folder_ / "moved.json").string()});
  ASSERT_EQ(moved.status, 0) << moved.err;
  EXPECT_EQ(read_text(csv()), "") << "-o names another result: the deck's table is not its own";
  EXPECT_TRUE(has(read_text(folder_ / "moved.csv"), "application,"));
  const Outcome none = run_deck({"--set", "output.csv=\"\""});
  ASSERT_EQ(none.status, 0) << none.err;
  EXPECT_EQ(read_text(csv()), "");
  EXPECT_EQ(read_result().at("results").size(), 1u);
}

TEST_F(Cli, DryRunShowsThePlanAndWritesNothing) {
  const Outcome outcome = run_deck({"--dry-run"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part : {"memory:", "GiB needed", "predicted:", "GCell/s", "acoustic/gmem:8x8x8"})
    EXPECT_TRUE(has(outcome.out, part));
  EXPECT_EQ(read_text(result()), kOldResult);
  EXPECT_EQ(folder_.entries(), 2);
}

TEST_F(Cli, VerifyComparesWithTheReference) {
  const Outcome outcome = run_program({"verify", "acoustic/st_*:32x16", "--seed", "7"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "seed 7"));
  // Two precisions in three decompositions.
  EXPECT_TRUE(has(outcome.out, "6 valid, 0 invalid, 0 unsupported"));
  expect_error(run_program({"verify", "acoustic/nothing*"}), {"acoustic/nothing*"});
}

/// Arguments after `run DECK`, and what the one line must name.
struct BadInput {
  std::string name;
  Arguments arguments;
  Arguments parts;
};

BadInput set(const std::string& name, const Arguments& assignments, const Arguments& parts) {
  Arguments arguments;
  for (const auto& assignment : assignments) {
    arguments.push_back("--set");
    arguments.push_back(assignment);
  }
  return {name, arguments, parts};
}

TEST_F(Cli, BadInputIsOneLineAndCostsNothing) {
  const BadInput inputs[] = {
      set("UnknownKey", {"case.nxx=3"}, {"unknown key case.nxx", "case.nx"}),
      set("UnknownTable", {"akoustic.h=3"}, {"akoustic", "acoustic"}),
      set("WrongType", {"case.nx=true"}, {"case.nx", "an integer"}),
      set("NotAChoice", {"case.precision=half"}, {"case.precision", "half", "float, double"}),
      set("OutOfRange", {"measure.repetitions=2"}, {"measure.repetitions", "2", "5"}),
      set("NoSteps", {"case.steps=0"}, {"case.steps", "0", "1"}),
      set("UnknownDecomposition", {"acoustic.decomposition=eight"}, {"eight", "seven"}),
      set("GridBeyondMemory", {"case.nx=10000", "case.ny=10000", "case.nz=1000000"},
          {"10000 x 10000 x 1000000", "needs", "GiB", "available"}),
      set("PlaneBeyond32BitStrides", {"case.nx=1048576", "case.ny=1048576", "case.nz=1048576"},
          {"1048576 x 1048576", "too large", "limit"}),
      set("UnstableTimeStep", {"acoustic.velocity=9000"}, {"unstable", "5625", "9000"}),
      set("CflAboveOne", {"acoustic.cfl=1.5"}, {"acoustic.cfl = 1.5", "limit is 1"}),
      set("NoInnerRegion", {"case.nx=6"}, {"case.nx = 6", "2 * pml_cells + 1 = 7"}),
      set("NegativeSpacing", {"acoustic.h=[20, -1, 20]"}, {"acoustic.h", "-1"}),
      set("SourceOutside", {"acoustic.source_at=[24, 0, 0]"}, {"acoustic.source_at"}),
      set("OutputInProc", {"output.json=/proc/none/result.json"}, {"/proc/none"}),
      BadInput{"UnknownVariant", {"-v", "acoustic/st_reg_fxed"}, {"acoustic/st_reg_fixed"}},
      BadInput{"UnknownTile", {"-v", "acoustic/gmem:8x8x88"}, {"acoustic/gmem:8x8x8"}},
      BadInput{"NothingLeft", {"-x", "acoustic/*"}, {"select.exclude"}}};
  for (const BadInput& input : inputs) {
    SCOPED_TRACE(input.name);
    expect_refused(run_deck(input.arguments), input.parts);
  }
}

TEST_F(Cli, DeckErrorsNameFileAndLine) {
  // The deck has 17 lines.
  write_text(deck(), deck_text() + "colour = \"red\"\n");
  expect_refused(run_deck(), {"tiny.toml:18: unknown key output.colour", "output."});
  write_text(deck(), deck_text() + "json = \n");
  expect_refused(run_deck(), {"tiny.toml:18:"});
  expect_refused(run_program({"run", (folder_ / "none.toml").string()}),
                 {"none.toml", "No such file"});
}

TEST_F(Cli, OutputInsideAFileIsRefused) {
  expect_refused(run_deck({"-o", result() + "/result.json"}), {"tiny.json"});
}

TEST_F(Cli, MoreThanTwoBillionCellsAreCountedRight) {
  // 2.7e9 cells: 71.5 GiB for seven fields of floats, padding apart; a machine may have that.
  const Outcome outcome = run_deck(
      {"--dry-run", "--set", "case.nx=1400", "--set", "case.ny=1400", "--set", "case.nz=1400"});
  const std::string text = outcome.status == 0 ? outcome.out : outcome.err;
  const auto unit = text.find(" GiB");
  ASSERT_NE(unit, std::string::npos) << text;
  const double gib = std::stod(text.substr(text.rfind(' ', unit - 1) + 1));
  EXPECT_GT(gib, 71.5);
  EXPECT_LT(gib, 71.5 * 1.1) << "padding is a few per cent";
  if (outcome.status != 0) expect_refused(outcome, {"1400 x 1400 x 1400", "available"});
}

TEST_F(Cli, AskedByNameAndUnsupportedFails) {
  for (const char* precision : {"float", "double"}) {
    for (const json& row :
         json::parse(run_program({"list", "--json", "--precision", precision}).out)) {
      if (row.at("unsupported") == "") continue;
      const auto name = row.at("name").get<std::string>();
      const auto set_precision = std::string("case.precision=") + precision;
      const Outcome asked = run_deck({"-v", name, "--set", set_precision});
      expect_error(asked, {name, "by name"});
      const Outcome swept = run_deck({"-v", name + "*", "--set", set_precision});
      EXPECT_EQ(swept.status, 0) << "a glob takes what runs: " << swept.err;
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

TEST_F(Cli, FullDiskLeavesTheOldResult) {
  ProcessOptions options;
  options.file_bytes = 100;
  expect_refused(run_program({"run", deck()}, options), {"tiny.json", "cannot write"});
}

TEST_F(Cli, FullDeviceIsReported) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  expect_refused(run_deck({"--set", "output.json=/dev/full"}), {"cannot write", "/dev"});
}

/// Samples of a few microseconds, without end.
const Arguments kEndless = {"--set", "measure.repetitions=1000000"};

TEST_F(Cli, KilledRunLeavesTheOldResult) {
  Arguments arguments = {"run", deck()};
  arguments.insert(arguments.end(), kEndless.begin(), kEndless.end());
  ProcessOptions options;
  options.terminal = true;
  ChildProcess child(arguments, options);
  ASSERT_TRUE(child.wait_for_err("timing")) << child.err();
  child.send(SIGKILL);
  EXPECT_EQ(child.finish().status, 128 + SIGKILL);
  EXPECT_EQ(read_text(result()), kOldResult);
  EXPECT_EQ(folder_.entries(), 2);
}

TEST_F(Cli, InterruptedRunWritesWhatItHas) {
  Arguments arguments = {"run", deck()};
  arguments.insert(arguments.end(), kEndless.begin(), kEndless.end());
  ProcessOptions options;
  options.terminal = true;
  ChildProcess child(arguments, options);
  // The second "timing" comes after the first repetition.
  ASSERT_TRUE(child.wait_for_err("timing", 2)) << child.err();
  child.send(SIGINT);
  const Outcome outcome = child.finish();
  EXPECT_EQ(outcome.status, 130);
  EXPECT_TRUE(has(outcome.err, "interrupted"));
  EXPECT_TRUE(has(outcome.out, result()));
  const json row = read_result().at("results")[0];
  EXPECT_EQ(row.at("status"), "valid");
  EXPECT_GE(row.at("samples_s").size(), 1u);
  EXPECT_LT(row.at("samples_s").size(), 1000000u);
  EXPECT_TRUE(has(row.at("reason"), "interrupted"));
}

TEST_F(Cli, InterruptBeforeTheFirstSampleKeepsTheOldResult) {
  ProcessOptions options;
  options.terminal = true;
  ChildProcess child({"run", deck(), "--set", "measure.warmup_s=600"}, options);
  ASSERT_TRUE(child.wait_for_err("warming up")) << child.err();
  child.send(SIGINT);
  const Outcome outcome = child.finish();
  EXPECT_EQ(outcome.status, 130);
  EXPECT_TRUE(has(outcome.err, "nothing was measured"));
  EXPECT_EQ(read_text(result()), kOldResult);
}

}  // namespace
}  // namespace tessera::test
