// SPDX-License-Identifier: Apache-2.0
// Wavefields in fewer bits (acoustic.storage): conversions, the bound of each format, what an
// overflow looks like, and how accurate a format is beside the others.
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

TEST(StoredValues, TwentyFourBitsAreTheNearest) {
  std::uint32_t number = 1;
  for (int i = 0; i < 100000; ++i) {
    number = number * 1664525U + 1013904223U;
    const auto value = detail::same_bits<float>(number & 0xbfffffffU);
    if (std::abs(value) < 1e-30F) continue;
    const std::uint32_t all = Float24::encode(value);
    const float stored =
        Float24::decode(static_cast<std::uint16_t>(all >> 16), static_cast<std::uint8_t>(all >> 8));
    ASSERT_LE(std::abs(double(stored) - value), rounding_of(Storage::float24, value)) << value;
    ASSERT_EQ(Float24::encode(stored) >> 8, all >> 8) << value;
  }
  for (const float value : {INFINITY, NAN, 3.4028234e38F})
    EXPECT_FALSE(
        std::isfinite(Float24::decode(static_cast<std::uint16_t>(Float24::encode(value) >> 16),
                                      static_cast<std::uint8_t>(Float24::encode(value) >> 8))));
}

struct OneBlock {
  std::uint16_t bits[kBlockCells] = {};
  std::uint8_t exponent = 0;
  [[nodiscard]] Packed<Block16> at() { return {bits, &exponent, 0}; }
};

TEST(StoredValues, ABlockHasTheUnitOfItsLargest) {
  float values[kBlockCells];
  for (int step = 0; step < 200; ++step) {
    float largest = 0;
    for (int k = 0; k < kBlockCells; ++k) {
      values[k] = std::ldexp(std::sin(float(7 * k + step)), step - 100);
      largest = std::max(largest, std::abs(values[k]));
    }
    OneBlock block;
    put_block(block.at(), values, kBlockCells);
    const auto worst = [&] {
      double most = 0;
      for (int k = 0; k < kBlockCells; ++k)
        most = std::max(most, std::abs(double(block.at()[k]) - values[k]));
      return most;
    };
    ASSERT_LE(worst(), rounding_of(Storage::block16, largest)) << step;
    const OneBlock once = block;
    for (int k = 0; k < kBlockCells; ++k) values[k] = block.at()[k];
    put_block(block.at(), values, kBlockCells);  // what is stored stays as it is
    ASSERT_EQ(once.exponent, block.exponent);
    ASSERT_TRUE(std::equal(block.bits, block.bits + kBlockCells, once.bits));
    ++block.exponent;  // a wrong one
    ASSERT_GT(worst(), rounding_of(Storage::block16, largest));
  }
}

