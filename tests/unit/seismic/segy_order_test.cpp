// SPDX-License-Identifier: Apache-2.0
// Numbers and coordinates of a SEG-Y model's traces against the order in which they are read.
#include "program/seismic/velocity_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "fixtures/scratch_directory.hpp"
#include "fixtures/segy_bytes.hpp"
#include "program/seismic/model_files.hpp"

namespace tessera::io {
namespace {

using test::error_of;
using test::has;
using test::SegyBytes;

constexpr std::size_t kCdp = 20, kInline = 188, kCrossline = 192, kX = 180, kY = 184, kUnits = 88,
                      kScalar = 70, kGroupX = 80;  // bytes of a trace's header, from 0
constexpr int kNx = 4, kNy = 3;

/// Twelve traces, 4 along x and 3 along y, on a grid of 10 by 20 by 5 m; numbers say nothing yet.
class SegyOrderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!have_segy()) GTEST_SKIP() << "built without SEG-Y support";
  }
  [[nodiscard]] SegyBytes traces() const { return SegyBytes(little_, 0, kNx * kNy); }
  /// What loading says; empty where all is well and every value is in its place.
  [[nodiscard]] std::string load(const SegyBytes& bytes, const std::string& keys = "") const {
    const auto path = folder_ / "m.sgy";
    test::write_text(path, bytes.text());
    const std::string deck =
        "[model]\nkind = 'segy'\nnx = 4\nny = 3\nfile = '" + path.string() + "'\n" + keys;
    return error_of([&] {
      const VelocityModel model =
          load_model(Deck::from_string(deck, "deck"), {kNx, kNy, 3, 10.0, 20.0, 5.0, 0});
      EXPECT_EQ(model.at(1, 2, 3), 2000.0F + 100 + 2 * kNx + 3);
    });
  }
  void both_orders_of_bytes(const std::function<void()>& test) {
    for (const bool little : {false, true}) {
      little_ = little;
      test();
    }
  }

 private:
  bool little_ = false;
  test::ScratchDirectory folder_;
};

TEST_F(SegyOrderTest, NumbersThatRiseAlongTheFileAreFine) {
  both_orders_of_bytes([&] {
    EXPECT_EQ(load(traces()), "");
    const auto row = [](int t) { return 100 + 2 * (t / kNx); };
    const auto column = [](int t) { return 7 + 3 * (t % kNx); };
    EXPECT_EQ(load(traces().set_each(kInline, row).set_each(kCrossline, column)), "");
    EXPECT_EQ(load(traces().set_each(kCrossline, row).set_each(kInline, column)), "");
    EXPECT_EQ(load(traces().set_each(kCdp, [](int t) { return t + 1; })), "");
    EXPECT_EQ(load(traces().set_each(kCdp, column)), "");
    EXPECT_EQ(load(traces().set_all32(kCdp, 5).set_all32(kInline, 1)), "") << "it says nothing";
  });
}

TEST_F(SegyOrderTest, NumbersAgainstTheFileAreNamed) {
  both_orders_of_bytes([&] {
    // y fastest: the numbers of 3 traces a row, read as rows of 4.
    const auto slow = [](int t) { return 1 + t / kNy; };
    const auto fast = [](int t) { return 1 + t % kNy; };
    EXPECT_TRUE(has(load(traces().set_each(kInline, slow)), "bytes 189 to 192 are"));
    EXPECT_TRUE(has(load(traces().set_each(kCrossline, fast)), "bytes 193 to 196 are"));
    EXPECT_EQ(load(traces().set_each(kInline, slow), "check_headers = false\n"), "");
    EXPECT_TRUE(
        has(load(traces().set_each(kCdp, [](int t) { return 12 - t; })), "bytes 21 to 24 fall"));
    EXPECT_TRUE(has(load(traces().set_each(kInline, [](int t) { return 9 - t / kNx; })),
                    "bytes 189 to 192 fall"));
    // One trace is out of turn, or missing before it.
    const auto swapped = [](int t) { return t == 5 ? 7 : t == 6 ? 6 : t + 1; };
    EXPECT_TRUE(has(load(traces().set_each(kCdp, swapped)), "are 7 in trace 6"));
    EXPECT_TRUE(
        has(load(traces().set_each(kCdp, [](int t) { return t < 2 ? t : t + 1; })), "bytes 21"));
  });
}

