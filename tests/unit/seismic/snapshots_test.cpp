// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/snapshots.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdlib>

#include "fixtures/scratch_directory.hpp"
#include "program/seismic/model_files.hpp"
#if TESSERA_HAVE_HDF5
#include "program/seismic/hdf5_handle.hpp"
#endif

namespace tessera::io::snapshots_test {
namespace {

using test::error_of;
using test::has;

// A 20 x 10 x 30 grid with a PML of 2 cells, every 3rd cell along x, 2nd along y and z.
SnapshotOptions options_for(const test::ScratchDirectory& folder) {
  SnapshotOptions options;
  options.path = folder / "snapshots.h5";
  options.x = sample_axis(0, 20, 3);
  options.y = sample_axis(2, 8, 2);
  options.z = sample_axis(0, 30, 2);
  options.dx = 10;
  options.dy = 20;
  options.dz = 5;
  options.pml_cells = 2;
  options.time_step = 0.001;
  options.sources = {{50, 60, 10}};
  options.receivers = {{1, 2, 3}, {4, 5, 6}};
  options.planned = {100, 200};
  return options;
}

/// The same with snapshots after each of the first `count` steps.
SnapshotOptions options_for(const test::ScratchDirectory& folder, std::int64_t count) {
  SnapshotOptions options = options_for(folder);
  options.planned.clear();
  for (std::int64_t step = 1; step <= count; ++step) options.planned.push_back(step);
  return options;
}

/// True where the caller says that HDF5 is built with assertions (ci/kokkos-current.sh).
bool hdf5_asserts() { return std::getenv("TESSERA_HDF5_ASSERTS") != nullptr; }

VelocityModel model() {
  VelocityModel m{20, 10, 30, 10, 20, 5, {}, {}};
  for (int i = 0; i < 20 * 10 * 30; ++i) m.v.push_back(static_cast<float>(1000 + i));
  return m;
}

TEST(Snapshots, SampledAxes) {
  EXPECT_EQ(sample_axis(0, 20, 3).count, 7);
  EXPECT_EQ(sample_axis(2, 8, 2).count, 3);
  EXPECT_EQ(sample_axis(5, 6, 10).count, 1);
}

TEST(Snapshots, Decimation) {
  const test::ScratchDirectory folder;
  const SnapshotOptions options = options_for(folder);
  const std::vector<float> values = decimate(model(), options);
  ASSERT_EQ(static_cast<std::int64_t>(values.size()), options.cells());
  EXPECT_EQ(values[0], 1000.0F + 2 * 20);  // y begins at 2
  EXPECT_EQ(values[(2 * 3 + 1) * 7 + 4], 1000.0F + (4 * 10 + 4) * 20 + 12);
}

// A run that goes on: what it has written is taken over from the growing or the finished file, and
// both end with the bytes of a run that never stopped.
TEST(Snapshots, ARunThatGoesOnLeavesTheSameBytes) {
  if (!have_hdf5()) GTEST_SKIP() << "built without HDF5 support";
  const test::ScratchDirectory folder;
  SnapshotOptions options = options_for(folder, 6);
  const auto velocity = decimate(model(), options);
  const auto write = [&](SnapshotWriter& writer, int first, int last) {
    for (int step = first; step <= last; ++step) {
      const std::vector<float> wave(velocity.size(), static_cast<float>(step));
      writer.write(wave.data());
    }
  };
  {
    SnapshotWriter whole(options, velocity);
    write(whole, 1, 6);
    whole.finish();
  }
  const std::string wanted = test::read_text(folder / "snapshots.h5");
  const std::string described = test::read_text(folder / "snapshots.xdmf");
  for (const bool finished : {false, true}) {
    {
      SnapshotWriter stopped(options, velocity);
      write(stopped, 1, 4);
      if (finished) stopped.finish();
    }
    SnapshotWriter on(options, velocity, 3);  // the fourth came after the checkpoint
    EXPECT_EQ(on.count(), 3U);
    write(on, 4, 6);
    on.finish();
    EXPECT_EQ(test::read_text(folder / "snapshots.h5"), wanted) << finished;
    EXPECT_EQ(test::read_text(folder / "snapshots.xdmf"), described) << finished;
    EXPECT_FALSE(std::filesystem::exists(folder / "snapshots.part.h5"));
  }
  // Of fewer than are asked for, or of another model, nothing is taken, and all of it stays.
  {
    SnapshotWriter fewer(options, velocity);
    write(fewer, 1, 2);
  }
  std::filesystem::remove(folder / "snapshots.h5");
  EXPECT_TRUE(has(error_of([&] { SnapshotWriter on(options, velocity, 3); }), "neither in"));
  auto other = velocity;
  other[5] += 1;
  EXPECT_TRUE(has(error_of([&] { SnapshotWriter on(options, other, 2); }), "another model"));
  EXPECT_TRUE(std::filesystem::exists(folder / "snapshots.part.h5"));
}

TEST(Snapshots, RoundTripDuringAndAfterTheRun) {
  if (!have_hdf5()) GTEST_SKIP() << "built without HDF5 support";
  const test::ScratchDirectory folder;
  {
    const SnapshotOptions options = options_for(folder);
    const auto velocity = decimate(model(), options);
    SnapshotWriter writer(options, velocity);
    std::vector<float> wave(velocity.size());
    for (const int step : {100, 200}) {
      for (std::size_t i = 0; i < wave.size(); ++i)
        wave[i] = static_cast<float>(step) + 0.25F * static_cast<float>(i);
      writer.write(wave.data());
      // Both files can be read in the middle of the run.
      EXPECT_EQ(read_hdf5_model(folder / "snapshots.part.h5",
                                "/pressure/step_0000" + std::to_string(step))
                    .values,
                wave);
    }
    EXPECT_TRUE(
        has(test::read_text(folder / "snapshots.part.xdmf"), "snapshots.part.h5:/pressure"));
    writer.finish();
    EXPECT_EQ(folder.entries(), 2);
    const ModelFile read = read_hdf5_model(folder / "snapshots.h5", "/velocity");
    EXPECT_EQ(read.values, velocity);
    EXPECT_EQ(read.shape.nx, 7);
    EXPECT_EQ(read.shape.ny, 3);
    EXPECT_EQ(read.shape.nz, 15);
    // By what the file says of itself it is a model.
    const HeaderChecks checks{.dz = 10, .dx = 30, .dy = 40};
    EXPECT_EQ(hdf5_model_shape(folder / "snapshots.h5", "/velocity", checks).nx, 7);
  }
}

TEST(Snapshots, XdmfDescribesTheGrid) {
  if (!have_hdf5()) GTEST_SKIP() << "built without HDF5 support";
  const test::ScratchDirectory folder;
  SnapshotOptions options = options_for(folder);
  options.planned = {50, 100};
  SnapshotWriter writer(options, decimate(model(), options));
  const std::vector<float> wave(static_cast<std::size_t>(options.cells()));
  writer.write(wave.data());
  writer.finish();  // before the second one
  const std::string text = test::read_text(writer.xdmf_path());
  EXPECT_TRUE(has(text, "Dimensions=\"15 3 7\""));
  EXPECT_TRUE(has(text, ">-10 0 -20<"));  // origin z, y, x: the layers lie at negative coordinates
  EXPECT_TRUE(has(text, ">10 40 30<"));
  EXPECT_TRUE(has(text, "<Time Value=\"0.05\"/>"));
  EXPECT_TRUE(has(text, ">snapshots.h5:/pressure/step_0000050<"));
  EXPECT_EQ(text.find("step_0000100"), std::string::npos);
  EXPECT_TRUE(has(
      error_of([&] { (void)read_hdf5_model(folder / "snapshots.h5", "/pressure/step_0000100"); }),
      "no dataset"));
}

TEST(Snapshots, AReaderThatHoldsTheFileDoesNotStopTheRun) {
#if TESSERA_HAVE_HDF5
  const test::ScratchDirectory folder;
  const auto velocity = decimate(model(), options_for(folder));
  SnapshotWriter writer(options_for(folder, 1), velocity);
  const hid_t reader = H5Fopen((folder / "snapshots.part.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(reader, 0);
  const int held = ::open((folder / "snapshots.part.h5").c_str(), O_RDONLY);
  ASSERT_EQ(::flock(held, LOCK_SH), 0);  // as HDF5 does in another process
  H5Fclose(reader);
  writer.write(velocity.data());
  writer.finish();
  ::close(held);
  EXPECT_EQ(read_hdf5_model(folder / "snapshots.h5", "/pressure/step_0000001").values, velocity);
#else
  GTEST_SKIP() << "built without HDF5 support";
#endif
}

TEST(Snapshots, FullDiskIsFoundBeforeTheFirstStep) {
  if (!have_hdf5()) GTEST_SKIP() << "built without HDF5 support";
  if (hdf5_asserts()) GTEST_SKIP() << "this HDF5 ends the process where a write fails";
  const test::ScratchDirectory folder;
  std::string message;
  {
    const test::FileSizeLimit limit(100000);
    const SnapshotOptions options = options_for(folder, 200);
    message = error_of([&] { SnapshotWriter writer(options, decimate(model(), options)); });
  }
  EXPECT_TRUE(has(message, "cannot write " + (folder / "snapshots.h5").string() + ": "));
  EXPECT_TRUE(has(message, "File too large"));
  EXPECT_EQ(folder.entries(), 0);
}

TEST(Snapshots, WritesThatFailLeaveWholeSnapshots) {
  if (!have_hdf5()) GTEST_SKIP() << "built without HDF5 support";
  if (hdf5_asserts()) GTEST_SKIP() << "this HDF5 ends the process where a write fails";
  const test::ScratchDirectory folder;
  const SnapshotOptions options = options_for(folder, 50);
  const auto velocity = decimate(model(), options);
  const std::vector<float> wave(velocity.size(), 2.5F);
  std::string message;
  int done = 0;
  {
    SnapshotWriter writer(options, velocity);
    const test::FileSizeLimit limit(std::filesystem::file_size(folder / "snapshots.part.h5") / 2);
    message = error_of([&] {
      for (; done < 50; ++done) writer.write(wave.data());
    });
  }
  EXPECT_TRUE(has(message, "File too large")) << message;
  ASSERT_GT(done, 0);
  EXPECT_LT(done, 50);
  const std::string last = fmt::format("/pressure/step_{:07}", done);
  EXPECT_EQ(read_hdf5_model(folder / "snapshots.part.h5", last).values, wave);
  EXPECT_EQ(read_hdf5_model(folder / "snapshots.part.h5", "/velocity").values, velocity);
}

}  // namespace
}  // namespace tessera::io::snapshots_test
