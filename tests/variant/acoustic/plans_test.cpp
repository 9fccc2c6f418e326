// SPDX-License-Identifier: Apache-2.0
// What plans say of variants that read the same.
#include <gtest/gtest.h>

#include "fixtures/catalogue.hpp"
#include "fixtures/machines.hpp"

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

// docs/performance/storage.md has what ncu counts beside float: 24 instructions a cell in half and
// 155 in block16 by st_async, whose 17 values a cell are read from scratch, 13 in half by st_bulk.
TEST(AcousticPlans, ConversionsAreADevices) {
  const Region inner{"inner", Update::inner, {0, 256, 0, 256, 0, 256}, {}};
  Problem problem{"acoustic/iso25", 4};
  problem.machine = test::shipped_model("H100").machine;
  const auto conversions = [&](const char* name, Storage storage) {
    problem.storage = storage;
    const Selected how = all_variants().select({name}).front();
    const Plan plan = how.variant->plan(how.configuration, inner, problem);
    EXPECT_TRUE(plan.supported()) << plan.unsupported;
    return plan.conversions;
  };
  const char* const async = "acoustic/st_async:128x8,v=4,chunk=64";
  EXPECT_EQ(conversions(async, Storage::plain), 0);
  EXPECT_NEAR(conversions(async, Storage::half), 23.7, 1);
  EXPECT_NEAR(conversions(async, Storage::block16), 155, 2);
  EXPECT_NEAR(conversions("acoustic/st_bulk:128x16,v=4,rows=2", Storage::half), 12.5, 1);
  problem.machine.kind = MachineKind::host;
  EXPECT_EQ(conversions("acoustic/jam:full*,nz=4", Storage::half), 0);
}

// u, u- and vp read, u(n+1) and u(n+2) written, for two steps.
TEST(AcousticPlans, TwoStepsMoveWhatAPassMoves) {
  const Region inner{"inner", Update::inner, {0, 256, 0, 256, 0, 256}, {}};
  Problem problem{"acoustic/iso25", 4};
  problem.machine = test::shipped_model("H100").machine;
  problem.vp_beside = VpStorage::linear;
  const Selected how = all_variants().select({"acoustic/two_step:56x24,copies=bulk"}).front();
  EXPECT_EQ(4 * how.variant->plan(how.configuration, inner, problem).moved_elements, 9);
  problem.vp_beside = VpStorage::field, problem.storage = Storage::half;
  const Plan plan = how.variant->plan(how.configuration, inner, problem);
  EXPECT_TRUE(plan.supported()) << plan.unsupported;
  EXPECT_EQ(4 * plan.moved_elements, 5);
}

}  // namespace
}  // namespace tessera::acoustic
