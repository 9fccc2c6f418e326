// SPDX-License-Identifier: Apache-2.0
// An error is no reason for an order without tiles.
#include "program/predict/blocking_order.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/support/error.hpp"
#include "fixtures/machines.hpp"
#include "fixtures/scratch_directory.hpp"

namespace tessera::blocking_order_test {
namespace {

/// One whose plan ends in an error.
class BrokenVariant : public Variant {
 public:
  BrokenVariant() {
    family = "jacobi";
    name = "broken";
    stencils = {"jacobi/j3d7pt"};
    configurations = {{"32x32", Origin::ours, ""}};
  }
  [[nodiscard]] std::vector<Region> examples(const std::string& /*stencil*/) const override {
    return {Region{"whole", Update::inner, {0, 64, 0, 64, 0, 64}, {}}};
  }

 private:
  [[nodiscard]] Plan make_plan(std::size_t, const Region&, const Problem&) const override {
    fail("a plan that cannot be made");
  }
};

TEST(BlockingOrder, LetsErrorsPass) {
  Registry registry;
  registry.add(std::make_unique<BrokenVariant>());
  const machine::Machine h100 = test::shipped("H100");
  EXPECT_EQ(
      test::error_of([&] { (void)order_blocking(registry, "jacobi/j3d7pt", h100, "double"); }),
      "a plan that cannot be made");
}

}  // namespace
}  // namespace tessera::blocking_order_test
