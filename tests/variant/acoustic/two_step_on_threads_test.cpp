// SPDX-License-Identifier: Apache-2.0
// The pass of acoustic/two_step, which is a device's, on a host: its kernel with copies by threads,
// and with those that the copy engine would make, a thread of the system for each of a team's.
#include <gtest/gtest.h>

#include <cstdint>

#include "fixtures/acoustic_run.hpp"
#include "fixtures/bare_facts.hpp"
#include "fixtures/steps_by_naive.hpp"
#include "fixtures/team_of_threads.hpp"
#include "variants/acoustic/case/verify.hpp"
#include "variants/acoustic/two_step/pass.hpp"

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
namespace tessera::acoustic {
namespace {

/// Tiles are dealt out to so many teams at a time; the rest is cut along z.
constexpr int kTogether = 3;

template <class Real, Copies kCopies>
struct PassOnThreads : StepsByNaive<Real> {
  void pass(const ExecSpace&, const PassFields<Real>& f, const Box& box) const {
    if (f.first.vp_index == nullptr) {
      run<Real>(f, box);
    } else {
      run<std::uint16_t>(f, box);
    }
  }

 private:
  template <class Vp>
  static void run(const PassFields<Real>& f, const Box& box) {
    using Tile = PassTile<Real, 16, 24, kCopies, Vp>;
    const PassTiling tiles(box, Tile::kCoreX, Tile::kCoreY, kTogether);
    const PassKernel<Real, Tile> kernel(f, tiles, Pacer());
    test::run_on_threads(kernel, tiles.league(), Tile::kThreads, Tile::scratch_bytes());
  }
};

struct OnThreadsVariant : AcousticVariant {
  OnThreadsVariant() : AcousticVariant(test::bare_facts("two_step_on_threads")) {
    reads_vp_index = true;
    offer_pass({"threads", Origin::ours, ""}, {.steps = 2},
               [](auto real) { return PassOnThreads<decltype(real), Copies::threads>{}; });
    offer_pass({"bulk", Origin::ours, ""}, {.steps = 2},
               [](auto real) { return PassOnThreads<decltype(real), Copies::bulk>{}; });
  }
};

template <class Real>
class TwoStepOnThreads : public AcousticTest<Real> {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(TwoStepOnThreads, Precisions);

TYPED_TEST(TwoStepOnThreads, EqualsTheReference) {
  const OnThreadsVariant variant;
  const auto verify = [&](const RaggedGrid& grid, VpStorage vp, std::size_t copies = 0) {
    SCOPED_TRACE(grid.n.nz);
    const Verdict verdict =
        verify_on<TypeParam>(grid, {&variant, copies}, Decomposition::seven, 11, {vp});
    EXPECT_TRUE(verdict.ok) << verdict.reason;
  };
  verify({{29, 35, 43}, 4}, VpStorage::field);
  verify({{29, 31, 37}, 4, true}, VpStorage::field);
  verify({{17, 29, 64}, 0}, VpStorage::field);
  verify({{17, 29, 64}, 0}, VpStorage::index);
  verify({{71, 9, 67}, 0, true}, VpStorage::index);  // in two parts along z
  verify({{29, 35, 43}, 4}, VpStorage::field, 1);
  verify({{29, 31, 37}, 4, true}, VpStorage::linear, 1);
  verify({{17, 29, 64}, 0}, VpStorage::index, 1);
}

}  // namespace
}  // namespace tessera::acoustic
#endif
