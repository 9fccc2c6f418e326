// SPDX-License-Identifier: Apache-2.0
// What plans say of variants that read the same.
#include <gtest/gtest.h>

#include "fixtures/catalogue.hpp"

namespace tessera::acoustic {
namespace {

// Every point through the cache, also where one region has cells of both formulas.
TEST(AcousticPlans, NaiveAndGmemReadAndWriteTheSame) {
  const Box all{0, 64, 0, 64, 0, 64}, inner{8, 56, 8, 56, 8, 56};
  for (const Region& region :
       {Region{"single", Update::branched, all, inner}, Region{"inner", Update::inner, inner, {}},
        Region{"top", Update::pml, {0, 8, 0, 64, 0, 64}, {}}}) {
    const auto plan = [&](const char* name) {
      return all_variants().find(name).plan(0, region, {"acoustic/iso25", 4});
    };
    const Plan gmem = plan("acoustic/gmem");
    for (const char* name : {"acoustic/naive", "acoustic/naive_simd"}) {
      EXPECT_EQ(plan(name).loads, gmem.loads) << name << " in " << region.name;
      EXPECT_EQ(plan(name).stores, gmem.stores) << name << " in " << region.name;
    }
  }
}

}  // namespace
}  // namespace tessera::acoustic
