// SPDX-License-Identifier: Apache-2.0
// `tessera study`: a folder a machine with results, machine file, log and manifest.
#include <filesystem>
#include <string>

#include "base/device/space.hpp"
#include "fixtures/cli_fixture.hpp"
#include "fixtures/paths.hpp"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;

class CliStudy : public Cli {
 protected:
  CliStudy() {
    write_text(suite(),
               "name = \"tiny\"\n"
               "[[run]]\ndeck = \"" +
                   deck() +
                   "\"\n"
                   "[[run]]\ndeck = \"" +
                   deck() +
                   "\"\nname = \"double\"\n"
                   "set = [\"case.precision=double\"]\nvariants = [\"acoustic/naive:default\"]\n");
    // A machine file spares the tests the measuring of one.
    machine_ = (fs::path(tessera::source_directory()) / "inputs/machines" /
                (kOnDevice ? "H100.json" : "Zen4-AVX2.json"))
                   .string();
  }
  [[nodiscard]] std::string suite() const { return (folder_ / "suite.toml").string(); }
  [[nodiscard]] fs::path folder() const { return folder_ / "studies"; }
  [[nodiscard]] Outcome study(const Arguments& more = {}) const {
    Arguments arguments = {"study",      suite(), "-o", (folder_ / "studies").string(),
                           "--platform", "here",  "-m", machine_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }
  [[nodiscard]] json read(const char* name) const {
    return json::parse(read_text((folder() / name).string()));
  }
  std::string machine_;
};

TEST_F(CliStudy, LeavesAFolder) {
  const Outcome outcome = study({"--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out), read("manifest.json"));
  for (const char* name :
       {"tiny/result.json", "tiny/result.csv", "double/result.json", "machine.json", "log.txt"}) {
    EXPECT_TRUE(fs::exists(folder() / name)) << name;
  }
  const json manifest = read("manifest.json");
  EXPECT_EQ(manifest.at("platform"), "here");
  for (const json& run : manifest.at("runs")) {
    EXPECT_EQ(run.at("status"), "done") << run;
    EXPECT_EQ(run.at("rows").at("valid"), 1);
  }
  EXPECT_EQ(read("double/result.json").at("results")[0].at("precision"), "double");
  EXPECT_EQ(read("double/result.json").at("machine").at("name"), "here");
  EXPECT_EQ(read("run.json").at("state"), "complete");
  EXPECT_EQ(read("tiny/run.json").at("state"), "complete");
}

// It goes on where it stopped; a deck that was changed fails its run and loses nothing.
TEST_F(CliStudy, ChangedDeckFailsItsRunAndLosesNothing) {
  ASSERT_EQ(study({"--only", "tiny"}).status, 0);
  EXPECT_EQ(read("manifest.json").at("runs")[1].at("status"), "skipped");
  const std::string before = read_text((folder() / "tiny/result.json").string());
  for (const Arguments& how : {Arguments{}, Arguments{"--dry-run"}}) {
    expect_error(study(how), {folder().string(), "--resume"});
  }
  expect_error(study({"--resume", "--set", "case.nx=30", "--only", "tiny"}), {"manifest.json"});
  EXPECT_TRUE(has(read("manifest.json").at("runs")[0].at("reason"), "case.nx"));
  const Outcome dry = study({"--dry-run", "--resume"});
  ASSERT_EQ(dry.status, 0) << dry.err;
  EXPECT_TRUE(has(dry.out, "1 of the 1 rows of ")) << dry.out;
  const Outcome outcome = study({"--resume"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(read_text((folder() / "tiny/result.json").string()), before);
  EXPECT_EQ(read("manifest.json").at("runs")[1].at("status"), "done");
}

TEST_F(CliStudy, FailedRunDoesNotStopTheOthers) {
  const Outcome outcome = study({"--set", "select.variants=[\"acoustic/gmem:1x1x1\"]"});
  expect_error(outcome, {"manifest.json"}, Warnings::allowed);
  const json runs = read("manifest.json").at("runs");
  EXPECT_EQ(runs[0].at("status"), "failed");
  EXPECT_TRUE(has(runs[0].at("reason"), "acoustic/gmem:1x1x1"));
  EXPECT_EQ(runs[1].at("status"), "done") << "it names its own variants";
}

TEST_F(CliStudy, SpentBudgetLeavesRunsWaiting) {
  const Outcome outcome = study({"--time-budget", "0.001s"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json before = read("manifest.json");
  for (const json& run : before.at("runs")) EXPECT_EQ(run.at("status"), "waiting");
  ASSERT_EQ(study({"--resume"}).status, 0);
  const json after = read("manifest.json");
  for (const json& run : after.at("runs")) EXPECT_EQ(run.at("status"), "done");
}

TEST_F(CliStudy, PredictsWithoutADevice) {
  const Outcome outcome =
      run_program({"study", suite(), "--predict", "V100", "-o", (folder_ / "predicted").string()});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const fs::path there = folder_ / "predicted";
  EXPECT_TRUE(fs::exists(there / "tiny.json"));
  const json file = json::parse(read_text((there / "double.json").string()));
  EXPECT_EQ(file.at("schema"), "tessera-prediction-1");
  EXPECT_EQ(file.at("cases")[0].at("precision"), "double");
}

TEST_F(CliStudy, DryRunAndPredictGoOnAfterAFailureAndPassOverOtherMachines) {
  std::string text = read_text(suite());
  text += "[[run]]\ndeck = \"" + deck() + "\"\nname = \"gpus\"\non = \"gpu\"\n";
  text += "[[run]]\ndeck = \"" + deck() + "\"\nname = \"hosts\"\non = \"cpu\"\n";
  write_text(suite(), text);
  const Outcome all = study({"--dry-run"});
  EXPECT_EQ(all.status, 0) << all.err;
  EXPECT_FALSE(has(all.out, kOnDevice ? "hosts" : "gpus")) << all.out;
  const std::string unknown = "select.variants=[\"acoustic/gmem:1x1x1\"]";
  const Outcome dry = study({"--dry-run", "--set", unknown});
  expect_error(dry, {"2 of 4 runs failed"}, Warnings::allowed);
  EXPECT_TRUE(has(dry.out, "tiny: failed: ")) << dry.out;
  EXPECT_TRUE(has(dry.out, "\ndouble (")) << "it names its own variants";
  const Outcome predicted = run_program({"study", suite(), "--predict", "V100", "--set", unknown,
                                         "-o", (folder_ / "predicted").string()});
  expect_error(predicted, {"2 of 4 runs failed"}, Warnings::allowed);
  EXPECT_TRUE(fs::exists(folder_ / "predicted" / "double.json"));
  EXPECT_FALSE(fs::exists(folder_ / "predicted" / "hosts.json"));
}

TEST_F(CliStudy, RedactedStudyNamesNoHost) {
  std::string machine = read_text(machine_);
  json named = json::parse(machine);
  named["metadata"] = {{"machine", {{"hostname", "secret"}, {"host", {{"hostname", "secret"}}}}}};
  machine_ = (folder_ / "named.json").string();
  write_text(machine_, named.dump());
  ASSERT_EQ(study({"--set", "output.redact=true", "--only", "tiny"}).status, 0);
  for (const auto& entry : fs::recursive_directory_iterator(folder())) {
    if (!entry.is_regular_file()) continue;
    EXPECT_FALSE(has(read_text(entry.path().string()), "secret")) << entry.path();
  }
  EXPECT_EQ(read("machine.json").at("metadata").at("machine").at("hostname"), "redacted");
}

TEST_F(CliStudy, BadInputIsRefused) {
  expect_error(run_program({"study", "no-such-suite.toml"}), {"no-such-suite.toml"});
  expect_error(study({"--only", "nothing"}), {"--only", "suite.toml"});
  expect_error(study({"--time-budget", "soon"}), {"--time-budget"});
  write_text((folder_ / "shot.toml").string(), "[case]\nduration_s = 1\n[source]\nx = 1\n");
  write_text(suite(), "[[run]]\ndeck = \"shot.toml\"\n");
  const Outcome shot = study({"--dry-run"});
  EXPECT_EQ(shot.status, 1);
  EXPECT_TRUE(has(shot.out, "tessera shot")) << shot.out;
  for (const Arguments& how : {Arguments{"--dry-run"}, Arguments{"--predict", "V100"}}) {
    Arguments command = {"study", suite(), "--platform", ".."};
    command.insert(command.end(), how.begin(), how.end());
    expect_error(run_program(command), {"--platform", ".."});
  }
  EXPECT_FALSE(fs::exists(folder()));
}

TEST_F(CliStudy, MachineFilesOfTheOtherKindAreRefused) {
  const char* other = kOnDevice ? "Zen4-AVX2" : "H100";
  expect_error(run_program({"study", suite(), "-o", (folder_ / "studies").string(), "-m", other}),
               {other, kOnDevice ? "cpu" : "gpu"});
  EXPECT_FALSE(fs::exists(folder_ / "studies"));
  expect_error(run_deck({"-m", other}), {other, kOnDevice ? "cpu" : "gpu"});
  expect_error(run_program({"tune", deck(), "--machine", other, "--prune", "2", "--dry-run"}),
               {other, kOnDevice ? "cpu" : "gpu"});
  ASSERT_EQ(study({"--only", "tiny"}).status, 0);
  expect_error(run_program({"predict", "--study", (folder() / "tiny").string(), "-m", other}),
               {"result.json", other});
  expect_error(
      run_program({"machine", "--calibrate", (folder() / "tiny/result.json").string(), "--input",
                   (fs::path(tessera::source_directory()) / "inputs/machines" /
                    (std::string(other) + ".json"))
                       .string(),
                   "-o", (folder_ / "fit.json").string()}),
      {"result.json", other});
}

}  // namespace
}  // namespace tessera::test
