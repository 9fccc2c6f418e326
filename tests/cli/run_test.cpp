// SPDX-License-Identifier: Apache-2.0
// `tessera run` on good input: what it prints, writes and warns of.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "fixtures/cli_fixture.hpp"

namespace tessera::test {
namespace {

TEST_F(Cli, RunWritesWhatItMeasured) {
  const Outcome outcome = run_deck({"--set", "acoustic.decomposition=[\"single\", \"seven\"]"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json file = read_result();
  EXPECT_EQ(file.at("schema"), "tessera-result-1");
  EXPECT_EQ(file.at("deck").at("case").at("nx"), 24);
  for (const char* stream : {"copy", "triad", "update"})
    EXPECT_GT(file.at("streams").at(stream).get<double>(), 0) << stream;
  const json& rows = file.at("results");
  ASSERT_EQ(rows.size(), 2u);
  for (const json& row : rows) {
    EXPECT_EQ(row.at("status"), "valid") << row.at("reason");
    EXPECT_EQ(row.at("samples_s").size(), 5u);
    const json& rate = row.at("gcell_per_s");
    EXPECT_LE(rate.at("min"), rate.at("median"));
    EXPECT_LE(rate.at("median"), rate.at("max"));
    // The paper's wavelet at t = 0 and dt, and nothing else, is in the field: it cannot be flat.
    EXPECT_LT(row.at("u_min").get<double>(), row.at("u_max").get<double>());
  }
  EXPECT_EQ(rows[0].at("u_max"), rows[1].at("u_max")) << "regions must not change the result";
  const std::string table = read_text(csv());
  EXPECT_EQ(table.rfind("application,problem,platform,fom,family,", 0), 0u);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 3);
}

TEST_F(Cli, CommandLineOverridesTheDeck) {
  const std::string other = (folder_ / "other").string();
  const Outcome outcome = run_deck({"--set", "case.nx=27", "--set", "case.precision=double", "-v",
                                    "acoustic/st_reg_fixed:32x16", "-v", "acoustic/naive:default",
                                    "-x", "acoustic/naive", "-o", other});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  expect_untouched();
  const json file = json::parse(read_text(other + "/result.json"));
  ASSERT_EQ(file.at("results").size(), 1u);
  const json& row = file.at("results")[0];
  EXPECT_EQ(row.at("variant"), "acoustic/st_reg_fixed");
  EXPECT_EQ(row.at("nx"), 27);
  EXPECT_EQ(row.at("precision"), "double");
  EXPECT_EQ(file.at("deck").at("case").at("nx"), 27);
}

TEST_F(Cli, TheTileThatKokkosChoseIsKept) {
  const Outcome outcome = run_deck({"-v", "acoustic/naive:default", "-v", "acoustic/gmem:8x8x8"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json rows = read_result().at("results");
  for (const json& row : rows) {
    const json& plan = row.at("resources");
    EXPECT_EQ(plan.contains("default_tile"), row.at("configuration") == "default");
    if (!plan.contains("default_tile")) continue;
    for (const json& cells : plan.at("default_tile")) EXPECT_GT(cells.get<int>(), 0);
  }
  EXPECT_GT(rows.size(), 1u);
}

TEST_F(Cli, DryRunShowsThePlanAndWritesNothing) {
  const Outcome outcome = run_deck({"--dry-run", "-x", "low_order/*"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part : {"memory:", "predicted:", "--machine", "acoustic/gmem:8x8x8"})
    EXPECT_TRUE(has(outcome.out, part));
  EXPECT_FALSE(has(outcome.out, "streams:")) << "a dry run measures nothing";
  EXPECT_TRUE(has(outcome.err, "exclude \"low_order/*\"")) << "which leaves out nothing";
  // What cannot run here is counted by reason, and named when that is asked for.
  const Outcome counted = run_deck({"--dry-run", "-v", "acoustic"});
  const Outcome named = run_deck({"--dry-run", "-v", "acoustic", "--all"});
  EXPECT_TRUE(has(counted.out, "cannot run here")) << counted.out;
  EXPECT_FALSE(has(counted.out, "unsupported: "));
  EXPECT_TRUE(has(named.out, "unsupported: "));
  expect_untouched();
}

/// A machine file with one bandwidth.
std::string machine_file(const std::string& bandwidth, double gb_per_s) {
  const json machine = {
      {"schema", "tessera-machine-1"},  {"name", "stored"},    {"kind", "cpu"},
      {"device", "a processor of old"}, {"source", "made up"}, {"memory", {{bandwidth, gb_per_s}}}};
  return machine.dump();
}

TEST_F(Cli, WarnsOfAMachineSlowerThanItWas) {
  // The deck's machine file, no machine has that; then one that the option names.
  std::string text = deck_text();
  text.insert(text.find("warmup_s"), "machine = \"old.json\"\n");
  write_text(deck(), text);
  write_text(folder_ / "old.json", machine_file("triad_gb_per_s", 5e5));
  const Outcome slow = run_deck();
  EXPECT_EQ(slow.status, 0) << "a warning, not a failure: " << slow.err;
  EXPECT_EQ(std::count(slow.err.begin(), slow.err.end(), '\n'), 1) << slow.err;
  for (const char* part : {"warning: triad", "5e+05 GB/s", "old.json", "a processor of old"})
    EXPECT_TRUE(has(slow.err, part));
  // Both values: today's is the one of the result file.
  const double triad = read_result().at("streams").at("triad").get<double>();
  const std::string label = "bandwidth is ";
  EXPECT_NEAR(std::stod(slow.err.substr(slow.err.find(label) + label.size())), triad, 1e-3 * triad);
  write_text(folder_ / "new.json", machine_file("triad_gb_per_s", 1e-3));
  const Outcome fine = run_deck({"--dry-run", "--machine", (folder_ / "new.json").string()});
  EXPECT_EQ(fine.err, "");
  EXPECT_TRUE(has(fine.out, "0.001 GB/s"));
  // Refused before anything is measured: none of this kind, nothing to compare with.
  expect_error(run_deck({"--machine", deck()}), {"tiny.toml", "JSON"});
  write_text(folder_ / "new.json", machine_file("copy_gb_per_s", 10));
  expect_error(run_deck({"--machine", (folder_ / "new.json").string()}),
               {"new.json", "memory.triad_gb_per_s"});
  expect_untouched();
}

TEST_F(Cli, RunSaysWhatIsDoubtful) {
  // 24 x 22 x 20 cells fit any cache.
  const Outcome plain = run_deck({"--platform", "my-laptop", "--wide"});
  ASSERT_EQ(plain.status, 0) << plain.err;
  EXPECT_TRUE(has(plain.out, "doubtful: ")) << plain.out;
  EXPECT_EQ(read_result().at("machine").at("name"), "my-laptop");
  const Outcome strict = run_deck({"--strict"});
  EXPECT_EQ(strict.status, 3) << strict.err;
  EXPECT_EQ(read_result().at("results").size(), 1U) << "written all the same";
}

TEST_F(Cli, RunSaysWhatItsThreadsRunOn) {
  const Outcome plain = run_deck();
  ASSERT_EQ(plain.status, 0) << plain.err;
  const json machine = read_result().at("machine");
  const json& topology = machine.at("topology");
  const bool host = machine.at("kind") == "cpu";
  EXPECT_EQ(has(plain.out, ", binding unknown") || has(plain.out, "bound"), host) << plain.out;
  if (machine.at("execution_space") != "OpenMP") return;
  const std::string too_many = std::to_string(topology.at("cpus").get<int>() + 1);
  setenv("OMP_NUM_THREADS", too_many.c_str(), 1);
  const Outcome crowded = run_deck();
  unsetenv("OMP_NUM_THREADS");
  ASSERT_EQ(crowded.status, 0) << crowded.err;
  EXPECT_TRUE(has(crowded.out, "doubtful: " + too_many + " threads share")) << crowded.out;
}

TEST_F(Cli, RunPrintsForPrograms) {
  const Outcome lines = run_deck({"--fom"});
  ASSERT_EQ(lines.status, 0) << lines.err;
  EXPECT_EQ(lines.out.rfind("FOM acoustic/gmem/8x8x8/iso25/two/float = ", 0), 0U) << lines.out;
  EXPECT_TRUE(lines.out.ends_with(" GCell/s\nPASS\n")) << lines.out;
  EXPECT_EQ(std::count(lines.out.begin(), lines.out.end(), '\n'), 3);
  const Outcome file = run_deck({"--json"});
  ASSERT_EQ(file.status, 0) << file.err;
  EXPECT_EQ(json::parse(file.out), read_result());
  // Alone it needs no folder.
  std::filesystem::remove_all(out());
  std::string text = deck_text();
  text.resize(text.find("[output]"));
  write_text(deck(), text);
  ProcessOptions here;
  here.directory = folder_.path().string();
  ASSERT_EQ(run_program({"run", deck(), "--json"}, here).status, 0);
  expect_untouched();
}

}  // namespace
}  // namespace tessera::test
