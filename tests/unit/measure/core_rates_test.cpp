// SPDX-License-Identifier: Apache-2.0
// A core's ports: which widths are measured, and what no core escapes.
#include "program/measure/measurements.hpp"

#include "base/device/host_vector.hpp"
#include "base/device/space.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace tessera::measure {
namespace {

CoreOptions quick(const char* precision = "", bool widest = false) {
  return {.precision = precision, .widest = widest, .sample_s = 0.0005, .repetitions = 5};
}

TEST(CoreRates, WidthsOfTheInstructionSet) {
  if (kOnDevice) {
    EXPECT_TRUE(measure_core_rates(quick()).rates.empty());
    return;
  }
  const CoreRates core = measure_core_rates(quick("float"));
  ASSERT_GE(core.rates.size(), 2U);
  std::set<int> widths;
  for (const CoreRate& r : core.rates) {
    EXPECT_EQ(r.precision, "float");
    widths.insert(r.vector_bytes);
  }
  EXPECT_EQ(widths.size(), core.rates.size()) << "each once";
  EXPECT_EQ(*widths.begin(), 4);
  EXPECT_EQ(*widths.rbegin(), static_cast<int>(sizeof(HostVector<float>)));
  EXPECT_EQ(measure_core_rates(quick("double", true)).rates.size(), 2U);
}

/// Whether something else had the core for most of every sample: then rates say nothing from below.
bool disturbed(const CoreRates& core) {
  // Below any clock of the last twenty years.
  if (core.clock.max < 0.5e9) return true;
  return std::any_of(core.rates.begin(), core.rates.end(), [](const CoreRate& r) {
    // Sums and products together do not do worse than sharing the ports of one, by half.
    return r.mixed.max < 0.5 * std::min(r.sums.max, r.products.max);
  });
}

TEST(CoreRates, WhatNoCoreEscapes) {
  if (kOnDevice) return;
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "instrumented loops keep their values in memory: they show no port's rate";
#endif
  CoreRates core = measure_core_rates(quick("double", true));
  for (int tries = 1; disturbed(core) && tries < 50; ++tries) {
    core = measure_core_rates(quick("double", true));
  }
  EXPECT_FALSE(disturbed(core)) << "in each of fifty tries";
  EXPECT_LT(core.clock.max, 8e9) << "above any clock the chain is not one";
  for (const CoreRate& r : core.rates) {
    for (const machine::Rate* rate :
         {&r.loads, &r.stores, &r.sums, &r.products, &r.mixed, &r.gathers}) {
      EXPECT_GT(rate->max, 0);
      EXPECT_LE(rate->min, rate->max);
      // No core starts more than eight of them a cycle; a loop that were dropped would.
      EXPECT_LT(rate->max, 16 * core.clock.max) << r.vector_bytes;
    }
  }
}

}  // namespace
}  // namespace tessera::measure
