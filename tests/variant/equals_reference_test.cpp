// SPDX-License-Identifier: Apache-2.0
// Every registered variant against the sequential reference: a test for each variant, precision and
// decomposition. A variant is tested by being registered.
//
// Of a variant's configurations a few are drawn, for each stencil anew, by a seed that is printed:
// TESSERA_TEST_SEED=N repeats a run, TESSERA_TEST_DRAWS=N draws so many, or all.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "base/case/case.hpp"
#include "base/support/precision.hpp"
#include "fixtures/catalogue.hpp"
#include "program/predict/plans.hpp"

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

/// True where a variant says that it is for the other kind of machine alone.
bool is_for_others(const Variant& variant) {
  const std::string other = kOnDevice ? "host only" : "device only";
  return std::find(variant.tags.begin(), variant.tags.end(), other) != variant.tags.end();
}

/// True where a reason ends with another decomposition than this one: "...: single".
bool names_other(const std::string& reason, const std::string& decomposition) {
  const std::size_t at = reason.rfind(": ");
  if (at == std::string::npos) return false;
  const std::string named = reason.substr(at);
  for (const char* kind : {"single", "two", "seven"}) {
    if (named.find(kind) != std::string::npos) return decomposition.find(kind) != 0;
  }
  return false;
}

bool is_built(const std::string& precision) { return precision_is_built(value_bytes(precision)); }

/// Configurations that can run here and are verified of a variant, stencil and decomposition.
int draws() {
  static const int count = [] {
    const char* given = std::getenv("TESSERA_TEST_DRAWS");
    const std::string wanted = given != nullptr ? given : "3";
    return wanted == "all" ? std::numeric_limits<int>::max() : std::stoi(wanted);
  }();
  return count;
}

/// The seed of this run's draws and data; printed once.
std::uint64_t seed_of_run() {
  static const std::uint64_t seed = [] {
    const char* given = std::getenv("TESSERA_TEST_SEED");
    const std::uint64_t drawn = given != nullptr ? std::stoull(given) : std::random_device{}();
    std::printf("at most %d configurations, TESSERA_TEST_SEED=%llu repeats this run\n", draws(),
                static_cast<unsigned long long>(drawn));
    return drawn;
  }();
  return seed;
}

/// 0 ... count - 1 in an order drawn by the run's seed and `of`.
std::vector<std::size_t> shuffled(std::size_t count, const std::string& of) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(),
               std::mt19937_64(seed_of_run() ^ std::hash<std::string>{}(of)));
  return order;
}

class EqualsReference : public testing::TestWithParam<Parameter> {};

TEST_P(EqualsReference, WithinTheBound) {
  const auto& [variant, precision, decomposition] = GetParam();
  const std::uint64_t seed = seed_of_run();
  for (const std::string& stencil : variant->stencils) {
    const Problem problem{stencil, value_bytes(precision)};
    const auto verify_case = make_verify_case(variant->family, problem, catalogue().families);
    const auto regions = verify_case->regions(decomposition);
    int verified = 0;
    bool lacks_library = false, wants_other = false;
    const std::string drawn_for = variant->full_name() + stencil + precision + decomposition;
    for (const std::size_t c : shuffled(variant->configurations.size(), drawn_for)) {
      if (verified == draws()) break;
      const Selected how{variant, c};
      SCOPED_TRACE(how.full_name() + " " + stencil + ", seed " + std::to_string(seed));
      const Plan plan = plan_of_regions(how, regions, problem);
      if (!plan.supported()) {
        EXPECT_EQ(plan.unsupported.find('\n'), std::string::npos) << plan.unsupported;
        lacks_library |= plan.unsupported.find("this build has no ") == 0;
        wants_other |= names_other(plan.unsupported, decomposition);
        continue;
      }
      const Verdict verdict = verify_case->verify_small(how, decomposition, seed);
      EXPECT_TRUE(verdict.ok) << verdict.reason;
      EXPECT_LE(verdict.worst, 1);
      EXPECT_GT(verdict.cells, 0);
      ++verified;
    }
    // Nothing to verify is only right where the binary lacks the precision or a library, or the
    // variant is for the other kind of machine or for another decomposition, which it names.
    EXPECT_EQ(verified > 0,
              is_built(precision) && !lacks_library && !is_for_others(*variant) && !wants_other)
        << stencil << ", of " << variant->configurations.size();
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, EqualsReference, testing::ValuesIn(parameters()),
                         [](const auto& info) { return name_of(info.param); });

void expect_complete(const Plan& plan) {
  EXPECT_GT(plan.league, 0);
  EXPECT_GT(plan.team, 0);
  EXPECT_LE(plan.team, kOnDevice ? kDeviceTeamSize : 1);
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
