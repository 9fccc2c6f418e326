// SPDX-License-Identifier: Apache-2.0
// Header fields of SEG-Y models, in either order of bytes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fixtures/scratch_directory.hpp"
#include "fixtures/segy_bytes.hpp"
#include "program/seismic/model_files.hpp"

namespace tessera::io {
namespace {

using test::error_of;
using test::has;
using test::SegyBytes;

TEST(SegyModel, HeadersAreUsedOrRefused) {
  if (!have_segy()) GTEST_SKIP() << "built without SEG-Y support";
  const test::ScratchDirectory folder;
  const auto path = folder / "h.sgy";
  const auto read = [&](const SegyBytes& bytes, const HeaderChecks& checks = {}) {
    test::write_text(path, bytes.text());
    const ModelFile file = read_segy_model(path, 2, 1, checks);
    const ModelShape shape = segy_model_shape(path, 2, 1, checks);
    EXPECT_EQ(shape.cells(), file.shape.cells());
    return file.values;
  };
  const std::vector<float> values = {2000, 2001, 2100, 2101, 2200, 2201};
  for (const bool little : {false, true}) {
    const auto message = [&](const SegyBytes& bytes, const HeaderChecks& checks = {}) {
      return error_of([&] { (void)read(bytes, checks); });
    };
    EXPECT_EQ(read(SegyBytes(little)), values);
    EXPECT_EQ(read(SegyBytes(little, 2)), values) << "extended headers";
    // Revision 0 has none: what stands in their field is something else.
    EXPECT_EQ(read(SegyBytes(little).set(3500, 0).set(3504, 7)), values);
    EXPECT_TRUE(has(message(SegyBytes(little).set(3504, -1)), "extended headers"));
    EXPECT_TRUE(has(message(SegyBytes(little).set(3254, 2)), "feet"));
    EXPECT_TRUE(has(message(SegyBytes(little).set(3254, 9)), "measurement system 9"));
    EXPECT_TRUE(has(message(SegyBytes(little).set(3500, 0x0300)), "revision 3.0"));
    EXPECT_TRUE(has(message(SegyBytes(little).set(3216, 10).set(3600 + 116, 20)), "bytes 117"));
    EXPECT_TRUE(has(message(SegyBytes(little).set(3600 + 108, 500)), "bytes 109"));
    EXPECT_TRUE(has(message(SegyBytes(little).set(3600 + 168, 3)), "bytes 169"));
    EXPECT_TRUE(has(message(SegyBytes(little).set(3600 + 28, 2)), "trace 1 is dead"));
    // Revision 2: additional trace headers, samples in 32 bits, where traces begin. The low half.
    const auto second = [&](std::size_t at, std::size_t bytes, int value) {
      return SegyBytes(little).set(3500, 0x0200).set(little ? at : at + bytes - 2, value);
    };
    EXPECT_TRUE(has(message(second(3506, 4, 1)), "1 additional trace headers"));
    EXPECT_TRUE(has(message(second(3268, 4, 4)), "say 4 samples"));
    EXPECT_TRUE(has(message(second(3520, 8, 6800)), "say 6800 as"));
    EXPECT_EQ(read(second(3268, 4, 3)), values);
    EXPECT_TRUE(has(message(second(3512, 8, 41)), "say 41 traces"));
    EXPECT_EQ(read(SegyBytes(little).set(3254, 2), {false, std::nullopt}), values);
    // 12.5 m as 12500 mm, 12 m as they are; 4000 (microseconds) is neither.
    EXPECT_EQ(read(SegyBytes(little).set(3216, 12500), {true, 12.5}), values);
    EXPECT_EQ(read(SegyBytes(little).set(3216, 12), {true, 12.0}), values);
    EXPECT_TRUE(has(message(SegyBytes(little).set(3216, 4000), {true, 12.5}), "model.dz"));
    EXPECT_EQ(read(SegyBytes(little).set(3216, 4000), {false, 12.5}), values);
    EXPECT_TRUE(has(message(SegyBytes(little).set(3216, -12), {true, 12.0}), "between samples"));
    // Only the traces say it; only the first does.
    EXPECT_TRUE(
        has(message(SegyBytes(little).set_all(116, 20), {true, 12.0}), "20 between samples"));
    EXPECT_EQ(read(SegyBytes(little).set_all(116, 20), {true, 20.0}), values);
    EXPECT_TRUE(has(message(SegyBytes(little).set(3600 + 116, 20), {true, 12.0}), "20 between"));
    EXPECT_TRUE(has(message(SegyBytes(little).set(3600 + 252 + 116, 20)), "bytes 117"));
    // Samples that are no velocities: pascals; thousandths of something.
    EXPECT_TRUE(has(message(SegyBytes(little).set_all(202, 1)), "bytes 203"));
    EXPECT_EQ(read(SegyBytes(little).set_all(202, 6)), values);
    EXPECT_TRUE(has(message(SegyBytes(little).set_all32(204, 1).set_all(208, -3)), "bytes 205"));
    EXPECT_EQ(read(SegyBytes(little).set_all32(204, 1)), values);
    // Revision 2 gives the interval as a double too: it counts, and must be a number.
    const auto exact = [&](double interval) {
      return SegyBytes(little).set(3500, 0x0200).set(3216, 4000).set_double(3272, interval);
    };
    EXPECT_EQ(read(exact(12.5), {true, 12.5}), values);
    EXPECT_TRUE(has(message(exact(12.5), {true, 10.0}), "12.5 between samples"));
    EXPECT_TRUE(has(message(exact(-12.5)), "not a positive number"));
    EXPECT_TRUE(has(message(second(3528, 4, 1)), "trailers"));
    EXPECT_TRUE(
        has(message(SegyBytes(little).set(3600 + 240 + 12 + 114, 2)), "trace 2 is not as long"));
    EXPECT_TRUE(has(message(SegyBytes(little).set(3224, 10)), "sample format 10"));
  }
  // Revision 2 tells the order of bytes by a mark; another order is nobody's.
  EXPECT_EQ(read(SegyBytes(true).set(3296, 0x0304).set(3298, 0x0102)), values);
}

TEST(SegyModel, TracesThatAreNoDataAreRefused) {
  if (!have_segy()) GTEST_SKIP() << "built without SEG-Y support";
  const test::ScratchDirectory folder;
  const auto path = folder / "h.sgy";
  constexpr std::size_t kTraceId = 28;
  for (const bool little : {false, true}) {
    for (const int id : {-1, 2, 3, 9, 23}) {
      SegyBytes bytes(little);
      test::write_text(path, bytes.set(bytes.trace(1) + kTraceId, id).text());
      const std::string message =
          error_of([&] { (void)read_segy_model(path, 2, 1, HeaderChecks{}); });
      EXPECT_TRUE(has(message, "trace 2 is dead or no data")) << message;
      EXPECT_TRUE(has(message, "(bytes 29 to 30: " + std::to_string(id) + ")")) << message;
      EXPECT_TRUE(has(message, "model.check_headers = false")) << message;
      EXPECT_EQ(read_segy_model(path, 2, 1, {.headers = false}).values.size(), 6U);
    }
    test::write_text(path, SegyBytes(little).set_all(kTraceId, 1).text());
    EXPECT_EQ(read_segy_model(path, 2, 1, HeaderChecks{}).values.size(), 6U);
  }
}

TEST(SegyModel, TimesThatAColumnHasNoUseForAreRefused) {
  if (!have_segy()) GTEST_SKIP() << "built without SEG-Y support";
  const test::ScratchDirectory folder;
  const auto path = folder / "h.sgy";
  for (const int byte : {99, 101, 103, 105, 107, 109, 111, 113}) {
    SegyBytes bytes(false);
    test::write_text(path, bytes.set_all(static_cast<std::size_t>(byte) - 1, 40).text());
    const std::string message =
        error_of([&] { (void)read_segy_model(path, 2, 1, HeaderChecks{}); });
    EXPECT_TRUE(has(message, fmt::format("(bytes {} to {}: 40)", byte, byte + 1))) << message;
    EXPECT_TRUE(has(message, "tools/convert_model.py")) << message;
    EXPECT_EQ(read_segy_model(path, 2, 1, {.headers = false}).values.size(), 6U);
  }
}

}  // namespace
}  // namespace tessera::io
