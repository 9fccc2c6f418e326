// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/segy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "fixtures/scratch_directory.hpp"
#include "program/seismic/model_files.hpp"

namespace tessera::io {
namespace {

using test::error_of;
using test::has;

/// A gather of `traces` receivers of ten samples; sample i of trace t is 100 number + 10 t + i.
std::filesystem::path write_gather(const test::ScratchDirectory& folder, int number, int traces,
                                   int interval_us = 2000) {
  SegyHeader header;
  for (int t = 0; t < traces; ++t) header.receivers.push_back({10.5 * t, 7.25, 3.0 + t});
  header.source = {100.0 * number, 50, 12.5};
  header.shot_number = number;
  header.interval_us = interval_us;
  header.samples = 10;
  const auto path = folder / ("gather" + std::to_string(number) + ".sgy");
  SegyWriter writer(path, header);
  std::vector<float> block;
  for (int t = 0; t < traces; ++t) {
    for (int i = 0; i < 10; ++i) block.push_back(static_cast<float>(100 * number + 10 * t + i));
  }
  writer.append(block.data(), 10, 10);
  writer.commit();
  return path;
}

/// Sets a field of a gather's trace (from 0), by its byte as the standard counts them.
void set_field(const std::filesystem::path& path, int trace, std::size_t byte, int bytes,
               int value) {
  constexpr std::size_t kTrace = 240 + 10 * 4;
  std::string text = test::read_text(path);
  for (int i = 0; i < bytes; ++i) {
    text[3600 + static_cast<std::size_t>(trace) * kTrace + byte - 1 + static_cast<std::size_t>(i)] =
        static_cast<char>(value >> 8 * (bytes - 1 - i));
  }
  test::write_text(path, text);
}

class SegySurvey : public testing::Test {
 protected:
  void SetUp() override {
    if (!have_segy()) GTEST_SKIP() << "built without SEG-Y support";
  }
  test::ScratchDirectory folder_;
};

TEST_F(SegySurvey, GathersTogetherKeepTheirGeometryAndSamples) {
  const auto all = folder_ / "all.sgy";
  merge_segy(all, {write_gather(folder_, 4, 3), write_gather(folder_, 9, 2)});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "all.part.sgy"));
  const auto shots = read_segy_geometry(all);
  ASSERT_EQ(shots.size(), 2U);
  ASSERT_EQ(shots[0].receivers.size(), 3U);
  ASSERT_EQ(shots[1].receivers.size(), 2U);
  EXPECT_EQ(std::pair(shots[0].number, shots[1].number), std::pair(4, 9));
  EXPECT_EQ(std::pair(shots[1].source.x, shots[1].source.z), std::pair(900.0, 12.5));
  const Position& last = shots[0].receivers[2];
  EXPECT_EQ(std::tuple(last.x, last.y, last.z), std::tuple(21.0, 7.25, 5.0));
  const ModelFile samples = read_segy_model(all, 0, 1, {.headers = false, .dz = {}});
  ASSERT_EQ(samples.shape.nx, 5);
  EXPECT_EQ(samples.values[3], 900);      // sample 0 of the fourth trace
  EXPECT_EQ(samples.values[5 + 4], 911);  // sample 1 of the fifth
}

TEST_F(SegySurvey, ScalarsMultiplyDivideOrAreOne) {
  const auto path = write_gather(folder_, 1, 1);
  set_field(path, 0, 71, 2, 10);  // places times ten
  set_field(path, 0, 69, 2, 0);   // elevations as they are
  const auto shots = read_segy_geometry(path);
  EXPECT_EQ(shots[0].source.x, 10 * 100 * 100);  // it is stored in cm
  EXPECT_EQ(shots[0].source.z, 1250);
  EXPECT_EQ(shots[0].receivers[0].z, 300);
  set_field(path, 0, 89, 2, 2);  // seconds of arc
  EXPECT_TRUE(
      has(error_of([&] { static_cast<void>(read_segy_geometry(path)); }), "bytes 89 to 90: 2"));
}

TEST_F(SegySurvey, DeadAndAuxiliaryTracesAreLeftOutAndCounted) {
  const auto path = write_gather(folder_, 3, 6);
  const int ids[] = {1, 2, 9, 0, 6, 11};
  for (int t = 0; t < 6; ++t) set_field(path, t, 29, 2, ids[t]);
  testing::internal::CaptureStderr();
  const auto shots = read_segy_geometry(path);
  const std::string told = testing::internal::GetCapturedStderr();
  ASSERT_EQ(shots.size(), 1U);
  ASSERT_EQ(shots[0].receivers.size(), 3U);
  EXPECT_EQ(shots[0].receivers[1].x, 31.5);
  EXPECT_EQ(shots[0].receivers[2].x, 52.5);
  EXPECT_TRUE(has(told, "of 6 traces 1 dead and 2 auxiliary ones are left out")) << told;
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 1) << told;
  for (int t = 0; t < 6; ++t) set_field(path, t, 29, 2, 2);
  EXPECT_TRUE(
      has(error_of([&] { static_cast<void>(read_segy_geometry(path)); }), "all its 6 traces"));
}

TEST_F(SegySurvey, RecordNumbersBelowOneAreReplaced) {
  const auto all = folder_ / "all.sgy";
  merge_segy(all, {write_gather(folder_, 4, 2), write_gather(folder_, 9, 1)});
  set_field(all, 2, 9, 4, -5);
  testing::internal::CaptureStderr();
  const auto shots = read_segy_geometry(all);
  const std::string told = testing::internal::GetCapturedStderr();
  ASSERT_EQ(shots.size(), 2U);
  EXPECT_EQ(shots[0].number, 1);
  EXPECT_EQ(shots[1].number, 2);
  EXPECT_EQ(shots[1].source.x, 900);
  EXPECT_TRUE(has(told, "field record -5") && has(told, "2 shots are numbered anew")) << told;
}

TEST_F(SegySurvey, WhatDoesNotFitTogetherIsRefused) {
  const auto first = write_gather(folder_, 1, 2);
  const auto message = [&](const std::vector<std::filesystem::path>& gathers) {
    return error_of([&] { merge_segy(folder_ / "all.sgy", gathers); });
  };
  EXPECT_TRUE(has(message({first, write_gather(folder_, 2, 2, 4000)}), "every 4000 microseconds"));
  EXPECT_TRUE(has(message({first, folder_ / "none.sgy"}), "none.sgy"));
  EXPECT_TRUE(has(message({}), "no gather"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "all.sgy"));
  test::write_text(folder_ / "text", "no SEG-Y");
  EXPECT_TRUE(
      has(error_of([&] { static_cast<void>(read_segy_geometry(folder_ / "text")); }), "text"));
}

}  // namespace
}  // namespace tessera::io
