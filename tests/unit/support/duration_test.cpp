// SPDX-License-Identifier: Apache-2.0
#include "base/support/duration.hpp"
#include "base/support/progress.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "fixtures/scratch_directory.hpp"

namespace tessera {
namespace {

TEST(Duration, IsReadInUnits) {
  for (const auto& [text, seconds] :
       {std::pair("90", 90), {"90s", 90}, {"20 m", 1200}, {"2min", 120}, {"1.5h", 5400}}) {
    EXPECT_DOUBLE_EQ(parse_duration(text, "x"), seconds) << text;
  }
  for (const char* text :
       {"", "h", "0", "-3s", "nan", "inf", "5 weeks", "1e999", "3s4", "3000000h"}) {
    EXPECT_TRUE(
        test::has(test::error_of([&] { static_cast<void>(parse_duration(text, "--time-budget")); }),
                  "--time-budget"))
        << text;
  }
}

TEST(Duration, IsWrittenInTwoUnits) {
  EXPECT_EQ(duration_text(41.6), "42 s");
  EXPECT_EQ(duration_text(185), "3 min 05 s");
  EXPECT_EQ(duration_text(7620), "2 h 07 min");
}

TEST(Progress, IsALineEachTenthWithoutATerminal) {
  EXPECT_EQ(fit_line("12345", 5), "12345");
  EXPECT_EQ(fit_line("123456", 5), "12345");
  // The tests' standard error is no terminal where CTest runs them.
  test::ScratchDirectory folder;
  const std::string path = folder / "lines";
  std::FILE* lines = std::fopen(path.c_str(), "w");
  ASSERT_NE(lines, nullptr);
  Progress progress(lines);
  for (int stage = 0; stage < 2; ++stage) {
    for (int step = 0; step <= 40; ++step) progress.update(step / 40.0, "step");
  }
  std::fclose(lines);
  const std::string text = test::read_text(path);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 20) << text;
  EXPECT_TRUE(test::has(text, " 50 %  step  0 s left")) << text;
}

}  // namespace
}  // namespace tessera
