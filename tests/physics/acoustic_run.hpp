// SPDX-License-Identifier: Apache-2.0
// What the physics tests of the acoustic family share: a variant to run with.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "cases/acoustic_solver.hpp"
#include "error.hpp"
#include "measure/flush_to_zero.hpp"
#include "precision.hpp"

namespace tessera::acoustic {

/// The first configuration of `patterns` that can update all regions of `solver` here.
template <class Real>
Selected supported_variant(const Solver<Real>& solver, const std::vector<std::string>& patterns) {
  for (const auto& pattern : patterns) {
    for (const Selected& how : all_variants().select({pattern})) {
      const auto& regions = solver.regions();
      if (std::all_of(regions.begin(), regions.end(), [&](const Region& r) {
            return how.variant->plan(how.configuration, r, {"acoustic/iso25", sizeof(Real)})
                .supported();
          })) {
        return how;
      }
    }
  }
  fail("no variant of the acoustic family runs here");
}

/// A fast one: a host tile on a host, a thread block on a device.
template <class Real>
Selected fast_variant(const Solver<Real>& solver) {
  return supported_variant(solver, {"acoustic/gmem:fullx16xfull", "acoustic/gmem:32x32x1"});
}

/// Skips a test where the binary lacks the precision, and treats denormals as a run does.
template <class Real>
class AcousticTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!precision_is_built(sizeof(Real))) {
      GTEST_SKIP() << "not built in this precision";
    }
    measure::set_flush_to_zero();
  }
};

}  // namespace tessera::acoustic
