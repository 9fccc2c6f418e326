// SPDX-License-Identifier: Apache-2.0
// `tessera shot` as a user types it: the files it leaves, and what it refuses.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "fixtures/shot_fixture.hpp"

namespace tessera::test {
namespace {

TEST_F(CliShot, WritesEverything) {
  const Outcome outcome = shoot();
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(sample_lines(), 120);
  const json file = report();
  // The last block, which harnesses parse: docs/results.md.
  const auto said = [&](const char* key) { return file.at(key).get<std::string>(); };
  EXPECT_EQ(outcome.out.substr(outcome.out.rfind("FOM ")),
            fmt::format("FOM shot/fd/{}/{}/{}/{} = {:.6g} GCell/s\nPASS\n", said("variant"),
                        said("configuration"), said("decomposition"), said("precision"),
                        file.at("gcell_per_s").at("overall").get<double>()));
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

TEST_F(CliShot, DecompositionsThatCannotTellInnerFromPmlSayThatTheirTimeIsJoint) {
  for (const std::string kind : {"single", "seven_concurrent"}) {
    const Outcome outcome = shoot({"acoustic.decomposition=" + kind});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json shot = report();
    EXPECT_EQ(shot.at("decomposition"), kind);
    EXPECT_GT(shot.at("times_s").at("inner_and_pml_together").get<double>(), 0) << kind;
    EXPECT_EQ(shot.at("times_s").at("inner").get<double>(), 0) << kind;
  }
}

TEST_F(CliShot, DryRunWritesNothing) {
  Arguments all = arguments({});
  all.emplace_back("--dry-run");
  const Outcome outcome = run_program(all);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part : {"memory: ", "points on it"}) EXPECT_TRUE(has(outcome.out, part));
  EXPECT_FALSE(std::filesystem::exists(output()));
  // Velocities tell how a file was read; the model can be written for a picture.
  all = arguments({"model={kind=\"layered\", tops=[0, 50], v=[1500, 2500]}"});
  all.emplace_back("--dry-run");
  EXPECT_TRUE(has(run_program(all).out,
                  "mean velocity: 1500 m/s at the top, 2500 in the middle, 2500 at the bottom\n"
                  "velocity at the source: 1500 m/s; at the receivers: 1500 m/s"));
#if TESSERA_HAVE_HDF5
  all.insert(all.end(), {"--model", (folder_ / "model.h5").string()});
  EXPECT_EQ(run_program(all).status, 0);
  EXPECT_GT(std::filesystem::file_size(folder_ / "model.h5"), 1000u);
#endif
  // What does not fit is shown, too, and then refused.
  all = arguments({"case.nx=8000", "case.ny=8000", "case.nz=200000"});
  all.emplace_back("--dry-run");
  const Outcome large = run_program(all);
  EXPECT_TRUE(has(large.out, "memory: "));
  expect_refused(large, {"8000 x 8000 x 200000", "GiB", "available"});
}

TEST_F(CliShot, WarnsOfTooFewPointsThinLayersAndFastRock) {
  Arguments all = arguments({"source[0].f_peak=30", "acoustic.pml_cells=3"});
  all.emplace_back("--dry-run");
  const Outcome outcome = run_program(all);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "2.67 points on the shortest wavelength"));
  EXPECT_TRUE(has(outcome.err, "wavelengths wide"));
  all = arguments({"model.v=90000"});
  all.emplace_back("--dry-run");
  EXPECT_TRUE(has(run_program(all).err, "no rock is"));
}

TEST_F(CliShot, WarnsOfPathsThatGrazeALayer) {
  const auto warnings = [&](const Arguments& changes) {
    Arguments all = arguments(changes);
    all.emplace_back("--dry-run");
    return run_program(all).err;
  };
  // Source and receivers lie 25 m from the top together, four receivers 62 to 100 m off.
  EXPECT_TRUE(has(warnings({"source[0].z=5"}), "4 of 6 traces"));
  for (const char* change : {"acoustic.layers=\"convolutional\"", "acoustic.free_surface=true",
                             "receivers={start=[80, 80], end=[120, 80], depth=20, count=6}"})
    EXPECT_FALSE(has(warnings({"source[0].z=5", change}), "of 6 traces")) << change;
}

TEST_F(CliShot, RefusesBadDecks) {
  for (const auto& [set, parts] :
       {std::pair("case.duration_s=1.0", Arguments{"steps", "duration_s"}),
        {"receivers[0].end=[2000, 80]", {"receivers", "x = ", "190 m"}},
        {"source[0].z=-30", {"source[0].z", "z = -30", "150 m"}},
        {"source[0].x=190.0001", {"source[0].x", "x = 190.0001 m", "0 to 190 m"}},
        {"shot.variant=acoustic/gmem:8x8x7", {"8x8x7"}},
        {"shot.variant=acoustic/*", {"shot.variant"}},
        {"shot.variant=acoustic/nothing", {"acoustic/nothing"}},
        {"acoustic.v_max=1000", {"unstable", "2000", "1250"}},
        {"acoustic.pml_cells=2", {"acoustic.pml_cells = 2", "3 or more"}},
        {"acoustic.pml_cells=13", {"case.nz = 26", "27"}}}) {
    expect_refused(shoot({set}), parts);
  }
  expect_refused(run_program({"shot", (folder_ / "none.toml").string()}), {"none.toml"});
  edit("steps = 120", "duration_s = 1e-6");
  expect_refused(shoot(), {"case.duration_s"});
}

