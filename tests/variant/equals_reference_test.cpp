// SPDX-License-Identifier: Apache-2.0
// Every registered variant, in every configuration, against the sequential reference: a test for
// each variant, precision and decomposition. A variant is tested by being registered.
#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "cases/case.hpp"
#include "fixtures/catalogue.hpp"
#include "study/plans.hpp"
#include "support/precision.hpp"

namespace tessera {
namespace {

struct Parameter {
  const Variant* variant;
  std::string precision;
  std::string decomposition;
};

std::vector<Parameter> parameters() {
  std::vector<Parameter> all;
  for (const auto& variant : all_variants().variants()) {
    for (const char* precision : {"float", "double"}) {
      const Problem problem{variant->stencils.front(), value_bytes(precision)};
      const auto verify_case = make_verify_case(variant->family, problem, catalogue().families);
      for (const auto& decomposition : verify_case->decompositions) {
        all.push_back({variant.get(), precision, decomposition});
      }
    }
  }
  return all;
}

std::string name_of(const Parameter& p) {
  const std::string last = p.decomposition.empty() ? "" : "_" + p.decomposition;
  return p.variant->family + "_" + p.variant->name + "_" + p.precision + last;
}

/// GoogleTest's own name for a parameter is its bytes.
// NOLINTNEXTLINE(readability-identifier-naming): the name that GoogleTest looks for
void PrintTo(const Parameter& p, std::ostream* out) { *out << name_of(p); }

bool is_built(const std::string& precision) { return precision_is_built(value_bytes(precision)); }

class EqualsReference : public testing::TestWithParam<Parameter> {};

TEST_P(EqualsReference, InEveryConfiguration) {
  const auto& [variant, precision, decomposition] = GetParam();
  const std::uint64_t seed = std::random_device{}();  // fresh data each time
  for (const std::string& stencil : variant->stencils) {
    const Problem problem{stencil, value_bytes(precision)};
    const auto verify_case = make_verify_case(variant->family, problem, catalogue().families);
    const auto regions = verify_case->regions(decomposition);
    int verified = 0;
    for (std::size_t c = 0; c < variant->configurations.size(); ++c) {
      const Selected how{variant, c};
      SCOPED_TRACE(how.full_name() + " " + stencil + ", seed " + std::to_string(seed));
      const Plan plan = plan_of_regions(how, regions, problem);
      if (!plan.supported()) {
        EXPECT_EQ(plan.unsupported.find('\n'), std::string::npos) << plan.unsupported;
        continue;
      }
      const Verdict verdict = verify_case->verify_small(how, decomposition, seed);
      EXPECT_TRUE(verdict.ok) << verdict.reason;
      EXPECT_LE(verdict.worst, 1);
      EXPECT_GT(verdict.cells, 0);
      ++verified;
    }
    // Nothing left to verify is only right where the binary lacks the precision.
    EXPECT_EQ(verified > 0, is_built(precision))
        << stencil << ", of " << variant->configurations.size();
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, EqualsReference, testing::ValuesIn(parameters()),
                         [](const auto& info) { return name_of(info.param); });

void expect_complete(const Plan& plan) {
  EXPECT_GT(plan.league, 0);
  EXPECT_GT(plan.team, 0);
  EXPECT_LE(plan.team, kOnDevice ? kMaxTeamSize : 1);
  EXPECT_GE(plan.scratch_bytes, 0);
  EXPECT_GE(plan.temporal_depth, 1);
  // A pass reads and writes at least what is compulsory.
  EXPECT_GT(plan.minimal_elements, 0);
  EXPECT_GT(plan.flops, 0);
  EXPECT_GT(plan.loads + plan.scratch_loads, 1);
  EXPECT_GE(plan.stores * plan.temporal_depth, 1);
}

void check_plans(const Variant& variant, const Problem& problem) {
  const auto verify_case = make_verify_case(variant.family, problem, catalogue().families);
  for (const auto& decomposition : verify_case->decompositions) {
    for (const Region& region : verify_case->regions(decomposition)) {
      for (std::size_t c = 0; c < variant.configurations.size(); ++c) {
        SCOPED_TRACE(variant.full_name(c) + " " + problem.stencil + " " + std::string(region.name));
        const Plan plan = variant.plan(c, region, problem);
        if (plan.supported()) expect_complete(plan);
      }
    }
  }
}

TEST(Plans, AreCompleteOrSayWhyNot) {
  for (const auto& variant : all_variants().variants()) {
    for (const std::string& stencil : variant->stencils) {
      for (const int bytes : {4, 8}) check_plans(*variant, {stencil, bytes});
    }
  }
}

}  // namespace
}  // namespace tessera
