// SPDX-License-Identifier: Apache-2.0
// `tessera shot` that ends early: at a NaN, by SIGINT and by SIGKILL.
#include <algorithm>
#include <csignal>
#include <string>

#include "fixtures/segy_file.hpp"
#include "fixtures/shot_fixture.hpp"
#include "program/seismic/hdf5_handle.hpp"
#include "program/seismic/model_files.hpp"

namespace tessera::test::shot_stop_test {
namespace {

TEST_F(CliShot, StopsAtTheFirstNaNAndKeepsWhatThereIs) {
  // f near the largest float, and cells so small that (V dt)^2 / h^3 is above one: u overflows.
  edit("h = 10.0", "h = 0.1");
  edit("x = 100\ny = 80\nz = 40\nf_peak = 15.0\namplitude = 1e3",
       "x = 1.0\ny = 0.8\nz = 0.4\nf_peak = 1500.0\namplitude = 1e38");
  edit("start = [0, 80]\nend = [190, 80]\ndepth = 20\ncount = 6", "start = [0.5, 0.5, 0.5]");
  const Outcome outcome = shoot();
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_TRUE(has(outcome.err, "not finite"));
  EXPECT_EQ(outcome.out.substr(outcome.out.size() - 5), "FAIL\n");
  const json file = report();
  EXPECT_EQ(file.at("status"), "failed");
  EXPECT_TRUE(file.at("gcell_per_s").at("overall").is_null());
  EXPECT_EQ(sample_lines(), file.at("steps_done").get<long>());
}

/// Steps without end, recorded in every file that this build writes.
const Arguments kEndless = {"case.steps=60000",
                            std::string("snapshots.every=") + (TESSERA_HAVE_HDF5 ? "100" : "0")};

/// Waits, for as long as the program shows progress, until two chunks of the gather and with them
/// the first snapshots are in the growing files.
bool wait_until_recorded(ChildProcess& process, const std::filesystem::path& folder) {
  for (int lines = 1; process.wait_for_err("GCell/s", lines); ++lines) {
    const std::string csv = read_text(folder / "gather.part.csv");
    if (std::count(csv.begin(), csv.end(), '\n') > 210) return true;
  }
  return false;
}

/// Whole traces, all of one length, which is the run's and not the planned one.
void expect_whole_segy(const std::filesystem::path& path, const json& report) {
  const SegyFile file(path);
  ASSERT_EQ(file.traces(), report.at("receivers").get<std::size_t>());
  EXPECT_EQ(file.interval_us(), report.at("segy_interval_us").get<int>());
  // From time 0 to that of the last step.
  const double duration_s =
      report.at("steps_done").get<double>() * report.at("time_step_s").get<double>();
  EXPECT_EQ(file.samples(), 1 + static_cast<int>(duration_s / (1e-6 * file.interval_us()) + 1e-6));
  for (std::size_t t = 0; t < file.traces(); ++t) {
    EXPECT_EQ(file.header(t, 1, 4), static_cast<int>(t + 1)) << "trace number";
    EXPECT_EQ(file.header(t, 115, 2), file.samples());
    bool wave = false;
    for (int i = 0; i < file.samples(); ++i) wave = wave || file.value(t, i) != 0;
    EXPECT_TRUE(wave) << "the wave is in every trace";
  }
}

#if TESSERA_HAVE_HDF5
/// Names of the datasets that the XDMF file gives to "pressure".
Arguments listed_snapshots(const std::string& xdmf) {
  const std::string mark = "snapshots.h5:/pressure/";
  Arguments names;
  for (auto at = xdmf.find(mark); at != std::string::npos; at = xdmf.find(mark, at + 1)) {
    const auto begin = at + mark.size();
    names.push_back(xdmf.substr(begin, xdmf.find('<', begin) - begin));
  }
  return names;
}

hsize_t stored_snapshots(const std::filesystem::path& path) {
  const io::Hdf5Quiet quiet;
  const io::Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "open");
  const io::Hdf5Handle group(H5Gopen2(file, "/pressure", H5P_DEFAULT), H5Gclose, "/pressure");
  H5G_info_t info{};
  io::check_hdf5(H5Gget_info(group, &info), "/pressure");
  return info.nlinks;
}

void expect_whole_snapshots(const std::filesystem::path& folder, const json& report) {
  const Arguments names = listed_snapshots(read_text(folder / "snapshots.xdmf"));
  EXPECT_EQ(static_cast<long>(names.size()), report.at("steps_done").get<long>() / 100);
  ASSERT_GE(names.size(), 1U);
  EXPECT_EQ(stored_snapshots(folder / "snapshots.h5"), names.size());
  for (const auto& name : names) {
    const io::ModelFile field = io::read_hdf5_model(folder / "snapshots.h5", "/pressure/" + name);
    EXPECT_EQ(field.shape.cells(), 7 * 6 * 6) << name;
  }
}
#endif

TEST_F(CliShot, InterruptFinishesTheStepAndWritesWhatThereIs) {
  ChildProcess process(arguments(kEndless), on_a_terminal());
  ASSERT_TRUE(wait_until_recorded(process, output())) << process.err();
  process.send(SIGINT);
  const Outcome outcome = process.finish();
  EXPECT_EQ(outcome.status, 130) << outcome.err;
  const json file = report();
  EXPECT_EQ(file.at("status"), "interrupted");
  EXPECT_GT(file.at("steps_done").get<long>(), 0);
  EXPECT_EQ(sample_lines(), file.at("steps_done").get<long>());
  if (TESSERA_HAVE_SEGY) expect_whole_segy(output() / "gather.sgy", file);
#if TESSERA_HAVE_HDF5
  expect_whole_snapshots(output(), file);
#endif
  expect_no_more_files();
}

}  // namespace
}  // namespace tessera::test::shot_stop_test