#if TESSERA_HAVE_SEGY
TEST_F(CliShot, DurationIsReachedAndPassedByWhatResamplingReads) {
  edit("steps = 120", "duration_s = 0.2");
  ASSERT_EQ(shoot({"output.segy_interval_ms=4", "output.csv=false"}).status, 0);
  const std::string bytes = read_text(output() / "gather.sgy");
  EXPECT_EQ(static_cast<unsigned char>(bytes.at(3221)), 51);  // 0 to 0.2 s
  const json of = report();
  EXPECT_GE(of.at("steps_done").get<double>() * of.at("time_step_s").get<double>(),
            0.2 + 12 * 0.004);
}
#endif

TEST_F(CliShot, TakesTheSizeOfAModelFromItsFile) {
  const std::vector<float> v(20 * 18 * 16, 1800.0F);
  write_text(folder_ / "v.f32",
             {reinterpret_cast<const char*>(v.data()), v.size() * sizeof(float)});
  edit("kind = \"uniform\"\nv = 2000.0",
       "kind = \"raw\"\nfile = \"v.f32\"\nnx = 20\nny = 18\nnz = 16\ndz = 15\nz0 = 30");
  edit("nx = 30\nny = 28\nnz = 26\n", "");
  ASSERT_EQ(shoot().status, 0);
  EXPECT_EQ(report().at("nx"), 20 + 10);
  EXPECT_EQ(report().at("ny"), 18 + 10);
  EXPECT_EQ(report().at("nz"), 20 + 10);  // 195 m from 30 m on, every 10 m
  ASSERT_EQ(shoot({"acoustic.free_surface=true", "case.ny=20"}).status, 0);
  EXPECT_EQ(report().at("ny"), 20);
  EXPECT_EQ(report().at("nz"), 20 + 5);
  expect_refused(shoot({"model.z0=400"}), {"model.z0", "175 m"});
  expect_refused(shoot({"model={kind=\"uniform\", v=2000}"}), {"case.nx is missing", "no size"});
}

// A Ricker wavelet by its samples, three on its shortest period, leaves the same traces.
TEST_F(CliShot, TakesAWaveletFromAFile) {
  std::string table = "# of a field\ntime_s,value\n";
  for (int i = 0; i < 60; ++i) {
    const double t = 0.005 * i, a = 3.14159265358979 * 15 * (t - 0.12);
    table += fmt::format("{:.6g},{:.9g}\n", t, (1 - 2 * a * a) * std::exp(-a * a));
  }
  write_text(folder_ / "w.csv", table);
  const auto traces = [&](const Arguments& more) {
    Arguments all = {"source[0].t0=0.12", "output.segy=false", "snapshots.every=0",
                     "acoustic.f_max=37.5"};
    all.insert(all.end(), more.begin(), more.end());
    EXPECT_EQ(shoot(all).status, 0);
    std::vector<double> values;
    std::istringstream lines(read_text(output() / "gather.csv"));
    for (std::string line; std::getline(lines, line);) {
      if (std::isdigit(line.front()) == 0) continue;
      values.push_back(std::stod(line.substr(line.rfind(',') + 1)));
    }
    return values;
  };
  const std::string source = "source={x=100, y=80, z=40, amplitude=1e3, wavelet=\"file\", file=\"" +
                             (folder_ / "w.csv").string() + "\"}";
  const std::vector<double> ricker = traces({}), file = traces({"source[0].t0=", source});
  ASSERT_EQ(ricker.size(), file.size());
  double peak = 0, error = 0;
  for (std::size_t i = 0; i < ricker.size(); ++i) {
    peak = std::max(peak, std::abs(ricker[i]));
    error = std::max(error, std::abs(ricker[i] - file[i]));
  }
  EXPECT_GT(peak, 0);
  EXPECT_LT(error, 1e-3 * peak);
  // f_max follows from the spectrum: 3 % of its peak at 2.5 f_peak.
  Arguments all = arguments({source});
  all.emplace_back("--dry-run");
  EXPECT_TRUE(has(run_program(all).out, " m at 37.")) << run_program(all).out;
  write_text(folder_ / "w.csv", "0,1\n0.005,2\n0.02,1\n");
  expect_refused(shoot({source}), {"w.csv", "rise evenly"});
  write_text(folder_ / "w.csv", "0 1\n");
  expect_refused(shoot({source}), {"w.csv:1", "time_s,value"});
  expect_refused(shoot({"source[0].file=w.csv"}), {"source[0].file", "wavelet"});
}

}  // namespace
}  // namespace tessera::test
