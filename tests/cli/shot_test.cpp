// SPDX-License-Identifier: Apache-2.0
// `tessera shot` as a user types it: the files it leaves, what it refuses, and how it is stopped.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <limits>
#include <string>
#include <vector>

#include "cli/child_process.hpp"
#include "unit/scratch_directory.hpp"

namespace tessera::test {
namespace {

using nlohmann::json;
using Arguments = std::vector<std::string>;

constexpr const char* kOld = "of an earlier shot\n";

/// A folder with a deck of a shot that takes a blink, and an earlier shot's files in shot/.
class CliShot : public testing::Test {
 protected:
  CliShot() {
    write_text(deck(),
               "[case]\nnx = 30\nny = 28\nnz = 26\nsteps = 120\n"
               "[acoustic]\nh = 10.0\npml_cells = 5\n"
               "[model]\nkind = \"uniform\"\nv = 2000.0\n"
               "[[source]]\nx = 100\ny = 80\nz = 40\nf_peak = 15.0\namplitude = 1e3\n"
               "[[receivers]]\nstart = [0, 80]\nend = [190, 80]\ndepth = 20\ncount = 6\n"
               "[snapshots]\nevery = " +
                   std::string(TESSERA_HAVE_HDF5 ? "40" : "0") + "\nstride = 3\n");
    std::filesystem::create_directory(output());
    for (const char* name : {"gather.csv", "shot.json"}) write_text(output() / name, kOld);
  }

  [[nodiscard]] std::string deck() const { return (folder_ / "tiny.toml").string(); }
  [[nodiscard]] std::filesystem::path output() const { return folder_ / "shot"; }
  /// Replaces a part of the deck.
  void edit(const std::string& from, const std::string& to) const {
    std::string text = read_text(deck());
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    write_text(deck(), text.replace(at, from.size(), to));
  }
  [[nodiscard]] json report() const { return json::parse(read_text(output() / "shot.json")); }
  [[nodiscard]] Arguments arguments(const Arguments& overrides) const {
    Arguments all{"shot", deck(), "-o", output().string()};
    for (const auto& override : overrides) all.insert(all.end(), {"--set", override});
    return all;
  }
  [[nodiscard]] Outcome shoot(const Arguments& overrides = {},
                              const ProcessOptions& options = {}) const {
    return run_program(arguments(overrides), options);
  }

  /// Lines of gather.csv that hold samples.
  [[nodiscard]] long sample_lines() const {
    const std::string text = read_text(output() / "gather.csv");
    long lines = std::count(text.begin(), text.end(), '\n');
    for (auto at = text.find('#'); at != std::string::npos; at = text.find('#', at + 1)) --lines;
    return lines - 1;  // the header
  }

  void expect_old_files() const {
    EXPECT_EQ(read_text(output() / "gather.csv"), kOld);
    EXPECT_EQ(read_text(output() / "shot.json"), kOld);
  }

  /// One error line with every one of `parts`, status 1, the earlier files as they were and nothing
  /// else left.
  void expect_refused(const Outcome& outcome, const Arguments& parts) const {
    EXPECT_EQ(outcome.status, 1) << outcome.out;
    const auto at = outcome.err.find("tessera: error: ");  // warnings may precede it
    ASSERT_NE(at, std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin() + static_cast<long>(at), outcome.err.end(), '\n'), 1)
        << outcome.err;
    for (const auto& part : parts) EXPECT_TRUE(has(outcome.err, part));
    expect_old_files();
    long files = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(output()))
      ++files;
    EXPECT_EQ(files, 2);
  }

  ScratchDirectory folder_;
};

