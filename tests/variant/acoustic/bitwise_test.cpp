// SPDX-License-Identifier: Apache-2.0
// Acoustic variants that do not reorder a point's sum agree bit for bit on one backend: with each
// other, in every configuration, and across decompositions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "base/case/random.hpp"
#include "base/grid/transfer.hpp"
#include "fixtures/catalogue.hpp"
#include "fixtures/precision_test.hpp"
#include "variants/acoustic/case/verify.hpp"

namespace tessera::acoustic {
namespace {

constexpr int kSteps = 11;  // of the longest pass and a shorter one

template <class Real>
struct Result {
  std::vector<Real> u, phi;
  friend bool operator==(const Result& a, const Result& b) {
    const auto same = [](const std::vector<Real>& p, const std::vector<Real>& q) {
      return p.size() == q.size() && std::memcmp(p.data(), q.data(), p.size() * sizeof(Real)) == 0;
    };
    return same(a.u, b.u) && same(a.phi, b.phi);
  }
};

template <class Real>
class BitwiseEqual : public test::PrecisionTest<Real> {
 protected:
  void SetUp() override {
    test::PrecisionTest<Real>::SetUp();
    if (testing::Test::IsSkipped()) return;
    acoustic::Setup setup;  // testing::Test hides the short name
    setup.n = {27, 33, 41};
    setup.pml_cells = 5;
    setup.h = {20, 25, 15};
    solver_ = std::make_unique<Solver<Real>>(setup);
    solver_->set_velocity([&](int z, int y, int x) {
      const auto position = (static_cast<std::uint64_t>(z) * setup.n.ny + y) * setup.n.nx + x;
      return 1500 + 3000 * random_value(5, position);
    });
    // Between cells along y, so that tiles and regions share them.
    cells_ = SourceCells(setup.n, {20, 21, 14, 18, 12, 13}, {-0.1, 0.6, 0.7, -0.2});
  }

  /// The fields after a few steps from the same random data, and what a source adds to each.
  Result<Real> run(const Selected& how, Decomposition kind) {
    const ExecSpace exec;
    solver_->set_decomposition(kind);
    solver_->set_random(11);
    solver_->reserve_passes(how);
    for (int step = 0; step < kSteps;) {
      const int steps = solver_->steps_of_pass(how, kSteps - step);
      PassSource source = cells_.source();
      for (int k = 0; k < steps; ++k) source.amplitude[k] = 0.5 + step + k;
      solver_->advance_pass(exec, how, steps, {&source, 1});
      exec.fence();
      step += steps;
    }
    return {to_host(solver_->u()), to_host(solver_->phi())};
  }

  [[nodiscard]] bool supported(const Selected& how) const {
    return std::all_of(solver_->regions().begin(), solver_->regions().end(), [&](const Region& r) {
      return how.variant->plan(how.configuration, r, {"acoustic/iso25", sizeof(Real)}).supported();
    });
  }

  std::unique_ptr<Solver<Real>> solver_;
  SourceCells cells_;
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(BitwiseEqual, Reals);

TYPED_TEST(BitwiseEqual, EveryConfigurationInEveryDecomposition) {
  const Selected naive{&all_variants().find("acoustic/naive"), 0};
  const auto wanted = this->run(naive, Decomposition::single);
  // Data that could not tell two variants apart would prove nothing.
  EXPECT_GT(*std::max_element(wanted.u.begin(), wanted.u.end()), TypeParam(0.1));
  EXPECT_GT(*std::max_element(wanted.phi.begin(), wanted.phi.end()), TypeParam(1e-4));
  for (const Selected& how : all_variants().select({"acoustic/*"})) {
    const auto& tags = how.variant->tags;
    if (std::find(tags.begin(), tags.end(), "reorders") != tags.end()) continue;
    for (const auto kind : distinct_decompositions()) {
      this->solver_->set_decomposition(kind);
      if (!this->supported(how)) continue;
      EXPECT_TRUE(this->run(how, kind) == wanted) << how.full_name() << " " << to_string(kind);
    }
  }
}

TYPED_TEST(BitwiseEqual, ConcurrentRegionsAreThoseOneAfterTheOther) {
  const Selected naive{&all_variants().find("acoustic/naive"), 0};
  const auto wanted = this->run(naive, Decomposition::seven);
  EXPECT_TRUE(this->run(naive, Decomposition::seven_concurrent) == wanted);
  EXPECT_TRUE(this->run(naive, Decomposition::two_concurrent) == wanted);
  EXPECT_TRUE(this->run(naive, Decomposition::seven_concurrent) == wanted) << "and back";
}

TYPED_TEST(BitwiseEqual, ComparisonSeesTheLastBit) {
  const Selected naive{&all_variants().find("acoustic/naive"), 0};
  const auto wanted = this->run(naive, Decomposition::seven);
  auto other = wanted;
  other.u[other.u.size() / 2] = std::nextafter(other.u[other.u.size() / 2], TypeParam(10));
  EXPECT_FALSE(other == wanted);
  EXPECT_TRUE(this->run(naive, Decomposition::seven) == wanted) << "a run is repeatable";
}

}  // namespace
}  // namespace tessera::acoustic
