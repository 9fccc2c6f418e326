// SPDX-License-Identifier: Apache-2.0
// SEG-Y models: their values in either order of bytes, and headers against the deck and the order
// in which traces are read.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "fixtures/scratch_directory.hpp"
#include "fixtures/segy_bytes.hpp"
#include "program/seismic/velocity_model.hpp"

namespace tessera::io::segy_model_test {
namespace {

using test::error_of;
using test::has;
using test::SegyBytes;

// Bytes of a trace's header, from 0.
constexpr std::size_t kCdp = 20, kTraceId = 28, kInline = 188, kCrossline = 192, kX = 180, kY = 184,
                      kUnits = 88, kScalar = 70, kGroupX = 80;
constexpr int kNx = 4, kNy = 3;

/// Twelve traces, 4 along x and 3 along y, on a grid of 10 by 20 by 5 m, in either order of bytes.
class SegyModel : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (!have_segy()) GTEST_SKIP() << "built without SEG-Y support";
  }
  [[nodiscard]] SegyBytes traces(int extended = 0) const {
    return SegyBytes(GetParam(), extended, kNx * kNy);
  }
  /// What loading says; empty where all is well and values are in their places.
  [[nodiscard]] std::string load(const SegyBytes& bytes, const std::string& keys = "") const {
    const auto path = folder_ / "m.sgy";
    test::write_text(path, bytes.text());
    const std::string deck =
        "[model]\nkind = 'segy'\nnx = 4\nny = 3\nfile = '" + path.string() + "'\n" + keys;
    return error_of([&] {
      const VelocityModel model =
          load_model(Deck::from_string(deck, "deck"), {kNx, kNy, 3, 10.0, 20.0, 5.0, 0});
      if (has(keys, "dz")) return;
      EXPECT_EQ(model.at(1, 2, 3), 2000.0F + 100 + 2 * kNx + 3);
    });
  }
  /// It is refused with such a message, and read where headers are ignored.
  void expect_refused(const SegyBytes& bytes, const std::string& message) const {
    const std::string found = load(bytes);
    EXPECT_TRUE(has(found, message)) << found;
    EXPECT_EQ(load(bytes, "check_headers = false\n"), "") << message;
  }

 private:
  test::ScratchDirectory folder_;
};

TEST_P(SegyModel, LayoutIsReadOrRefused) {
  EXPECT_EQ(load(traces()), "");
  EXPECT_EQ(load(traces(2)), "") << "extended headers";
  // Revision 0 has none: what stands in their field is something else.
  EXPECT_EQ(load(traces().set(3500, 0).set(3504, 7)), "");
  EXPECT_TRUE(has(load(traces().set(3504, -1)), "extended headers"));
  EXPECT_TRUE(has(load(traces().set(3254, 9)), "measurement system 9"));
  EXPECT_TRUE(has(load(traces().set(3500, 0x0300)), "revision 3.0"));
  EXPECT_TRUE(has(load(traces().set(3224, 10)), "sample format 10"));
  // Revision 2: additional trace headers, samples in 32 bits, where traces begin. The low half.
  const auto second = [&](std::size_t at, std::size_t bytes, int value) {
    return traces().set(3500, 0x0200).set(GetParam() ? at : at + bytes - 2, value);
  };
  EXPECT_TRUE(has(load(second(3506, 4, 1)), "1 additional trace headers"));
  EXPECT_TRUE(has(load(second(3268, 4, 4)), "say 4 samples"));
  EXPECT_TRUE(has(load(second(3520, 8, 6800)), "say 6800 as"));
  EXPECT_TRUE(has(load(second(3512, 8, 41)), "say 41 traces"));
  EXPECT_TRUE(has(load(second(3528, 4, 1)), "trailers"));
  EXPECT_EQ(load(second(3268, 4, 3)), "");
}

TEST_P(SegyModel, HeadersOfTracesThatAreNoColumnsAreRefused) {
  const SegyBytes any = traces();
  for (const int byte : {99, 101, 103, 105, 107, 109, 111, 113, 169, 203}) {
    expect_refused(traces().set(any.trace(1) + static_cast<std::size_t>(byte) - 1, 3),
                   fmt::format("bytes {} to {} of trace 2 say 3", byte, byte + 1));
  }
  for (const int id : {-1, 2, 9}) {
    expect_refused(traces().set(any.trace(4) + kTraceId, id),
                   fmt::format("bytes 29 to 30 of trace 5 say {}", id));
  }
  expect_refused(traces().set_all(kUnits, 2), "bytes 89 to 90 of trace 1 say 2");
  expect_refused(traces().set(any.trace(1) + 114, 2), "bytes 115 to 116 of trace 2");
  expect_refused(traces().set_all32(204, 1).set_all(208, -3), "bytes 205");
  EXPECT_EQ(load(traces().set_all(kTraceId, 1).set_all(202, 6).set_all32(204, 1)), "");
}

