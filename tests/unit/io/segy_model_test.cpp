// SPDX-License-Identifier: Apache-2.0
// Header fields of SEG-Y models, in either order of bytes.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fixtures/scratch_directory.hpp"
#include "io/model_files.hpp"

namespace tessera::io {
namespace {

using test::error_of;
using test::has;

/// A SEG-Y model of two traces of three samples, 2000 m/s and up, in either order of bytes.
class SegyBytes {
 public:
  explicit SegyBytes(bool little_endian, int extended = 0) : little_(little_endian) {
    bytes_.assign(static_cast<std::size_t>(3600 + 3200 * extended), '\0');
    set(3220, 3);  // samples
    set(3224, 5);  // IEEE floats
    set(3500, 0x0100);
    set(3504, extended);
    for (int t = 0; t < 2; ++t) {
      std::string header(240, '\0');
      bytes_ += header;
      set(bytes_.size() - 240 + 114, 3);
      for (int z = 0; z < 3; ++z) {
        auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(2000 + 100 * z + t));
        for (int i = 0; i < 4; ++i) {
          bytes_ += static_cast<char>(bits >> (little_ ? 8 * i : 24 - 8 * i) & 0xffU);
        }
      }
    }
  }
  /// A 16-bit field at a byte counted from 0.
  SegyBytes& set(std::size_t at, int value) {
    bytes_[at + (little_ ? 1 : 0)] = static_cast<char>(value >> 8);
    bytes_[at + (little_ ? 0 : 1)] = static_cast<char>(value & 0xff);
    return *this;
  }
  [[nodiscard]] const std::string& text() const { return bytes_; }

 private:
  bool little_;
  std::string bytes_;
};

TEST(SegyModel, HeadersAreUsedOrRefused) {
  if (!have_segy()) GTEST_SKIP() << "built without SEG-Y support";
  const test::ScratchDirectory folder;
  const auto path = folder / "h.sgy";
  const auto read = [&](const SegyBytes& bytes, const SegyChecks& checks = {}) {
    test::write_text(path, bytes.text());
    const ModelFile file = read_segy_model(path, 2, 1, checks);
    const ModelShape shape = segy_model_shape(path, 2, 1, checks);
    EXPECT_EQ(shape.cells(), file.shape.cells());
    return file.values;
  };
  const std::vector<float> values = {2000, 2001, 2100, 2101, 2200, 2201};
  for (const bool little : {false, true}) {
    const auto message = [&](const SegyBytes& bytes, const SegyChecks& checks = {}) {
      return error_of([&] { (void)read(bytes, checks); });
    };
    EXPECT_EQ(read(SegyBytes(little)), values);
    EXPECT_EQ(read(SegyBytes(little, 2)), values) << "extended headers";
    // Revision 0 has none: what stands in their field is something else.
    EXPECT_EQ(read(SegyBytes(little).set(3500, 0).set(3504, 7)), values);
    EXPECT_TRUE(has(message(SegyBytes(little).set(3504, -1)), "extended headers"));
    EXPECT_TRUE(has(message(SegyBytes(little).set(3254, 2)), "feet"));
    EXPECT_TRUE(has(message(SegyBytes(little).set(3216, 10).set(3600 + 116, 20)), "bytes 117"));
    EXPECT_TRUE(has(message(SegyBytes(little).set(3600 + 108, 500)), "bytes 109"));
    EXPECT_TRUE(has(message(SegyBytes(little).set(3600 + 168, 3)), "bytes 169"));
    EXPECT_TRUE(has(message(SegyBytes(little).set(3600 + 28, 2)), "it is dead"));
    // Revision 2: additional trace headers, samples in 32 bits, where traces begin. The low half.
    const auto second = [&](std::size_t at, std::size_t bytes, int value) {
      return SegyBytes(little).set(3500, 0x0200).set(little ? at : at + bytes - 2, value);
    };
    EXPECT_TRUE(has(message(second(3506, 4, 1)), "1 additional trace headers"));
    EXPECT_TRUE(has(message(second(3268, 4, 4)), "say 4 samples"));
    EXPECT_TRUE(has(message(second(3520, 8, 6800)), "begin at byte 6800"));
    EXPECT_EQ(read(second(3268, 4, 3)), values);
    EXPECT_EQ(read(SegyBytes(little).set(3254, 2), {false, std::nullopt}), values);
    // 12.5 m as 12500 mm, 12 m as they are; 4000 (microseconds) is neither.
    EXPECT_EQ(read(SegyBytes(little).set(3216, 12500), {true, 12.5}), values);
    EXPECT_EQ(read(SegyBytes(little).set(3216, 12), {true, 12.0}), values);
    EXPECT_TRUE(has(message(SegyBytes(little).set(3216, 4000), {true, 12.5}), "model.dz"));
    EXPECT_EQ(read(SegyBytes(little).set(3216, 4000), {false, 12.5}), values);
    EXPECT_TRUE(has(message(SegyBytes(little).set(3600 + 240 + 12 + 114, 2)), "trace 2 has 2"));
    EXPECT_TRUE(has(message(SegyBytes(little).set(3224, 10)), "sample format 10"));
  }
  // Revision 2 tells the order of bytes by a mark; another order is nobody's.
  EXPECT_EQ(read(SegyBytes(true).set(3296, 0x0304).set(3298, 0x0102)), values);
}

}  // namespace
}  // namespace tessera::io