TEST_F(CliShot, WritesEverything) {
  const Outcome outcome = shoot();
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part : {"memory: ", "CFL fraction", "points on it", "wavelengths of", "inner",
                           "PML", "source and receivers", "I/O", "GCell/s", "u_min", "step 120 of"})
    EXPECT_TRUE(has(outcome.out, part));
  EXPECT_EQ(sample_lines(), 120);
  const json file = report();
  EXPECT_EQ(file.at("schema"), "tessera-shot-1");
  EXPECT_EQ(file.at("status"), "complete");
  EXPECT_EQ(file.at("steps_done"), 120);
  EXPECT_LT(file.at("u_min").get<double>(), 0);
  EXPECT_GT(file.at("u_max").get<double>(), 0);
  EXPECT_EQ(file.at("deck").at("case").at("nx"), 30);
  for (const char* key : {"machine", "build", "command_line", "date"})
    EXPECT_TRUE(file.contains(key)) << key;
  const json& times = file.at("times_s");
  for (const char* key : {"inner", "pml", "source_receivers", "io"})
    EXPECT_GT(times.at(key).get<double>(), 0) << key;
  for (const auto& name : file.at("files")) {
    const auto path = output() / name.get<std::string>();
    EXPECT_GT(std::filesystem::file_size(path), 0u) << path;
  }
  const auto files = file.at("files").get<Arguments>();
  const auto written = [&](const char* name) {
    return std::count(files.begin(), files.end(), name) == 1;
  };
  EXPECT_TRUE(written("gather.csv"));
  EXPECT_EQ(written("gather.sgy"), TESSERA_HAVE_SEGY != 0);
  EXPECT_EQ(written("snapshots.h5"), TESSERA_HAVE_HDF5 != 0);
  EXPECT_EQ(written("snapshots.xdmf"), TESSERA_HAVE_HDF5 != 0);
  for (const auto& entry : std::filesystem::directory_iterator(output()))
    EXPECT_FALSE(has(entry.path().string(), ".part")) << entry.path();
}

TEST_F(CliShot, SingleDecompositionSaysThatItsTimeIsJoint) {
  const Outcome outcome = shoot({"acoustic.decomposition=single"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "inner and PML together"));
  EXPECT_GT(report().at("times_s").at("inner_and_pml_in_one_kernel").get<double>(), 0);
}

TEST_F(CliShot, DryRunWritesNothing) {
  Arguments all = arguments({});
  all.emplace_back("--dry-run");
  const Outcome outcome = run_program(all);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "points on it"));
  expect_old_files();
}

TEST_F(CliShot, WarnsOfTooFewPointsAndThinLayers) {
  const Outcome outcome = shoot({"source[0].f_peak=30", "acoustic.pml_cells=2"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "tessera: warning: 2.67 points on the shortest wavelength"));
  EXPECT_TRUE(has(outcome.err, "wavelengths wide"));
}

TEST_F(CliShot, RefusesBadDecks) {
  expect_refused(shoot({"shot.varient=acoustic/gmem:8x8x8"}), {"shot.varient", "shot.variant"});
  expect_refused(shoot({"case.nx=many"}), {"case.nx"});
  expect_refused(shoot({"case.duration_s=1.0"}), {"case", "steps", "duration_s"});
  expect_refused(shoot({"receivers[0].end=[2000, 80]"}), {"receivers", "x = ", "190 m"});
  expect_refused(shoot({"source[0].z=-30"}), {"source", "z = -30", "150 m"});
  expect_refused(shoot({"shot.variant=acoustic/gmem:8x8x7"}), {"8x8x7"});
  expect_refused(shoot({"shot.variant=acoustic/*"}), {"shot.variant", "name one"});
  expect_refused(shoot({"acoustic.v_max=1000"}), {"unstable", "2000", "1250"});
  expect_refused(shoot({"acoustic.cfl=1.5"}), {"acoustic.cfl", "limit is 1"});
  expect_refused(shoot({"acoustic.pml_cells=13"}), {"case.nz = 26", "27"});
  expect_refused(shoot({"case.nx=8000", "case.ny=8000", "case.nz=200000"}),
                 {"GiB", "are available"});
  expect_refused(run_program({"shot", (folder_ / "none.toml").string()}), {"none.toml"});
}

TEST_F(CliShot, RefusesLessThanOneStep) {
  edit("steps = 120", "duration_s = 1e-6");
  expect_refused(shoot(), {"case.duration_s", "at least one"});
}

