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
#include "variants/acoustic/kernels/vector_stream.hpp"
#include "variants/acoustic/two_step/pass.hpp"

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
namespace tessera::acoustic {
namespace {

/// Tiles are dealt out to so many teams at a time; the rest is cut along z.
constexpr int kTogether = 3;

template <class Real, Copies kCopies>
struct PassOnThreads : StepsByNaive<Real> {
  using Rest = VectorLauncher<VectorStreamKernel, Real, tessera::Tile<256, 16>, 1>;

  template <class Format>
  void step(const ExecSpace& exec, const Fields<Real, Format>& f, const Region& region) const {
    if constexpr (std::is_same_v<Format, Plain>) {
      StepsByNaive<Real>::step(exec, f, region);
    } else {
      Rest{}.step(exec, f, region);
    }
  }

  template <class Format>
  void pass(const ExecSpace&, const PassFields<Real, Format>& f, const Box& box) const {
    if constexpr (!std::is_same_v<Format, Plain>) {
      run<Format>(f, box);
    } else if (f.first.vp_index == nullptr) {
      run<Real>(f, box);
    } else {
      run<Linear16>(f, box);
    }
  }

 private:
  template <class Kept, class Format>
  static void run(const PassFields<Real, Format>& f, const Box& box) {
    using Tile = PassTile<Real, 16, 24, kCopies, Kept>;
    const PassTiling tiles(box, Tile::kCoreX, Tile::kCoreY, kTogether);
    const PassKernel<Real, Tile> kernel(f, tiles, PassPacer());
    test::run_on_threads(kernel, tiles.league(), Tile::kThreads, Tile::scratch_bytes());
  }
};

struct OnThreadsVariant : AcousticVariant {
  OnThreadsVariant() : AcousticVariant(test::bare_facts("two_step_on_threads")) {
    reads_vp_steps = true;
    offer_pass({"threads", Origin::ours, ""}, {.steps = 2},
               [](auto real) { return PassOnThreads<decltype(real), Copies::threads>{}; });
    offer_pass({"bulk", Origin::ours, ""}, {.steps = 2},
               [](auto real) { return PassOnThreads<decltype(real), Copies::bulk>{}; });
    offer_stored_pass<true>("threads", PassOnThreads<float, Copies::threads>{},
                            Formats<StoredHalf>{});
    offer_stored_pass<true>("bulk", PassOnThreads<float, Copies::bulk>{},
                            Formats<StoredHalf, StoredBHalf>{});
  }
};

template <class Real>
class TwoStepOnThreads : public AcousticTest<Real> {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(TwoStepOnThreads, Precisions);

TYPED_TEST(TwoStepOnThreads, EqualsTheReference) {
  const OnThreadsVariant variant;
  const auto verify = [&](const RaggedGrid& grid, const Kept& kept, std::size_t copies = 0,
                          Decomposition decomposition = Decomposition::seven) {
    SCOPED_TRACE(grid.n.nz);
    const Verdict verdict = verify_on<TypeParam>(grid, {&variant, copies}, decomposition, 11, kept);
    EXPECT_TRUE(verdict.ok) << verdict.reason;
  };
  verify({{29, 35, 43}, 4}, {});
  verify({{29, 31, 37}, 4, true}, {});
  verify({{17, 29, 64}, 0}, {VpStorage::linear});
  verify({{71, 9, 67}, 0, true}, {VpStorage::linear});  // in two parts along z
  verify({{29, 35, 43}, 4}, {}, 1);
  verify({{29, 31, 37}, 4, true}, {}, 1, Decomposition::seven_concurrent);
  verify({{29, 31, 37}, 4, true}, {VpStorage::linear}, 1);
  if constexpr (std::is_same_v<TypeParam, float>) {
    verify({{17, 29, 64}, 0}, {VpStorage::field, Storage::half});
    verify({{17, 29, 61}, 0}, {VpStorage::linear, Storage::half}, 1);  // vectors over the face
    verify({{29, 31, 37}, 4, true}, {VpStorage::linear, Storage::half}, 1);
  }
}

TYPED_TEST(TwoStepOnThreads, EqualsNaive) {
  const OnThreadsVariant variant;
  Setup setup;
  setup.n = {29, 31, 37};
  setup.pml_cells = 4;
  setup.free_surface = true;
  setup.decomposition = Decomposition::seven;
  Solver<TypeParam> solver(setup);
  solver.set_velocity(2000);
  solver.reserve_passes({&variant, 0});
  Field<TypeParam> next("next", setup.n, kR), phi("phi", setup.n, kR);
  const Verdict verdict =
      verify_against_naive(solver, {&variant, 0}, all_variants().find("acoustic/naive"), next, phi);
  EXPECT_TRUE(verdict.ok) << verdict.reason;
}

TEST(TwoStepInAFormat, BoundOfABetterFormatFails) {
  const OnThreadsVariant variant;
  const Kept kept{VpStorage::field, Storage::bhalf, Storage::half};
  EXPECT_FALSE(
      verify_on<float>({{17, 29, 64}, 0}, {&variant, 1}, Decomposition::seven, 11, kept).ok);
}

}  // namespace
}  // namespace tessera::acoustic
#endif