TEST(StoredValues, ABlockRoundsUpToTheNextPowerAndKeepsWhatIsNotFinite) {
  float values[kBlockCells] = {};
  for (const float largest : {1.9999999F, -1.9999999F, 32767.4F, 32767.6F}) {
    values[3] = largest;
    OneBlock block;
    put_block(block.at(), values, kBlockCells);
    EXPECT_LE(std::abs(block.at()[3] - largest), rounding_of(Storage::block16, largest));
    EXPECT_EQ(block.at()[4], 0);
  }
  for (const float bad : {INFINITY, -INFINITY, NAN}) {
    values[3] = bad;
    values[5] = 1;
    OneBlock block;
    put_block(block.at(), values, kBlockCells);
    for (const int k : {3, 4, 5}) EXPECT_FALSE(std::isfinite(block.at()[k])) << bad << k;
  }
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

/// Three blocks a row: one is the inner region's alone.
Setup in_blocks(Storage storage) {
  Setup setup;
  setup.n = {13, 11, 77};
  setup.pml_cells = 4;
  setup.storage = storage;
  return setup;
}

bool supported(const Selected& how, const Setup& setup, Decomposition kind) {
  Problem problem{"acoustic/iso25", sizeof(float)};
  problem.storage = setup.storage;
  const std::vector<Region> regions = setup.regions(kind);
  return std::all_of(regions.begin(), regions.end(), [&](const Region& region) {
    return how.variant->plan(how.configuration, region, problem).supported();
  });
}

Selected naive() { return all_variants().select({"acoustic/naive:default"}).front(); }

TEST_F(Stored, EachFormatKeepsItsBoundAndNoNarrowerOne) {
  for (const RaggedGrid& grid : {RaggedGrid{{17, 19, 23}, 4}, RaggedGrid{{11, 13, 77}, 4, true}}) {
    const auto ok = [&](Storage storage, Storage bound) {
      const Kept kept{VpStorage::field, storage, bound};
      return verify_on<float>(grid, naive(), Decomposition::seven, 7, kept).ok;
    };
    for (const Storage storage : kStorages) EXPECT_TRUE(ok(storage, storage)) << to_string(storage);
    if (grid.free_surface) continue;
    EXPECT_FALSE(ok(Storage::bhalf, Storage::half));
    EXPECT_FALSE(ok(Storage::half, Storage::plain));
    EXPECT_FALSE(ok(Storage::half_difference, Storage::plain));
    EXPECT_FALSE(ok(Storage::bhalf, Storage::float24));
    EXPECT_FALSE(ok(Storage::float24, Storage::plain));
    EXPECT_FALSE(ok(Storage::half, Storage::block16));
    EXPECT_FALSE(ok(Storage::block16, Storage::half));  // of values that are small in their block
  }
}

TEST_F(Stored, EachVariantKeepsTheBoundOfItsFormatsInEachDecomposition) {
  for (const char* name : {"acoustic/gmem", "acoustic/jam", "acoustic/st_async"}) {
    int verified = 0;
    for (const Selected& how : all_variants().select({std::string(name) + ":*"})) {
      for (const Decomposition kind : {Decomposition::single, Decomposition::seven}) {
        for (const Kept& kept : kept_by<float>(how, kind, LayerKind::paper)) {
          if (kept.storage == Storage::plain) continue;
          const RaggedGrid grid{{13, 11, 77}, 4};
          if (!supported(how, in_blocks(kept.storage), kind)) continue;
          const Verdict verdict = verify_on<float>(grid, how, kind, 7, kept);
          EXPECT_TRUE(verdict.ok) << how.full_name() << to_string(kept.storage) << verdict.reason;
          ++verified;
        }
      }
    }
    EXPECT_GT(verified, 1) << name;
  }
}

TEST_F(Stored, VariantsWithoutAFormatSayWhichTheyTake) {
  const std::map<Storage, double> bytes = {{Storage::half, 8},
                                           {Storage::half_difference, 10},
                                           {Storage::bhalf, 8},
                                           {Storage::float24, 11},
                                           {Storage::block16, 8 + 3.0 / 32}};
  std::map<Storage, int> taken, refused;
  for (const Selected& how : all_variants().select({"acoustic/*"})) {
    Problem problem{"acoustic/iso25", sizeof(float)};
    const Region region = how.variant->examples(problem.stencil).front();
    if (!how.variant->plan(how.configuration, region, problem).supported()) continue;
    for (const auto& [storage, expected] : bytes) {
      problem.storage = storage;
      const Plan plan = how.variant->plan(how.configuration, region, problem);
      ++(plan.supported() ? taken : refused)[storage];
      if (plan.supported()) {
        EXPECT_DOUBLE_EQ(4 * plan.moved_elements, expected) << how.full_name();
      } else {
        EXPECT_NE(plan.unsupported.find("acoustic.storage"), std::string::npos) << plan.unsupported;
      }
    }
  }
  EXPECT_GT(taken[Storage::half], 3);
  EXPECT_GT(taken[Storage::block16], 2);
  EXPECT_GT(refused[Storage::block16], taken[Storage::block16]);
}

// What the traffic model sums over is what a step moves.
TEST_F(Stored, ArraysMoveWhatAPlanSays) {
  int seen = 0;
  for (const Selected& how : all_variants().select({"acoustic/*"})) {
    Problem problem{"acoustic/iso25", sizeof(float)};
    for (const Region& region : how.variant->examples(problem.stencil)) {
      for (const VpStorage vp : {VpStorage::field, VpStorage::linear}) {
        for (const Storage storage : {Storage::plain, Storage::half, Storage::half_difference}) {
          problem.vp_beside = vp, problem.storage = storage;
          const Plan plan = how.variant->plan(how.configuration, region, problem);
          if (!plan.supported() || plan.temporal_depth > 1) continue;
          double moved = 0;
          for (const ArrayUse& array : plan.arrays)
            moved += array.share * (array.read + array.written);
          EXPECT_NEAR(moved, plan.moved_elements, 1e-12) << how.full_name() << ", " << region.name;
          seen += vp == VpStorage::linear && storage != Storage::plain ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GE(seen, 2);
}

TEST_F(Stored, AShellCutsBlocks) {
  Problem problem{"acoustic/iso25", sizeof(float)};
  problem.storage = Storage::block16;
  const auto setup = in_blocks(Storage::block16);
  for (const Region& region : setup.regions(Decomposition::two)) {
    const Plan plan = naive().variant->plan(naive().configuration, region, problem);
    EXPECT_EQ(plan.supported(), region.update == Update::inner) << plan.unsupported;
  }
  for (const Region& region : setup.regions(Decomposition::seven)) {
    EXPECT_EQ(region.box.x0 % kBlockCells, 0) << region.name;
    EXPECT_TRUE(region.box.x1 % kBlockCells == 0 || region.box.x1 == 77) << region.name;
  }
}

/// u of a source in a medium of two layers, at the end of 100 steps.
std::vector<float> field_of(Storage storage, double peak) {
  Setup setup;
  setup.n = {32, 32, 32};
  setup.pml_cells = 5;
  setup.storage = storage;
  Solver<float> solver(setup);
  solver.set_velocity([](int z, int, int) { return z < 16 ? 1500.0 : 3000.0; });
  solver.expect_peak(peak);
  solver.set_zero();
  const SourceCells source(solver.domain(), {12, 13, 16, 17, 16, 17}, {1.0});
  const ExecSpace exec;
  for (int step = 0; step < 100; ++step) {
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
  for (const Storage storage : kStorages)
    error[storage] = relative_difference(field_of(storage, 1e5), exact);
  EXPECT_EQ(error[Storage::plain], 0);
  EXPECT_GT(error[Storage::float24], 0);
  EXPECT_LT(20 * error[Storage::float24], error[Storage::half]);
  EXPECT_LT(4 * error[Storage::block16], error[Storage::half]);
  EXPECT_LT(error[Storage::float24], error[Storage::block16]);
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
