// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/gather.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "fixtures/scratch_directory.hpp"
#include "fixtures/segy_file.hpp"
#include "program/seismic/model_files.hpp"

namespace tessera::io {
namespace {

using test::error_of;
using test::has;

constexpr double kStep = 0.0017234;  // s: not a whole number of microseconds
constexpr std::int64_t kSamples = 400;

// A wavelet around 15 Hz, well inside the band of both samplings.
double signal(double t, int receiver) {
  const double a = std::numbers::pi * 15.0 * (t - 0.2 - 0.01 * receiver);
  return (1.0 - 2.0 * a * a) * std::exp(-a * a);
}

GatherOptions options_for(const test::ScratchDirectory& folder) {
  GatherOptions options;
  options.csv_path = folder / "gather.csv";
  if (have_segy()) options.segy_path = folder / "gather.sgy";
  options.receivers = {{100, 50, 10}, {200.25 + 3e-14, 50, 10}, {312.5, 60, 20}};
  options.sources = {{250, 50, 40}};
  options.time_step = kStep;
  options.samples = kSamples;
  options.flush_every = 64;
  options.text = {"A SHOT", "SECOND LINE"};
  return options;
}

// Records steps in uneven chunks, as a run does.
void record(GatherWriter& writer, std::int64_t steps) {
  std::vector<float> chunk;
  std::int64_t in_chunk = 0;
  for (std::int64_t n = 0; n < steps; ++n) {
    for (int r = 0; r < 3; ++r)
      chunk.push_back(static_cast<float>(signal(static_cast<double>(n) * kStep, r)));
    if (++in_chunk == 7 || n + 1 == steps) {
      writer.record(chunk.data(), in_chunk);
      chunk.clear();
      in_chunk = 0;
    }
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Resampler, KeepsAConstantAndASine) {
  for (const double output : {0.0017, 0.0005, 0.003}) {
    Resampler resampler(2, kStep, 0.0, output);
    const double frequency = 60.0;  // Hz: 0.18 of the coarsest sampling rate
    std::vector<std::array<float, 2>> results;
    std::array<float, 2> sample{};
    for (std::int64_t n = 0; n < kSamples; ++n) {
      const double t = static_cast<double>(n) * kStep;
      const std::array<float, 2> in{
          3.5F, static_cast<float>(std::sin(2 * std::numbers::pi * frequency * t))};
      resampler.push(in.data());
      while (resampler.pop(sample.data())) results.push_back(sample);
    }
    resampler.finish();
    while (resampler.pop(sample.data())) results.push_back(sample);
    ASSERT_EQ(static_cast<std::int64_t>(results.size()), resampler.output_count(kSamples));
    ASSERT_EQ(results.size(), static_cast<std::size_t>((kSamples - 1) * kStep / output) + 1);
    for (std::size_t j = 0; j < results.size(); ++j) {
      EXPECT_NEAR(results[j][0], 3.5F, 1e-6);
      const double t = static_cast<double>(j) * output;
      // Near the ends the sine is continued as a constant.
      if (t < 0.04 || t > (kSamples - 1) * kStep - 0.04) continue;
      ASSERT_NEAR(results[j][1], std::sin(2 * std::numbers::pi * frequency * t), 1e-4) << t;
    }
  }
}

TEST(Resampler, LastSampleIsExactWhereInputsGoBeyondIt) {
  constexpr double kEnd = 0.4, kOutput = 0.004;
  const auto worst = [](std::int64_t inputs) {
    Resampler resampler(1, kStep, kStep, kOutput, kEnd);
    double largest = 0;
    std::int64_t outputs = 0;
    float sample = 0;
    const auto take = [&] {
      while (resampler.pop(&sample)) {
        const double t = static_cast<double>(outputs++) * kOutput;
        // Rising at the end, and at rest before.
        largest = std::max(largest, std::abs(static_cast<double>(sample) - signal(t, 17)));
      }
    };
    for (std::int64_t n = 1; n <= inputs; ++n) {
      const auto in = static_cast<float>(signal(static_cast<double>(n) * kStep, 17));
      resampler.push(&in);
      take();
    }
    resampler.finish();
    take();
    EXPECT_EQ(outputs, 101);
    return largest;
  };
  const auto until = static_cast<std::int64_t>(std::ceil(kEnd / kStep));
  EXPECT_LT(worst(until + Resampler::reach(kStep, kOutput)), 1e-4);
  EXPECT_GT(worst(until), 1e-3);
}

TEST(Resampler, FiltersWhatACoarserSamplingCannotHold) {
  Resampler resampler(1, 0.001, 0.0, 0.004);
  double largest = 0.0;
  float sample = 0.0F;
  for (int n = 0; n < 2000; ++n) {
    const auto in = static_cast<float>(std::sin(2 * std::numbers::pi * 200.0 * n * 0.001));
    resampler.push(&in);
    while (resampler.pop(&sample)) {
      if (n > 200) largest = std::max(largest, static_cast<double>(std::abs(sample)));
    }
  }
  EXPECT_LT(largest, 1e-3);  // 200 Hz would come back as 50 Hz at full amplitude
}

TEST(Gather, IntervalsOfSegy) {
  EXPECT_EQ(segy_interval(0.002, 2.0, 60), 4000);
  EXPECT_EQ(segy_interval(0.0017234, 2.0, 96), 2000);
  EXPECT_EQ(segy_interval(0.0001, 2.0, 380), 1000);
  EXPECT_EQ(segy_interval(0.0001234, 2.0, 381), 123);  // no whole millisecond holds it
  EXPECT_EQ(segy_interval(0.002, 2.0, 0), 2000);       // not known
  EXPECT_EQ(segy_interval(0.0017234, 2.0, 0), 1723);
  EXPECT_EQ(segy_interval(1e-6, 1e-3, 0), 1);
  EXPECT_EQ(segy_interval(0.0001, 10.0, 0), 306);  // in at most 32,767 samples
  EXPECT_EQ(segy_interval(0.0001, 40.0, 300), 1221);
}

TEST(Gather, SegyIsRefusedWhereItCannotHoldTheTruth) {
  const auto plan = [](const auto& change) {
    GatherOptions o;
    o.segy_path = "g.sgy";
    o.receivers = {{100, 0, 10}};
    o.sources = {{0, 0, 10}};
    o.time_step = 0.002;
    o.samples = 1000;
    o.highest_frequency = 60;
    o.cell = 10;
    change(o);
    return plan_segy(o);
  };
  EXPECT_EQ(plan([](GatherOptions&) {}).parts_of_metre, 100);
  EXPECT_EQ(plan([](GatherOptions& o) { o.cell = 0.01; }).parts_of_metre, 1000);
  EXPECT_EQ(plan([](GatherOptions& o) { o.cell = 0.001; }).parts_of_metre, 10000);
  EXPECT_EQ(plan([](GatherOptions& o) { o.time_step = 1e-6; }).interval_us, 4000);
  const auto refused = [&](const std::string& part, const auto& change) {
    EXPECT_TRUE(has(error_of([&] { (void)plan(change); }), part));
  };
  refused("tenth of a cell", [](GatherOptions& o) { o.cell = 1e-4; });
  refused("tenth of a cell", [](GatherOptions& o) { o.receivers[0].x = 3e7; });
  refused("microsecond", [](GatherOptions& o) { o.time_step = 2.4e-8; });
  refused("32767", [](GatherOptions& o) { o.time_step = 0.04, o.highest_frequency = 0; });
  // 1800 s in 32,767 samples is one each 55 ms: too coarse for a format of 16 bits, and for 60 Hz.
  refused("32767", [](GatherOptions& o) { o.samples = 900000; });
  refused("60 Hz", [](GatherOptions& o) { o.samples = 400000; });
  refused("output.segy = false", [](GatherOptions& o) { o.samples = 400000; });
}

TEST(Gather, CsvHoldsWhatWasRecorded) {
  const test::ScratchDirectory folder;
  GatherWriter writer(options_for(folder));
  record(writer, 200);
  // The file grows during the run, under another name.
  EXPECT_FALSE(std::filesystem::exists(folder / "gather.csv"));
  EXPECT_GE(lines_of(test::read_text(folder / "gather.part.csv")).size(), 6U + 1 + 192);
  writer.finish();
  const auto lines = lines_of(test::read_text(folder / "gather.csv"));
  ASSERT_EQ(lines.size(), 6U + 1 + 200);
  EXPECT_EQ(lines[0], "# source_x_m,250");
  EXPECT_EQ(lines[3], "# receiver_x_m,100,200.25,312.5");
  EXPECT_EQ(lines[6], "time_s,receiver_1_Pa,receiver_2_Pa,receiver_3_Pa");
  double time = 0;
  std::array<float, 3> values{};
  ASSERT_EQ(std::sscanf(lines[7 + 120].c_str(), "%lf,%f,%f,%f", &time, values.data(), &values[1],
                        &values[2]),
            4);
  EXPECT_NEAR(time, 120 * kStep, 1e-9);
  for (int r = 0; r < 3; ++r)
    EXPECT_EQ(values[static_cast<std::size_t>(r)], static_cast<float>(signal(120 * kStep, r)));
  EXPECT_TRUE(has(error_of([&] { writer.record(values.data(), 1); }), "finished"));
}

TEST(Gather, FullDisk) {
  const test::ScratchDirectory folder;
  test::write_text(folder / "gather.csv", "old");
  std::string message;
  {
    const test::FileSizeLimit limit(5000);
    if (have_segy()) {
      message = error_of([&] { GatherWriter writer(options_for(folder)); });
      EXPECT_TRUE(has(message, "gather.sgy: File too large"));
      EXPECT_EQ(folder.entries(), 1);
    }
    message = error_of([&] {
      GatherOptions options = options_for(folder);
      options.segy_path.clear();
      GatherWriter writer(options);
      record(writer, kSamples);
      writer.finish();
    });
    EXPECT_TRUE(has(message, "File too large"));
  }
  EXPECT_EQ(test::read_text(folder / "gather.csv"), "old");
  // What went onto the disk before it was full: whole lines.
  const std::string kept = test::read_text(folder / "gather.part.csv");
  EXPECT_GT(std::count(kept.begin(), kept.end(), '\n'), 10);
  EXPECT_EQ(kept.back(), '\n');
  EXPECT_EQ(folder.entries(), 2);
}

TEST(Gather, SegyRoundTrip) {
  if (!have_segy()) GTEST_SKIP() << "built without SEG-Y support";
  const test::ScratchDirectory folder;
  GatherWriter writer(options_for(folder));
  record(writer, kSamples);
  writer.finish();
  const test::SegyFile file(folder / "gather.sgy");
  EXPECT_EQ(file.interval_us(), 1723);
  ASSERT_EQ(file.traces(), 3U);
  ASSERT_EQ(file.samples(), static_cast<int>((kSamples - 1) * kStep / 0.001723) + 1);
  for (std::size_t t = 0; t < 3; ++t)
    for (int j = 0; j < file.samples(); ++j)
      ASSERT_NEAR(file.value(t, j), signal(j * 0.001723, static_cast<int>(t)), 1e-4)
          << t << " " << j;
  // Places in cm, and offsets with a sign: the receiver's and the source's x, the scalar, depths.
  for (const auto& [trace, byte, bytes, wanted] : {std::array{1, 81, 4, 20025},
                                                   {1, 73, 4, 25000},
                                                   {1, 71, 2, -100},
                                                   {2, 41, 4, -2000},
                                                   {0, 49, 4, 4000},
                                                   {0, 37, 4, -150},
                                                   {2, 37, 4, 63},
                                                   {2, 117, 2, 1723},
                                                   {2, 115, 2, file.samples()}}) {
    EXPECT_EQ(file.header(trace, byte, bytes), wanted) << "trace " << trace << ", byte " << byte;
  }
}

TEST(Gather, SegyIsValidDuringTheRunAndEndsWithIt) {
  if (!have_segy()) GTEST_SKIP() << "built without SEG-Y support";
  const test::ScratchDirectory folder;
  GatherWriter writer(options_for(folder));
  record(writer, 200);
  const test::SegyFile during(folder / "gather.part.sgy");
  EXPECT_EQ(during.traces(), 3U);
  EXPECT_NEAR(during.value(0, 116), signal(116 * 0.001723, 0), 1e-4);
  writer.finish();
  // The traces end with the run: nothing of their planned length is left.
  const test::SegyFile file(folder / "gather.sgy");
  const int written = static_cast<int>(199 * kStep / 0.001723);
  ASSERT_EQ(file.samples(), written + 1);
  ASSERT_LT(file.samples(), during.samples());
  ASSERT_EQ(file.traces(), 3U);
  for (int t = 0; t < 3; ++t) {
    EXPECT_EQ(file.header(t, 115, 2), file.samples());
    EXPECT_EQ(file.header(t, 5, 4), t + 1);
    EXPECT_NEAR(file.value(t, written - 15), signal((written - 15) * 0.001723, t), 1e-4);
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "gather.part.sgy"));
}

}  // namespace
}  // namespace tessera::io