TEST_P(SegyModel, IntervalsAreHeldAgainstDeckOrGrid) {
  EXPECT_EQ(load(traces().set(3216, 5)), "") << "m";
  EXPECT_EQ(load(traces().set(3216, 5000)), "") << "mm";
  EXPECT_EQ(load(traces().set(3216, 12500), "dz = 12.5\n"), "");
  expect_refused(traces().set(3216, 4000), "the 5 m of model.dz (without it: of the grid)");
  expect_refused(traces().set(3254, 2), "feet");
  EXPECT_TRUE(has(load(traces().set(3216, -12)), "between samples"));
  // Only the traces say it; one says another.
  expect_refused(traces().set_all(116, 20), "20 between samples");
  expect_refused(traces().set(3216, 5).set(traces().trace(1) + 116, 20), "bytes 117");
  // Revision 2 gives the interval as a double too: it counts, and must be a number.
  const auto exact = [&](double interval) {
    return traces().set(3500, 0x0200).set(3216, 4000).set_double(3272, interval);
  };
  EXPECT_EQ(load(exact(5)), "");
  expect_refused(exact(12.5), "12.5 between samples");
  EXPECT_TRUE(has(load(exact(-12.5)), "not a positive number"));
}

TEST_P(SegyModel, NumbersMustRiseAlongTheFile) {
  const auto row = [](int t) { return 100 + 2 * (t / kNx); };
  const auto column = [](int t) { return 7 + 3 * (t % kNx); };
  EXPECT_EQ(load(traces().set_each(kInline, row).set_each(kCrossline, column)), "");
  EXPECT_EQ(load(traces().set_each(kCrossline, row).set_each(kInline, column)), "");
  EXPECT_EQ(load(traces().set_each(kCdp, [](int t) { return t + 1; })), "");
  EXPECT_EQ(load(traces().set_all32(kCdp, 5).set_all32(kInline, 1)), "") << "it says nothing";
  // y fastest: the numbers of 3 traces a row, read as rows of 4.
  expect_refused(traces().set_each(kInline, [](int t) { return 1 + t / kNy; }),
                 "bytes 189 to 192 are");
  expect_refused(traces().set_each(kCrossline, [](int t) { return 1 + t % kNy; }),
                 "bytes 193 to 196 are");
  expect_refused(traces().set_each(kCdp, [](int t) { return 12 - t; }), "bytes 21 to 24 fall");
  // One trace is out of turn.
  const auto swapped = [](int t) { return t == 5 ? 7 : t == 6 ? 6 : t + 1; };
  expect_refused(traces().set_each(kCdp, swapped), "are 7 in trace 6");
}

TEST_P(SegyModel, WithoutSizesTheNumbersOfLinesTellTheRows) {
  const test::ScratchDirectory folder;
  const auto shape = [&](const SegyBytes& bytes, const HeaderChecks& checks = {}) {
    test::write_text(folder / "m.sgy", bytes.text());
    const ModelShape n = segy_model_shape(folder / "m.sgy", 0, 0, checks);
    return fmt::format("{} x {}", n.nx, n.ny);
  };
  const auto column = [](int t) { return 100 + 2 * (t % kNx); };
  const auto row = [](int t) { return 7 + t / kNx; };
  const SegyBytes lines = traces().set_each(kInline, row).set_each(kCrossline, column);
  EXPECT_EQ(shape(lines), "4 x 3");
  EXPECT_EQ(shape(lines, {.headers = false}), "12 x 1");
  EXPECT_EQ(shape(traces().set_each(kInline, column).set_each(kCrossline, row)), "4 x 3");
  EXPECT_EQ(shape(traces().set_each(kCrossline, row)), "4 x 3");
  EXPECT_EQ(shape(traces()), "12 x 1");
  EXPECT_EQ(shape(traces().set_each(kCrossline, [](int t) { return t; })), "12 x 1") << "a line";
  EXPECT_TRUE(
      has(error_of([&] { (void)shape(traces().set_each(kInline, [](int t) { return t / 5; })); }),
          "it has 12 traces"));
}

TEST_P(SegyModel, PlacesMustBeThoseOfTheGrid) {
  /// Steps along x and y, in m, stored as so many parts of a metre.
  const auto places = [&](double ax, double ay, double bx, double by, int parts = 100) {
    const auto along = [parts](double a, double b) {
      return [=](int t) {
        return static_cast<int>(std::lround(parts * (a * (t % kNx) + b * (t / kNx))));
      };
    };
    return traces()
        .set_all(kScalar, parts > 1 ? -parts : 1)
        .set_each(kX, along(ax, bx))
        .set_each(kY, along(ay, by));
  };
  EXPECT_EQ(load(places(10, 0, 0, 20)), "");
  expect_refused(places(1, 0, 0, 2), "say 1 m between traces along x, not 10 m: set model.dx");
  // The deck's spacing comes before the grid's.
  EXPECT_TRUE(has(load(places(10, 0, 0, 20), "dx = 12\n"), "not 12 m"));
  expect_refused(places(-10, 0, 0, 20), "fall along x");
  expect_refused(traces().set_each(kGroupX, [](int t) { return 20 * (t % kNx); }),
                 "bytes 81 to 84 say 20 m");
  expect_refused(places(10, 0, 14.1421, 14.1421), "sheared grid");
  expect_refused(places(10, 0, 3.473, 19.696), "sheared grid");
  expect_refused(places(8, 6, 12, -16), "mirrored grid");
  // Any angle to the north is fine, in whole metres too.
  for (int degrees = 1; degrees < 90; degrees += 11) {
    const double c = std::cos(degrees / 57.29577951308232);
    const double s = std::sin(degrees / 57.29577951308232);
    EXPECT_EQ(load(places(10 * c, 10 * s, -20 * s, 20 * c)), "") << degrees;
    EXPECT_EQ(load(places(10 * c, 10 * s, -20 * s, 20 * c, 1)), "") << degrees;
  }
}

INSTANTIATE_TEST_SUITE_P(OrdersOfBytes, SegyModel, testing::Bool());

}  // namespace
}  // namespace tessera::io::segy_model_test
