// SPDX-License-Identifier: Apache-2.0
// Which tile of a variant wins, and when the lead is too small to tell.
#include "program/run/tuned.hpp"

#include <gtest/gtest.h>

namespace tessera {
namespace {

results::Result tile(const char* configuration, std::vector<double> samples_s) {
  results::Result row;
  row.variant = "acoustic/gmem";
  row.configuration = configuration;
  set_valid(row, std::move(samples_s), {1e9, 16e9, 41e9}, std::nullopt);
  return row;
}

TEST(Winners, ALeadWithinTheSpreadHasARival) {
  const results::Result fast = tile("8x8x8", {1, 1, 1.1, 1.2, 1.2});
  const results::Result close = tile("16x8x8", {1.1, 1.1, 1.15, 1.3, 1.3});
  const results::Result slow = tile("16x8x8", {1.3, 1.3, 1.3, 1.3, 1.3});
  for (const auto& [other, is_rival] : {std::pair(close, true), {slow, false}}) {
    const std::vector<Winner> one = winners({}, {other, fast}, "");
    ASSERT_EQ(one.size(), 1U);
    EXPECT_EQ(one[0].configuration, "8x8x8");
    EXPECT_EQ(one[0].rival.value_or(""), is_rival ? "16x8x8" : "");
  }
}

}  // namespace
}  // namespace tessera
