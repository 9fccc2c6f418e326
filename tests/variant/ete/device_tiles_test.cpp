// SPDX-License-Identifier: Apache-2.0
// Device tiles of the ete family: more than one a variant, so that `tune` has something to do, and
// one that fits the 64 KiB of scratch that an MI250X has and a V100 grants without asking.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "fixtures/catalogue.hpp"
#include "variants/ete/kernels/variant.hpp"

namespace tessera::ete {
namespace {

/// Device tiles of a variant that a stencil in float can use with so much scratch a team, on any
/// table: with `isotropic`, on one whose axes are alike.
int device_tiles(const Variant& variant, const std::string& stencil, int scratch_bytes,
                 bool isotropic) {
  MachineLimits machine = kAnyDevice;
  machine.native_scratch_bytes = scratch_bytes;
  machine.scratch_bytes = std::min(machine.scratch_bytes, scratch_bytes);
  Problem problem{.stencil = stencil, .value_bytes = 4};
  problem.columns = kPaperColumns;
  problem.isotropic = isotropic;
  problem.machine = machine;
  int count = 0;
  for (std::size_t c = 0; c < variant.configurations.size(); ++c) {
    if (!runs_on(variant.configurations[c].runs_on, MachineKind::device)) continue;
    const Region region = variant.examples(stencil).front();
    count += variant.plan(c, region, problem).supported() ? 1 : 0;
  }
  return count;
}

TEST(EteDeviceTiles, AreSeveralAndOneFitsSixtyFourKiB) {
  constexpr int kLargest = 227 << 10;
  constexpr int kSmall = 64 << 10;
  int variants = 0;
  for (const auto& variant : all_variants().variants()) {
    if (variant->family != "ete" || variant->name == "spmv") continue;  // a library's launches
    SCOPED_TRACE(variant->name);
    ++variants;
    const std::string stencil = "ete/37pt";
    EXPECT_GE(device_tiles(*variant, stencil, kLargest, true), kAllDeviceTiles ? 2 : 1);
    EXPECT_GE(device_tiles(*variant, stencil, kSmall, true), kAllDeviceTiles ? 1 : 0);
    // What the small scratch takes away shows: nothing fits in none, but what has no scratch.
    EXPECT_LE(device_tiles(*variant, stencil, kSmall, true),
              device_tiles(*variant, stencil, kLargest, true));
  }
  EXPECT_GE(variants, 12);
}

TEST(EteDeviceTiles, ScratchIsCounted) {
  const Variant& all_in_scratch = all_variants().find("ete/gather_scratch");
  EXPECT_GT(device_tiles(all_in_scratch, "ete/37pt", 227 << 10, true), 0);
  EXPECT_EQ(device_tiles(all_in_scratch, "ete/37pt", 40 << 10, false), 0)
      << "a table of 42 KiB in 40";
}

}  // namespace
}  // namespace tessera::ete
