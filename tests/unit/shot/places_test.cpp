// SPDX-License-Identifier: Apache-2.0
#include "program/shot/places.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "fixtures/scratch_directory.hpp"

namespace tessera::shot {
namespace {

using test::error_of;
using test::has;

std::vector<io::Position> places(const std::string& keys) {
  const io::Deck deck = io::Deck::from_string("[receivers]\n" + keys);
  const NamedPlaces found = read_places(deck.tables("receivers").front());
  return found.at;
}

std::string refused(const std::string& keys) {
  return error_of([&] { static_cast<void>(places(keys)); });
}

void expect_at(const io::Position& got, double x, double y, double z) {
  EXPECT_NEAR(got.x, x, 1e-9);
  EXPECT_NEAR(got.y, y, 1e-9);
  EXPECT_NEAR(got.z, z, 1e-9);
}

TEST(Places, PointsAndLines) {
  const auto point = places("start = [1, 2]\ndepth = 3");
  ASSERT_EQ(point.size(), 1U);
  expect_at(point[0], 1, 2, 3);
  const auto counted = places("start = [0, 10, 5]\nend = [30, 10, 20]\ncount = 4");
  ASSERT_EQ(counted.size(), 4U);
  expect_at(counted[2], 20, 10, 15);
  const auto stepped = places("start = [0, 0, 5]\nend = [0, 100, 5]\nstep = 30");
  ASSERT_EQ(stepped.size(), 4U);  // 100 is not reached
  expect_at(stepped[3], 0, 90, 5);
}

TEST(Places, ArealGrids) {
  const auto counted = places("start = [0, 100]\nend = [20, 130]\ndepth = 7\ncount = [3, 4]");
  ASSERT_EQ(counted.size(), 12U);
  expect_at(counted[1], 10, 100, 7);  // x first
  expect_at(counted[3], 0, 110, 7);
  expect_at(counted[11], 20, 130, 7);
  const auto stepped = places("start = [20, 0]\nend = [0, 10]\ndepth = 7\nstep = [8, 5]");
  ASSERT_EQ(stepped.size(), 9U);
  expect_at(stepped[2], 4, 0, 7);  // backward along x
  expect_at(stepped[8], 4, 10, 7);
  EXPECT_EQ(places("start = [0, 5]\nend = [10, 5]\ndepth = 1\ncount = [3, 1]").size(), 3U);
}

TEST(Places, WellsAndLists) {
  // 100 m down, then 100 m along x: places every 40 m of its length.
  const auto well = places("x = [50, 50, 150]\ny = 20\nz = [0, 100, 100]\nstep = 40");
  ASSERT_EQ(well.size(), 6U);
  expect_at(well[2], 50, 20, 80);
  expect_at(well[3], 70, 20, 100);
  expect_at(well[5], 150, 20, 100);
  const auto counted = places("x = [0, 30]\ny = 0\nz = [0, 40]\ncount = 6");
  ASSERT_EQ(counted.size(), 6U);
  expect_at(counted[1], 6, 0, 8);
  const auto points = places("x = [1, 2, 3]\ny = [4, 5, 6]\nz = 9");
  ASSERT_EQ(points.size(), 3U);
  expect_at(points[2], 3, 6, 9);
}

TEST(Places, Tables) {
  const test::ScratchDirectory folder;
  const auto path = folder / "places.csv";
  for (const char* text : {"# shots\n\n10, 20, 30\n40 ,50,\t60.5\n", "x,y,z\n10,20,30\n40,50,60.5",
                           "\xef\xbb\xbf"
                           "x,y,z\r\n1e1,20,30\r\n40,50,60.5\r\n"}) {
    test::write_text(path, text);
    const auto found = places("table = \"" + path.string() + "\"");
    ASSERT_EQ(found.size(), 2U) << text;
    expect_at(found[0], 10, 20, 30);
    expect_at(found[1], 40, 50, 60.5);
  }
}

TEST(Places, OtherTablesAreRefusedByLine) {
  const test::ScratchDirectory folder;
  const auto path = folder / "places.csv";
  const auto refusal = [&](const std::string& text) {
    test::write_text(path, text);
    return error_of([&] { static_cast<void>(read_place_table(path)); });
  };
  for (const char* bad : {"1,2", "1,2,3,4", "1,2,three", "1,2,nan", "1,2,1e12", "1,,3", "1,2,",
                          "1;2;3", "1 2 3", "z,y,x", "x,y,z"}) {
    const std::string message = refusal("x,y,z\n" + std::string(bad) + "\n");
    EXPECT_TRUE(has(message, "places.csv:2: ") && has(message, "x,y,z")) << bad << message;
  }
  EXPECT_TRUE(has(refusal(std::string("8\0,2,3\n", 7)), ":1: \"8\\x00,2,3\" is not a place"));
  EXPECT_TRUE(has(refusal(std::string("\xff\xfe"
                                      "1\0,\0",
                                      6)),
                  "in UTF-8"));
  EXPECT_TRUE(has(refusal("# none\n"), "no line x,y,z"));
  EXPECT_TRUE(has(error_of([&] { static_cast<void>(read_place_table(folder / "none")); }), "none"));
}

TEST(Places, ContradictionsAreRefused) {
  const std::string line = "start = [1, 2, 3]\nend = [2, 2, 3]\n";
  for (const auto& [keys, part] :
       {std::pair(std::string("start = [1, 2]"), "start"),
        {"start = [1, 2, 3]\ndepth = 4", "start"},
        {line, "count"},
        {line + "count = 1", "count = 1"},
        {line + "count = 2.5", "count"},
        {line + "count = [2, 2, 2]", "count has 3 values"},
        {line + "step = 0", "step = 0"},
        {"start = [0, 0, 0]\nend = [1e6, 0, 0]\nstep = 1e-3", "more than"},
        {"x = [1, 2]\ny = [1, 2, 3]\nz = 0", "entries"},
        {"x = 1\ny = 1\nz = 0\nstep = 3", "two points"},
        {"x = 1\ny = 1\nz = 0\nstart = [1, 1, 1]", "start"}}) {
    EXPECT_TRUE(has(refused(keys), part)) << keys;
  }
}

}  // namespace
}  // namespace tessera::shot