TEST_F(SegyOrderTest, CoordinatesTellSpacings) {
  both_orders_of_bytes([&] {
    const auto x = [](int t) { return 10 * (t % kNx); };
    const auto y = [](int t) { return 20 * (t / kNx); };
    EXPECT_EQ(load(traces().set_each(kX, x).set_each(kY, y)), "");
    const auto tenths = traces().set_all(kScalar, -10).set_each(kX, x).set_each(kY, y);
    EXPECT_TRUE(has(load(tenths), "say 1 m between traces along x, not 10 m: set model.dx"));
    EXPECT_EQ(load(traces()
                       .set_all(kScalar, -10)
                       .set_each(kX, [&](int t) { return 10 * x(t); })
                       .set_each(kY, [&](int t) { return 10 * y(t); })),
              "");
    // The deck's spacing comes before the grid's.
    EXPECT_TRUE(has(load(traces().set_each(kX, x).set_each(kY, y), "dx = 12\n"), "not 12 m"));
    EXPECT_TRUE(has(load(traces().set_each(kX, x).set_each(kY, x)), "14.1421 m between"));
    EXPECT_TRUE(has(load(traces().set_each(kX, y).set_each(kY, x)), "mirrored grid"));
    EXPECT_TRUE(has(load(traces().set_each(kX, [&](int t) { return -x(t); })), "fall along x"));
    EXPECT_TRUE(has(load(traces().set_each(kGroupX, [&](int t) { return 2 * x(t); })),
                    "bytes 81 to 84 say 20 m"));
    // Turned by 3, 4, 5.
    const auto east = [](int t) { return 8 * (t % kNx) - 12 * (t / kNx); };
    const auto north = [](int t) { return 6 * (t % kNx) + 16 * (t / kNx); };
    EXPECT_EQ(load(traces().set_each(kX, east).set_each(kY, north)), "");
  });
}

TEST_F(SegyOrderTest, ShearedAndMirroredGridsAreRefused) {
  const auto place = [&](double ax, double ay, double bx, double by, int per_metre = 100) {
    const auto along = [per_metre](double a, double b) {
      return [=](int t) {
        return static_cast<int>(std::lround(per_metre * (a * (t % kNx) + b * (t / kNx))));
      };
    };
    return load(traces()
                    .set_all(kScalar, per_metre > 1 ? -per_metre : 1)
                    .set_each(kX, along(ax, bx))
                    .set_each(kY, along(ay, by)));
  };
  both_orders_of_bytes([&] {
    EXPECT_TRUE(has(place(10, 0, 14.1421, 14.1421), "sheared grid"));
    EXPECT_TRUE(has(place(10, 0, 3.473, 19.696), "sheared grid"));
    EXPECT_TRUE(has(place(8, 6, 12, -16), "mirrored grid"));
    EXPECT_TRUE(has(place(8, 6, 12, -16), "tools/convert_model.py"));
    // Any angle to the north is fine, in whole metres too.
    for (int degrees = 1; degrees < 90; degrees += 11) {
      const double c = std::cos(degrees / 57.29577951308232),
                   s = std::sin(degrees / 57.29577951308232);
      EXPECT_EQ(place(10 * c, 10 * s, -20 * s, 20 * c), "") << degrees;
      EXPECT_EQ(place(10 * c, 10 * s, -20 * s, 20 * c, 1), "") << degrees;
    }
  });
}

TEST_F(SegyOrderTest, AnglesAreNoMetres) {
  both_orders_of_bytes([&] {
    for (const int unit : {2, 3, 4}) {
      const auto angles = traces().set_all(kUnits, unit);
      EXPECT_TRUE(has(load(angles),
                      fmt::format("trace 1 has places as angles (bytes 89 to 90: {})", unit)));
      EXPECT_EQ(load(angles, "check_headers = false\n"), "");
    }
    // One trace among the others.
    const std::size_t fifth = traces().trace(4);
    EXPECT_TRUE(has(load(traces().set(fifth + kUnits, 2)), "trace 5 has places as angles"));
  });
}

TEST_F(SegyOrderTest, AnIntervalIsHeldAgainstTheGridWhereTheDeckHasNone) {
  both_orders_of_bytes([&] {
    EXPECT_EQ(load(traces().set(3216, 5)), "");
    EXPECT_EQ(load(traces().set(3216, 5000)), "");
    EXPECT_TRUE(
        has(load(traces().set(3216, 4000)), "the 5 m of model.dz (without it: of the grid)"));
    EXPECT_EQ(load(traces().set(3216, 4000), "check_headers = false\n"), "");
  });
}

}  // namespace
}  // namespace tessera::io
