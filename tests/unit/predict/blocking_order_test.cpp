// SPDX-License-Identifier: Apache-2.0
// Why a machine has no order of tiles, and that an error is no such reason.
#include "program/predict/blocking_order.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/support/error.hpp"
#include "fixtures/paths.hpp"
#include "fixtures/scratch_directory.hpp"
#include "program/predict/kernel.hpp"

namespace tessera::blocking_order_test {
namespace {

using test::error_of;

machine::Machine machine(const std::string& name) {
  return machine::read_machine(
      std::string(std::string(tessera::source_directory()) + "/inputs/machines/") + name + ".json");
}

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

TEST(BlockingOrder, SaysWhyThereIsNone) {
  const machine::Machine bare = machine("E5-2697v2");
  const BlockingOrder order = order_blocking({}, "jacobi/j3d7pt", bare, "double");
  EXPECT_TRUE(order.tiles.empty());
  EXPECT_EQ(order.none, model::missing_for_model(bare));
  const BlockingOrder none = order_blocking({}, "jacobi/j3d7pt", machine("H100"), "double");
  EXPECT_TRUE(test::has(none.none, "H100"));
  EXPECT_EQ(to_json(none), nlohmann::json::array());
}

TEST(BlockingOrder, LetsErrorsPass) {
  Registry registry;
  registry.add(std::make_unique<BrokenVariant>());
  EXPECT_EQ(
      error_of([&] { (void)order_blocking(registry, "jacobi/j3d7pt", machine("H100"), "double"); }),
      "a plan that cannot be made");
}

}  // namespace
}  // namespace tessera::blocking_order_test
