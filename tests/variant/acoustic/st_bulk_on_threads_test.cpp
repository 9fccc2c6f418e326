// SPDX-License-Identifier: Apache-2.0
// The kernel of acoustic/st_bulk, which is a device's, on a host: its planes are copied at once, a
// thread of the system for each of a team's.
#include <gtest/gtest.h>

#include <cstdint>

#include "fixtures/acoustic_run.hpp"
#include "fixtures/bare_facts.hpp"
#include "fixtures/steps_by_naive.hpp"
#include "fixtures/team_of_threads.hpp"
#include "variants/acoustic/case/verify.hpp"
#include "variants/acoustic/st_bulk/kernel.hpp"

#if !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
namespace tessera::acoustic {
namespace {

/// The inner region by the kernel, layers, where fields are plain, as acoustic/naive does them.
struct BulkOnThreads : StepsByNaive<float> {
  template <class Format>
  void step(const ExecSpace& exec, const Fields<float, Format>& f, const Region& region) const {
    if constexpr (!std::is_same_v<Format, Plain>) {
      run<Format>(f, region);
    } else if (region.update != Update::inner) {
      StepsByNaive<float>::step(exec, f, region);
    } else if (f.vp_index == nullptr) {
      run<float>(f, region);
    } else {
      run<Linear16>(f, region);
    }
  }

 private:
  template <class Kept, class OfFormat>
  static void run(const OfFormat& f, const Region& region) {
    using Kernel = BulkStreamKernel<float, Kept, 32, 4>;
    Box box = region.box;
    box.x0 = box.x0 / 32 * 32;
    const Tiling tiles(box, Kernel::kNx, Kernel::kNy, 17);
    test::run_on_threads(Kernel(f, region.box, tiles, Pacer()), static_cast<int>(tiles.league()),
                         Kernel::kThreads, Kernel::scratch_bytes());
  }
};

struct OnThreadsVariant : AcousticVariant {
  OnThreadsVariant() : AcousticVariant(test::bare_facts("st_bulk_on_threads")) {
    eta_by_profiles = reads_vp_steps = true;
    offer({"any", Origin::ours, ""}, [](auto real) {
      if constexpr (sizeof(real) == 4) {
        return BulkOnThreads{};
      } else {
        return StepsByNaive<double>{};
      }
    });
    offer_stored<true>("any", BulkOnThreads{}, Formats<StoredHalf, StoredDifference>{});
  }
};

class StBulkOnThreads : public AcousticTest<float> {};

TEST_F(StBulkOnThreads, EqualsTheReference) {
  const OnThreadsVariant variant;
  const auto verify = [&](const RaggedGrid& grid, Decomposition decomposition, const Kept& kept) {
    SCOPED_TRACE(grid.n.nz);
    const Verdict verdict = verify_on<float>(grid, {&variant, 0}, decomposition, 11, kept);
    EXPECT_TRUE(verdict.ok) << verdict.reason;
  };
  verify({{29, 35, 143}, 4}, Decomposition::seven, {});
  verify({{41, 31, 37}, 5, true}, Decomposition::seven, {});
  verify({{29, 35, 43}, 0}, Decomposition::single, {VpStorage::linear});
  verify({{29, 35, 143}, 0}, Decomposition::single, {VpStorage::field, Storage::half});
  verify({{29, 35, 43}, 0}, Decomposition::single, {VpStorage::field, Storage::half_difference});
}

}  // namespace
}  // namespace tessera::acoustic
#endif