TEST_F(CliShot, RefusesBadVelocityFiles) {
  const auto path = folder_ / "v.f32";
  edit("kind = \"uniform\"\nv = 2000.0",
       "kind = \"raw\"\nfile = \"v.f32\"\nnx = 20\nny = 18\nnz = 16");
  expect_refused(shoot(), {"v.f32"});  // none there
  std::vector<float> v(20 * 18 * 16, 1800.0F);
  const auto write = [&](std::size_t count) {
    write_text(path, {reinterpret_cast<const char*>(v.data()), count * sizeof(float)});
  };
  write(v.size() - 1);
  expect_refused(shoot(), {"v.f32"});  // short
  v[777] = std::numeric_limits<float>::quiet_NaN();
  write(v.size());
  expect_refused(shoot(), {"v.f32", "nan", "z = 2, y = 2, x = 17"});
  v[777] = 1800.0F;
  write(v.size());
  EXPECT_EQ(shoot().status, 0);  // and without a fault it is taken
}

TEST_F(CliShot, RefusesDirectoriesThatCannotBeWritten) {
  const std::string file = (folder_ / "tiny.toml").string();
  expect_refused(run_program({"shot", deck(), "-o", file + "/x"}), {"tiny.toml"});
  expect_refused(run_program({"shot", deck(), "-o", "/proc/tessera"}), {"/proc/tessera"});
}

TEST_F(CliShot, FullDiskLeavesTheEarlierFiles) {
  ProcessOptions options;
  options.file_bytes = 2048;
  expect_refused(shoot({"output.segy=false", "snapshots.every=0"}, options), {"gather"});
}

TEST_F(CliShot, StopsAtTheFirstNaNAndKeepsWhatThereIs) {
  // f near the largest float, and cells so small that (V dt)^2 / h^3 is above one: u overflows.
  edit("h = 10.0", "h = 0.1");
  edit("x = 100\ny = 80\nz = 40\nf_peak = 15.0\namplitude = 1e3",
       "x = 1.0\ny = 0.8\nz = 0.4\nf_peak = 1500.0\namplitude = 1e38");
  edit("start = [0, 80]\nend = [190, 80]\ndepth = 20\ncount = 6", "start = [0.5, 0.5, 0.5]");
  const Outcome outcome = shoot();
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  for (const char* part : {"tessera: error: u is not finite", "steps", "cell x = "})
    EXPECT_TRUE(has(outcome.err, part));
  const json file = report();
  EXPECT_EQ(file.at("status"), "failed");
  EXPECT_TRUE(file.at("gcell_per_s").at("overall").is_null());
  EXPECT_EQ(sample_lines(), file.at("steps_done").get<long>());
}

TEST_F(CliShot, InterruptFinishesTheStepAndWritesWhatThereIs) {
  ProcessOptions options;
  options.terminal = true;
  ChildProcess process(arguments({"case.steps=4000000", "snapshots.every=0", "output.segy=false"}),
                       options);
  ASSERT_TRUE(process.wait_for_err("GCell/s", 3));
  process.send(SIGINT);
  const Outcome outcome = process.finish();
  EXPECT_EQ(outcome.status, 130) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "interrupted after step"));
  const json file = report();
  EXPECT_EQ(file.at("status"), "interrupted");
  EXPECT_GT(file.at("steps_done").get<long>(), 0);
  EXPECT_EQ(sample_lines(), file.at("steps_done").get<long>());
}

TEST_F(CliShot, KilledItLeavesTheEarlierFiles) {
  ProcessOptions options;
  options.terminal = true;
  ChildProcess process(arguments({"case.steps=4000000", "snapshots.every=0", "output.segy=false"}),
                       options);
  ASSERT_TRUE(process.wait_for_err("GCell/s", 3));
  process.send(SIGKILL);
  EXPECT_EQ(process.finish().status, 128 + SIGKILL);
  expect_old_files();
}

}  // namespace
}  // namespace tessera::test
