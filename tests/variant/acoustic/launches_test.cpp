// SPDX-License-Identifier: Apache-2.0
// What Kokkos Tools see of a step: the labels of its launches, and no allocations.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fixtures/catalogue.hpp"
#include "variants/acoustic/case/verify.hpp"

namespace tessera::acoustic {
namespace {

/// Kernels and allocations announced to Kokkos Tools while it lives.
class Listener {
 public:
  Listener() : before_(Kokkos::Tools::Experimental::get_callbacks()) {
    launches().clear();
    allocations() = 0;
    namespace tools = Kokkos::Tools::Experimental;
    // Native launches announce themselves as Kokkos' own do (device/announced_kernel.hpp).
    const auto launched = [](const char* label, const std::uint32_t, std::uint64_t*) {
      launches().emplace_back(label);
    };
    tools::set_begin_parallel_for_callback(launched);
    tools::set_begin_parallel_reduce_callback(launched);
    tools::set_begin_parallel_scan_callback(launched);
    // Kokkos announces a team launch without level 1 scratch on CUDA as an allocation of 0 bytes.
    tools::set_allocate_data_callback([](const Kokkos_Profiling_SpaceHandle, const char*,
                                         const void*, const std::uint64_t bytes) {
      if (bytes > 0) ++allocations();
    });
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() { Kokkos::Tools::Experimental::set_callbacks(before_); }

  // Callbacks are plain functions, so what they collect is static.
  static std::vector<std::string>& launches() {
    static std::vector<std::string> labels;
    return labels;
  }
  static int& allocations() {
    static int count = 0;
    return count;
  }

 private:
  Kokkos::Tools::Experimental::EventSet before_;
};

template <class Real>
void check_launches() {
  Setup setup;
  setup.n = {17, 19, 23};
  setup.pml_cells = 4;
  Solver<Real> solver(setup);
  solver.set_velocity(2000);
  solver.set_random(3);
  const ExecSpace exec;
  int checked = 0;
  for (const Selected& how : all_variants().select({"acoustic/*"})) {
    for (const auto kind : distinct_decompositions()) {
      solver.set_decomposition(kind);
      SCOPED_TRACE(how.full_name() + " " + std::string(to_string(kind)));
      const auto& regions = solver.regions();
      const bool supported = std::all_of(regions.begin(), regions.end(), [&](const Region& r) {
        return how.variant->plan(how.configuration, r, {"acoustic/iso25", sizeof(Real)})
            .supported();
      });
      if (!supported) continue;
      solver.update(exec, how);  // the backend may grow its team scratch once
      exec.fence();
      const Listener listener;
      solver.update(exec, how);
      exec.fence();
      const std::string prefix = "tessera::acoustic::" + how.variant->name + "::";
      EXPECT_GE(Listener::launches().size(), regions.size());
      for (const std::string& label : Listener::launches()) {
        EXPECT_EQ(label.rfind(prefix, 0), 0U) << label;
        EXPECT_GT(label.size(), prefix.size()) << "no phase in " << label;
      }
      EXPECT_EQ(Listener::allocations(), 0) << "a step allocates";
      ++checked;
    }
  }
  EXPECT_GT(checked, 0);
}

TEST(AcousticLaunches, AreLabelledByVariantAndAllocateNothing) {
#if TESSERA_ENABLE_FLOAT
  check_launches<float>();
#endif
#if TESSERA_ENABLE_DOUBLE
  check_launches<double>();
#endif
}

TEST(AcousticLaunches, SolversOwnKernelsAreLabelledToo) {
  acoustic::Setup setup;  // testing::Test hides the short name
  setup.n = {17, 19, 23};
  setup.pml_cells = 4;
  Solver<float> solver(setup);
  const ExecSpace exec;
  const Listener listener;
  solver.set_random(3);
  solver.inject(exec, 8, 9, 11, 1.0);
  static_cast<void>(solver.range());
  exec.fence();
  EXPECT_GE(Listener::launches().size(), 5U);
  for (const std::string& label : Listener::launches()) {
    EXPECT_EQ(label.rfind("tessera::acoustic::", 0), 0U) << label;
  }
}

TEST(AcousticLaunches, ListenerNoticesAnAllocation) {
  const Listener listener;
  const Kokkos::View<double*, ExecSpace::memory_space> view("noticed", 10);
  EXPECT_EQ(view.size(), 10U);
  EXPECT_GE(Listener::allocations(), 1);
}

}  // namespace
}  // namespace tessera::acoustic
