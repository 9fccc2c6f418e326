// SPDX-License-Identifier: Apache-2.0
// Wavefields in 16 bits (acoustic.storage): conversions, the bound of each format, what an overflow
// looks like, and how accurate a format is beside the others.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/grid/transfer.hpp"
#include "fixtures/acoustic_run.hpp"
#include "variants/acoustic/case/verify.hpp"

namespace tessera::acoustic {
namespace {

class Stored : public AcousticTest<float> {};

template <class Format>
void expect_nearest(int significand, float smallest) {
  for (int bits = 0; bits < 65536; ++bits) {
    const auto all = static_cast<std::uint16_t>(bits);
    const float value = Format::decode(all);
    if (std::isnan(value)) continue;
    ASSERT_EQ(Format::encode(value), all) << value;
    if (std::isinf(value) || std::abs(value) < smallest) continue;
    const float unit =  // away from zero; below a power of two it is half as large
        std::copysign(std::ldexp(1.0F, std::ilogb(value) - (significand - 1)), value);
    ASSERT_EQ(Format::decode(Format::encode(value + 0.49F * unit)), value);
    ASSERT_EQ(Format::decode(Format::encode(value - 0.24F * unit)), value);
    // Of two that are as near the even one.
    ASSERT_EQ(Format::encode(value + 0.5F * unit) % 2, 0) << value;
  }
}

TEST(StoredValues, AreTheNearestOfTheirFormat) {
  expect_nearest<Half>(11, 6.2e-5F);
  expect_nearest<BHalf>(8, 1e-30F);
  EXPECT_TRUE(std::isinf(Half::decode(Half::encode(65520))));
  EXPECT_EQ(Half::decode(Half::encode(65519)), 65504);
}

TEST(StoredValues, IntegersMakeTheSameHalves) {
  for (int bits = 0; bits < 65536; ++bits) {
    const auto all = static_cast<std::uint16_t>(bits);
    const float value = Half::decode(all);
    if (std::isnan(value)) continue;
    ASSERT_EQ(detail::half_by_integers(all), value);
    for (const float near : {value, value * 1.0003F, value * 0.9996F})
      ASSERT_EQ(detail::half_by_integers(near), Half::encode(near)) << near;
  }
}

Selected naive() { return all_variants().select({"acoustic/naive:default"}).front(); }

TEST_F(Stored, EachFormatKeepsItsBoundAndNoNarrowerOne) {
  for (const RaggedGrid& grid : {RaggedGrid{{17, 19, 23}, 4}, RaggedGrid{{17, 19, 23}, 4, true}}) {
    const auto ok = [&](Storage storage, Storage bound) {
      const Kept kept{VpStorage::field, storage, bound};
      return verify_on<float>(grid, naive(), Decomposition::seven, 7, kept).ok;
    };
    for (const Storage storage : kStorages) EXPECT_TRUE(ok(storage, storage)) << to_string(storage);
    EXPECT_FALSE(ok(Storage::bhalf, Storage::half));
    EXPECT_FALSE(ok(Storage::half, Storage::plain));
    EXPECT_FALSE(ok(Storage::half_difference, Storage::plain));
  }
}

TEST_F(Stored, VariantsWithoutAFormatSayWhichTheyTake) {
  Problem problem{"acoustic/iso25", sizeof(float)};
  int taken = 0, refused = 0;
  for (const Selected& how : all_variants().select({"acoustic/*"})) {
    const Region region = how.variant->examples(problem.stencil).front();
    problem.storage = Storage::plain;
    if (!how.variant->plan(how.configuration, region, problem).supported()) continue;
    problem.storage = Storage::half;
    const Plan plan = how.variant->plan(how.configuration, region, problem);
    ++(plan.supported() ? taken : refused);
    if (plan.supported()) {
      EXPECT_EQ(plan.moved_elements, 2) << how.full_name();
    } else {
      EXPECT_NE(plan.unsupported.find("acoustic.storage"), std::string::npos) << plan.unsupported;
    }
  }
  EXPECT_GT(taken, 3);
  EXPECT_GT(refused, 3);
}

/// u of a source in a medium of two layers, at the end of 120 steps.
std::vector<float> field_of(Storage storage, double peak) {
  Setup setup;
  setup.n = {40, 40, 40};
  setup.pml_cells = 5;
  setup.storage = storage;
  Solver<float> solver(setup);
  solver.set_velocity([](int z, int, int) { return z < 20 ? 1500.0 : 3000.0; });
  solver.expect_peak(peak);
  solver.set_zero();
  const SourceCells source(solver.domain(), {15, 16, 20, 21, 20, 21}, {1.0});
  const ExecSpace exec;
  for (int step = 0; step < 120; ++step) {
    PassSource now = source.source();
    now.amplitude[0] = paper_wavelet(step * setup.dt(), setup.f_max);
    solver.advance_pass(exec, naive(), 1, {&now, 1});
  }
  exec.fence();
  std::vector<float> u = to_host(solver.u_values());
  for (float& value : u) value = static_cast<float>(value / solver.scale());
  return u;
}

TEST_F(Stored, ADifferenceIsMoreAccurateThanHalfAndHalfThanBHalf) {
  const std::vector<float> exact = field_of(Storage::plain, 1);
  std::map<Storage, double> error;
  for (const Storage storage : {Storage::half, Storage::half_difference, Storage::bhalf}) {
    error[storage] = relative_difference(field_of(storage, 1e5), exact);
  }
  EXPECT_LT(error[Storage::half_difference], error[Storage::half]);
  EXPECT_LT(4 * error[Storage::half], error[Storage::bhalf]);
  EXPECT_LT(error[Storage::half], 0.02);
  EXPECT_GT(error[Storage::half_difference], 0);
}

TEST_F(Stored, AnOverflowStaysInTheField) {
  const std::vector<float> u = field_of(Storage::half, 1e-2);  // a scale for a smaller source
  EXPECT_TRUE(std::any_of(u.begin(), u.end(), [](float v) { return !std::isfinite(v); }));
}

}  // namespace
}  // namespace tessera::acoustic
