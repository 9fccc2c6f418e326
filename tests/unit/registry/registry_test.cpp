// SPDX-License-Identifier: Apache-2.0
#include "base/registry/registry.hpp"
#include "fixtures/catalogue.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "fixtures/scratch_directory.hpp"

namespace tessera {
namespace {

using test::error_of;
using test::has;

class FakeVariant : public Variant {
 public:
  FakeVariant(const char* in_family, const char* called, const std::vector<const char*>& tiles) {
    family = in_family;
    name = called;
    for (const char* tile : tiles) configurations.push_back({tile, Origin::ours, ""});
  }

 private:
  [[nodiscard]] Plan make_plan(std::size_t, const Region&, const Problem&) const override {
    return unsupported("a fake");
  }
};

Registry fakes() {
  Registry registry;
  registry.add(std::make_unique<FakeVariant>("acoustic", "gmem",
                                             std::vector<const char*>{"8x8x8", "32x32x1"}));
  registry.add(std::make_unique<FakeVariant>("acoustic", "st_reg_fixed",
                                             std::vector<const char*>{"32x16", "32x16,chunk=128"}));
  registry.add(std::make_unique<FakeVariant>("jacobi", "gmem", std::vector<const char*>{"32x16"}));
  return registry;
}

std::vector<std::string> names(const std::vector<Selected>& selected) {
  std::vector<std::string> result;
  for (const Selected& s : selected) result.push_back(s.full_name());
  return result;
}

// In a build of few tiles the others have plans, and nothing else knows them.
TEST(Registry, WhatIsOnlyPlannedIsNotSelected) {
  FakeVariant variant("acoustic", "gmem", {"8x8x8"});
  variant.planned.push_back({"32x32x1", Origin::paper, ""});
  variant.configurations.push_back({"4x4x4", Origin::ours, ""});
  EXPECT_EQ(variant.full_name(1), "acoustic/gmem:4x4x4");
  EXPECT_EQ(variant.full_name(2), "acoustic/gmem:32x32x1") << "behind the configurations";
  EXPECT_EQ(variant.configuration(2).origin, Origin::paper);
  EXPECT_THROW(static_cast<void>(variant.configuration(3)), std::out_of_range);
  Registry registry;
  auto one = std::make_unique<FakeVariant>("acoustic", "st_smem", std::vector<const char*>{"16x8"});
  one->planned.push_back({"8x8", Origin::ours, ""});
  registry.add(std::move(one));
  EXPECT_EQ(names(registry.select({"acoustic/*"})),
            std::vector<std::string>{"acoustic/st_smem:16x8"});
  EXPECT_NE(error_of([&] {
              static_cast<void>(registry.select({"st_smem:8x8"}));
            }).find("not in this build"),
            std::string::npos);
}

// Every tile, of the few and of the others, has a plan for one of its variant's stencils on a
// machine of a kind that it runs on, in one of the precisions.
TEST(Registry, EveryTileHasAPlan) {
  for (const auto& variant : all_variants().variants()) {
    std::set<std::string> texts;
    const std::size_t count = variant->configurations.size() + variant->planned.size();
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_TRUE(texts.insert(variant->configuration(i).text).second)
          << variant->full_name(i) << " is there twice";
      bool planned = false;
      for (const std::string& stencil : variant->stencils) {
        for (const MachineLimits& machine : {kAnyDevice, kAnyHost}) {
          for (const int bytes : {4, 8}) {
            Problem problem{stencil, bytes};
            problem.machine = machine;
            const Region region = variant->examples(stencil).front();
            planned = planned || variant->plan(i, region, problem).supported();
          }
        }
      }
      // A library's kernel launches itself, where it is built.
      EXPECT_TRUE(planned || variant->name == "spmv") << variant->full_name(i);
    }
  }
}

TEST(Registry, RefusesADuplicate) {
  Registry registry = fakes();
  const std::string message = error_of([&] {
    registry.add(std::make_unique<FakeVariant>("acoustic", "gmem", std::vector<const char*>{"1"}));
  });
  EXPECT_TRUE(has(message, "acoustic/gmem is registered twice"));
  EXPECT_EQ(registry.variants().size(), 3U);
}

TEST(Registry, CastsToTheFamilysClassAlone) {
  struct Other : FakeVariant {
    using FakeVariant::FakeVariant;
  };
  const FakeVariant plain("acoustic", "gmem", {"8x8x8"});
  const Other other("jacobi", "step", {"8x8x8"});
  EXPECT_EQ(&(Selected{&other, 0}.as<Other>()), &other);
  const std::string message = error_of([&] { static_cast<void>(Selected{&plain, 0}.as<Other>()); });
  EXPECT_TRUE(has(message, "acoustic/gmem")) << message;
}

TEST(Registry, FindsByFullNameAndNamesTheNearest) {
  const Registry registry = fakes();
  EXPECT_EQ(registry.find("jacobi/gmem").family, "jacobi");
  const std::string message =
      error_of([&] { static_cast<void>(registry.find("acoustic/st_reg_fxed")); });
  EXPECT_TRUE(has(message, "\"acoustic/st_reg_fxed\""));
  EXPECT_TRUE(has(message, "did you mean acoustic/st_reg_fixed? `tessera list` shows all"));
}

TEST(Registry, FindsByShortNameWhereOneFamilyHasIt) {
  const Registry registry = fakes();
  EXPECT_EQ(registry.find("st_reg_fixed").family, "acoustic");
  const auto message = [&](const char* name) {
    return error_of([&] { static_cast<void>(registry.find(name)); });
  };
  EXPECT_EQ(message("gmem"), "\"gmem\" exists in acoustic, jacobi: write FAMILY/gmem");
  EXPECT_TRUE(has(message("gmen"), "did you mean gmem?")) << message("gmen");
}

TEST(Registry, SelectsConfigurationsByGlob) {
  const Registry registry = fakes();
  EXPECT_EQ(registry.select({"*"}).size(), 5U);
  EXPECT_EQ(names(registry.select({"acoustic/gmem"})),
            (std::vector<std::string>{"acoustic/gmem:8x8x8", "acoustic/gmem:32x32x1"}));
  EXPECT_EQ(names(registry.select({"*:32x16"})),
            (std::vector<std::string>{"acoustic/st_reg_fixed:32x16", "jacobi/gmem:32x16"}));
  EXPECT_EQ(names(registry.select({"acoustic/st_*:*chunk*"})),
            (std::vector<std::string>{"acoustic/st_reg_fixed:32x16,chunk=128"}));
  // Two patterns that both match select once.
  EXPECT_EQ(registry.select({"*", "acoustic/*"}).size(), 5U);
}

TEST(Registry, TakesOfAPatternWhatRunsOnTheKindThatIsAskedAbout) {
  Registry registry = fakes();
  auto both = std::make_unique<FakeVariant>("ete", "scatter",
                                            std::vector<const char*>{"32x16", "512x16", "8x8"});
  both->configurations[0].runs_on = RunsOn::devices;
  both->configurations[1].runs_on = RunsOn::hosts;
  both->stencils = {"ete/37pt"};
  registry.add(std::move(both));
  const auto on = [&](const char* pattern, MachineKind kind) {
    return names(registry.select({pattern}, {}, kind));
  };
  EXPECT_EQ(on("ete/*", MachineKind::device),
            (std::vector<std::string>{"ete/scatter:32x16", "ete/scatter:8x8"}));
  EXPECT_EQ(on("scatter", MachineKind::host),
            (std::vector<std::string>{"ete/scatter:512x16", "ete/scatter:8x8"}));
  // A name of what runs on the other kind alone is taken: its plan says why it does not run.
  EXPECT_EQ(on("ete/scatter:512x16", MachineKind::device),
            (std::vector<std::string>{"ete/scatter:512x16"}));
  EXPECT_EQ(registry.select({"ete/*"}).size(), 3U);
  Problem problem{"ete/37pt"};
  problem.machine = kAnyDevice;
  EXPECT_EQ(registry.find("ete/scatter").plan(1, {}, problem).unsupported, "a host's tile");
}

TEST(Registry, ExcludesAfterSelecting) {
  const Registry registry = fakes();
  EXPECT_EQ(names(registry.select({"*"}, {"acoustic/*"})),
            (std::vector<std::string>{"jacobi/gmem:32x16"}));
  EXPECT_EQ(names(registry.select({"acoustic/*"}, {"*:32x*"})),
            (std::vector<std::string>{"acoustic/gmem:8x8x8"}));
  EXPECT_TRUE(registry.select({"acoustic/*"}, {"*"}).empty());
}

TEST(Registry, PatternThatMatchesNothingIsAnError) {
  const Registry registry = fakes();
  std::string message =
      error_of([&] { static_cast<void>(registry.select({"acoustic/gmem:8x8x9"})); });
  EXPECT_TRUE(has(message, "\"acoustic/gmem:8x8x9\""));
  EXPECT_TRUE(has(message, "nearest name is acoustic/gmem:8x8x8"));
  message = error_of([&] { static_cast<void>(registry.select({"*"}, {"jacobi/gmen"})); });
  EXPECT_TRUE(has(message, "nearest name is jacobi/gmem"));
  message = error_of([&] { static_cast<void>(registry.select({"gmm"})); });
  EXPECT_TRUE(has(message, "nearest name is gmem;")) << message;
}

TEST(Registry, ThisBinarysVariantsAreDescribed) {
  ASSERT_FALSE(all_variants().variants().empty());
  for (const auto& v : all_variants().variants()) {
    SCOPED_TRACE(v->full_name());
    EXPECT_FALSE(v->stencils.empty());
    for (const auto& stencil : v->stencils) EXPECT_EQ(stencil.rfind(v->family + "/", 0), 0U);
    for (const std::string* text :
         {&v->summary, &v->formula, &v->supports, &v->source, &v->memory, &v->loses}) {
      EXPECT_FALSE(text->empty());
    }
    EXPECT_FALSE(v->tags.empty());
    EXPECT_FALSE(v->configurations.empty());
    std::set<std::string> texts;
    for (const Configuration& c : v->configurations) {
      EXPECT_FALSE(c.text.empty());
      EXPECT_EQ(c.text.find_first_of(" :"), std::string::npos) << c.text;
      EXPECT_TRUE(texts.insert(c.text).second) << c.text << " is offered twice";
    }
  }
}

}  // namespace
}  // namespace tessera
