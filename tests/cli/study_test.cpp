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
  const Outcome outcome = study();
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "[2/2] double"));
  EXPECT_TRUE(has(outcome.out, "fastest: acoustic/gmem:8x8x8"));
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
  EXPECT_TRUE(has(read_text((folder() / "log.txt").string()), "variant:configuration"));
  EXPECT_EQ(read("run.json").at("state"), "complete");
  EXPECT_EQ(read("tiny/run.json").at("state"), "complete");
}

TEST_F(CliStudy, GoesOnWhereItStopped) {
  ASSERT_EQ(study({"--only", "tiny"}).status, 0);
  EXPECT_EQ(read("manifest.json").at("runs")[1].at("status"), "skipped");
  const json before = read("tiny/result.json");
  expect_error(study(), {"holds a study", "--resume"});
  expect_error(study({"--dry-run"}), {"holds a study", "--resume"});
  const Outcome outcome = study({"--resume"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(read("tiny/result.json").at("results")[0].at("samples_s"),
            before.at("results")[0].at("samples_s"));
  EXPECT_EQ(read("manifest.json").at("runs")[1].at("status"), "done");
}

TEST_F(CliStudy, FailedRunDoesNotStopTheOthers) {
  const Outcome outcome = study({"--set", "select.variants=[\"acoustic/gmem:1x1x1\"]"});
  expect_error(outcome, {"1 of 2 runs failed", "manifest.json"}, Warnings::allowed);
  const json runs = read("manifest.json").at("runs");
  EXPECT_EQ(runs[0].at("status"), "failed");
  EXPECT_TRUE(has(runs[0].at("reason"), "no variant matches"));
  EXPECT_EQ(runs[1].at("status"), "done") << "it names its own variants";
}

TEST_F(CliStudy, SpentBudgetLeavesRunsWaiting) {
  const Outcome outcome = study({"--time-budget", "0.001s"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "continue with --resume"));
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
  EXPECT_TRUE(has(all.out, "1 runs are not for a ")) << all.out;
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

TEST_F(CliStudy, DryRunLooksWhereTheStudyWould) {
  ASSERT_EQ(study({"--only", "tiny"}).status, 0);
  const Outcome dry = study({"--dry-run", "--resume"});
  ASSERT_EQ(dry.status, 0) << dry.err;
  EXPECT_TRUE(has(dry.out, "1 of the 1 rows of ")) << dry.out;
  EXPECT_EQ(read("manifest.json").at("runs")[1].at("status"), "skipped");
}

TEST_F(CliStudy, ChangedDeckFailsItsRunAndLosesNothing) {
  ASSERT_EQ(study({"--only", "tiny"}).status, 0);
  const std::string before = read_text((folder() / "tiny/result.json").string());
  expect_error(study({"--resume", "--set", "case.nx=30"}), {"1 of 2 runs failed"});
  EXPECT_EQ(read_text((folder() / "tiny/result.json").string()), before);
  EXPECT_TRUE(has(read("manifest.json").at("runs")[0].at("reason"), "its deck.case.nx is 24"));
}

TEST_F(CliStudy, RedactedStudyNamesNoHost) {
  std::string machine = read_text(machine_);
  json named = json::parse(machine);
  named["metadata"] = {{"machine", {{"hostname", "secret"}, {"host", {{"hostname", "secret"}}}}}};
  machine_ = (folder_ / "named.json").string();
  write_text(machine_, named.dump());
  ASSERT_EQ(study({"--only", "tiny"}).status, 0);
  EXPECT_TRUE(has(read_text((folder() / "machine.json").string()), "secret")) << "nobody asked";
  fs::remove_all(folder());
  ASSERT_EQ(study({"--set", "output.redact=true", "--only", "tiny"}).status, 0);
  for (const auto& entry : fs::recursive_directory_iterator(folder())) {
    if (!entry.is_regular_file()) continue;
    EXPECT_FALSE(has(read_text(entry.path().string()), "secret")) << entry.path();
  }
  EXPECT_EQ(read("machine.json").at("metadata").at("machine").at("hostname"), "redacted");
}

TEST_F(CliStudy, PrintsTheManifestAsJson) {
  const Outcome outcome = study({"--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out), read("manifest.json"));
  EXPECT_TRUE(has(outcome.err, "[2/2] double; about ")) << outcome.err;
}

TEST_F(CliStudy, BadInputIsRefused) {
  expect_error(run_program({"study", "no-such-suite.toml"}), {"no-such-suite.toml"});
  expect_error(run_program({"study", deck()}), {"run"});
  expect_error(run_program({"study"}), {"tessera study inputs/study.toml"});
  expect_error(study({"--only", "nothing"}), {"--only", "suite.toml"});
  expect_error(study({"--time-budget", "soon"}), {"--time-budget"});
  write_text((folder_ / "shot.toml").string(), "[case]\nduration_s = 1\n[source]\nx = 1\n");
  write_text(suite(), "[[run]]\ndeck = \"shot.toml\"\n");
  const Outcome shot = study({"--dry-run"});
  expect_error(shot, {"1 of 1 runs failed"});
  EXPECT_TRUE(has(shot.out, "is the deck of a shot: tessera shot takes it")) << shot.out;
}

TEST_F(CliStudy, NamesThatLeaveItsFolderAreRefused) {
  const std::string out = (folder_ / "studies").string();
  std::string plain = deck_text();
  plain.resize(plain.find("[output]"));
  const std::string undirected = (folder_ / "undirected.toml").string();
  write_text(undirected, plain);
  for (const char* name : {"..", ".", " ", "\u65e5\u672c"}) {
    for (const Arguments& how :
         {Arguments{}, Arguments{"--dry-run"}, Arguments{"--predict", "V100"}}) {
      Arguments command = {"study", suite(), "-o", out, "--platform", name};
      command.insert(command.end(), how.begin(), how.end());
      expect_error(run_program(command), {"--platform", name, "leaves no name"});
    }
    expect_error(run_program({"run", undirected, "--platform", name, "--dry-run"}),
                 {"the platform's name", "leaves no name"});
  }
  EXPECT_FALSE(fs::exists(out));
}

TEST_F(CliStudy, MachineFilesOfTheOtherKindAreRefused) {
  const char* other = kOnDevice ? "Zen4-AVX2" : "H100";
  const std::string words = kOnDevice ? "describes a cpu, but this machine is a gpu"
                                      : "describes a gpu, but this machine is a cpu";
  expect_error(run_program({"study", suite(), "-o", (folder_ / "studies").string(), "-m", other}),
               {other, words});
  EXPECT_FALSE(fs::exists(folder_ / "studies"));
  expect_error(run_deck({"-m", other}), {other, words});
  expect_error(run_deck({"-m", other, "--dry-run"}), {other, words});
  expect_error(run_program({"tune", deck(), "--machine", other, "--prune", "2", "--dry-run"}),
               {other, words});
  ASSERT_EQ(study({"--only", "tiny"}).status, 0);
  expect_error(run_program({"predict", "--study", (folder() / "tiny").string(), "-m", other}),
               {"result.json", "its rows were measured on a ", other});
  expect_error(
      run_program({"machine", "--calibrate", (folder() / "tiny/result.json").string(), "--input",
                   (fs::path(tessera::source_directory()) / "inputs/machines" /
                    (std::string(other) + ".json"))
                       .string(),
                   "-o", (folder_ / "fit.json").string()}),
      {"result.json", "its rows were measured on a ", other});
}

}  // namespace
}  // namespace tessera::test
