// SPDX-License-Identifier: Apache-2.0
// Comparisons of made-up platforms: who is best, efficiencies, sets, what is never mixed.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/support/error.hpp"
#include "program/compare/comparison.hpp"
#include "program/compare/exports.hpp"
#include "program/compare/families.hpp"
#include "program/compare/text_report.hpp"

namespace tessera::compare {
namespace {

Collection two_gpus_and_a_host() {
  Collection all;
  for (const auto& [name, kind] : {std::pair{"one", "gpu"}, {"two", "gpu"}, {"host", "cpu"}}) {
    Platform p;
    p.name = name;
    p.kind = kind;
    p.revisions = {"abc"};
    all.platforms.push_back(p);
  }
  return all;
}

Point point(std::size_t platform, const std::string& variant, const std::string& tile, double rate,
            double share) {
  Point p;
  p.problem = {"acoustic", "acoustic/iso25", "single", "float"};
  p.size = {100, 100, 100, 10};
  p.variant = variant;
  p.configuration = tile;
  p.platform = platform;
  p.revision = "abc";
  if (rate > 0) {
    p.gcell_per_s = rate;
    p.share_of_bound = share;
  } else {
    p.status = results::Status::unsupported;
    p.reason = "too large";
  }
  return p;
}

Comparison small() {
  Collection all = two_gpus_and_a_host();
  all.points = {
      point(0, "acoustic/a", "8", 40, 0.4),  point(0, "acoustic/a", "16", 50, 0.5),
      point(0, "acoustic/b", "8", 100, 1.0), point(1, "acoustic/a", "8", 80, 0.8),
      point(1, "acoustic/b", "8", 40, 0.4),  point(2, "acoustic/a", "8", 1, 0.5),
      point(2, "acoustic/b", "8", 0, 0),
  };
  return compare(std::move(all), {});
}

const Line& line(const std::vector<Line>& lines, const std::string& name) {
  for (const Line& l : lines) {
    if (l.name == name) return l;
  }
  throw Error("no line " + name);
}

const PlatformSet& set_of(const Comparison& all, const std::string& name) {
  for (const PlatformSet& set : all.sets) {
    if (set.name == name) return set;
  }
  throw Error("no set " + name);
}

TEST(Comparison, TakesTheBestConfigurationOfAPlatform) {
  const Comparison all = small();
  ASSERT_EQ(all.problems.size(), 1U);
  const ProblemTable& table = all.problems[0];
  const Line& a = line(table.variants, "acoustic/a");
  EXPECT_EQ(a.cells[0].point->configuration, "16");
  EXPECT_DOUBLE_EQ(*a.cells[0].application, 0.5);
  EXPECT_DOUBLE_EQ(*a.cells[0].architectural, 0.5);
  EXPECT_DOUBLE_EQ(*a.cells[1].application, 1.0);
  EXPECT_EQ(line(table.variants, "acoustic/b").cells[2].state, Cell::State::failed);
  EXPECT_EQ(table.application.cells[0].point->variant, "acoustic/b");
  EXPECT_EQ(table.application.cells[2].point->variant, "acoustic/a");
}

TEST(Comparison, PhiIsZeroWhereAVariantFailsAndAbsentWhereItWasNotRun) {
  const Comparison all = small();
  const ProblemTable& table = all.problems[0];
  const auto everywhere = table.positions(set_of(all, "all measured"));
  const auto gpus = table.positions(set_of(all, "measured GPUs"));
  EXPECT_EQ(gpus, (std::vector<std::size_t>{0, 1}));
  const Line& a = line(table.variants, "acoustic/a");
  const Line& b = line(table.variants, "acoustic/b");
  EXPECT_DOUBLE_EQ(*phi_of(a, everywhere, Efficiency::application), 3 / (1 / 0.5 + 1 + 1));
  EXPECT_DOUBLE_EQ(*phi_of(b, everywhere, Efficiency::application), 0);
  EXPECT_DOUBLE_EQ(*phi_of(b, gpus, Efficiency::architectural), 2 / (1 / 1.0 + 1 / 0.4));
  EXPECT_DOUBLE_EQ(*phi_of(table.application, gpus, Efficiency::architectural),
                   2 / (1 / 1.0 + 1 / 0.8));
  // Untuned: a:16 ran on one platform only.
  EXPECT_FALSE(phi_of(line(table.configurations, "acoustic/a:16"), gpus, Efficiency::application));
  EXPECT_DOUBLE_EQ(
      *phi_of(line(table.configurations, "acoustic/a:8"), gpus, Efficiency::application),
      2 / (1 / 0.4 + 1));
}

TEST(Comparison, NamesTheVariantToWriteIfOnlyOneMayBe) {
  const Comparison all = small();
  EXPECT_EQ(one_variant(all.problems[0], set_of(all, "all measured"))->name, "acoustic/a");
  EXPECT_EQ(rank_correlation(all.problems[0], 0, 1), -1.0);
  EXPECT_FALSE(rank_correlation(all.problems[0], 0, 2));
  const FamilyPhi family = family_phi(all, "acoustic", set_of(all, "measured GPUs"));
  EXPECT_EQ(family.problems, 1U);
  EXPECT_DOUBLE_EQ(*family.phi, 2 / (1 / 1.0 + 1 / 0.8));
  // b did not run on the host: over all platforms a alone is left.
  const auto gpus = all.problems[0].positions(set_of(all, "measured GPUs"));
  const Line& taken = line(all.problems[0].variants, family.variant);
  for (const Line& other : all.problems[0].variants) {
    EXPECT_LE(*phi_of(other, gpus, Efficiency::application), *family.variant_best);
  }
  EXPECT_DOUBLE_EQ(*family.variant_best, *phi_of(taken, gpus, Efficiency::application));
  EXPECT_DOUBLE_EQ(*family.variant_phi, *phi_of(taken, gpus, Efficiency::architectural));
  EXPECT_EQ(family_phi(all, "acoustic", set_of(all, "all measured")).variant, "acoustic/a");
}

TEST(Comparison, OriginsAreMixedOnlyWhenAskedFor) {
  Collection data = two_gpus_and_a_host();
  data.platforms[1].origin = Origin::published;
  data.points = {point(0, "acoustic/a", "8", 40, 0.4), point(1, "acoustic/a", "8", 80, 0.8)};
  const Comparison apart = compare(data, {});
  for (const PlatformSet& set : apart.sets) EXPECT_FALSE(set.mixed);
  for (const PlatformSet& set : apart.sets) {
    EXPECT_LE(apart.problems[0].positions(set).size(), 1U) << set.name;
  }
  const Comparison together = compare(data, {"one", "two"});
  ASSERT_EQ(together.sets.size(), 1U);
  EXPECT_TRUE(together.sets[0].mixed);
  EXPECT_THROW((void)compare(data, {"three"}), Error);
}

TEST(Comparison, ComparesTheGridThatMostPlatformsRanAndMarksWhatDiffers) {
  Collection data = two_gpus_and_a_host();
  data.points = {point(0, "acoustic/a", "8", 40, 0.4), point(1, "acoustic/a", "8", 80, 0.8)};
  data.points.push_back(data.points[0]);
  data.points.back().size.nx = 200;
  data.points.back().gcell_per_s = 60;
  const Comparison alike = compare(data, {});
  EXPECT_FALSE(alike.problems[0].grids_differ);
  EXPECT_EQ(*alike.problems[0].application.cells[0].point->gcell_per_s, 40);
  data.points[1].size.ny = 50;
  data.points[1].size.steps = 20;
  data.points[1].revision = "def";
  const Comparison unlike = compare(data, {});
  EXPECT_TRUE(unlike.problems[0].grids_differ);
  EXPECT_TRUE(unlike.problems[0].steps_differ);
  EXPECT_TRUE(unlike.problems[0].revisions_differ);
  const std::string text = format_report(unlike, {});
  EXPECT_NE(text.find("efficiencies are compared, not rates"), std::string::npos);
  EXPECT_EQ(text.find("GCell/s"), std::string::npos) << text;
}

TEST(Comparison, MarksWhatLiesAboveItsBoundAndCountsItAsTheBound) {
  Collection all = two_gpus_and_a_host();
  all.points = {point(0, "acoustic/a", "8", 40, 0.5), point(1, "acoustic/a", "8", 80, 1.3)};
  const Comparison found = compare(std::move(all), {});
  ASSERT_EQ(found.remarks.size(), 1U);
  EXPECT_NE(found.remarks[0].find("1 rows of two lie above their bound"), std::string::npos);
  EXPECT_NE(found.remarks[0].find("acoustic/a:8 at 130 %"), std::string::npos);
  const Line& a = found.problems.at(0).variants.at(0);
  EXPECT_NEAR(phi_of(a, {0, 1}, Efficiency::architectural).value_or(0), 2 / (1 / 0.5 + 1), 1e-12);
  EXPECT_NE(format_report(found, {}).find("130.0!"), std::string::npos);
  // Measured bounds are off by some per cent: that is no doubt.
  Collection near = two_gpus_and_a_host();
  near.points = {point(0, "acoustic/a", "8", 40, 0.5), point(1, "acoustic/a", "8", 80, 1.03)};
  EXPECT_TRUE(compare(std::move(near), {}).remarks.empty());
}

TEST(Comparison, OneSetIsNamedForWhatItIs) {
  Collection data = two_gpus_and_a_host();
  data.platforms.pop_back();
  data.points = {point(0, "acoustic/a", "8", 40, 0.4), point(1, "acoustic/a", "8", 80, 0.8)};
  const Comparison all = compare(std::move(data), {});
  ASSERT_EQ(all.sets.size(), 1U);
  EXPECT_EQ(all.sets[0].name, "measured GPUs");
}

TEST(Comparison, WantsAProblemInCommon) {
  Collection data = two_gpus_and_a_host();
  data.points = {point(0, "acoustic/a", "8", 40, 0.4), point(1, "acoustic/a", "8", 80, 0.8)};
  data.points[1].problem.precision = "double";
  EXPECT_THROW((void)compare(data, {}), Error);
}

TEST(Comparison, ExportsEnergyWhereAMachineToldIt) {
  Collection data = two_gpus_and_a_host();
  data.points = {point(0, "acoustic/a", "8", 40, 0.4), point(1, "acoustic/a", "8", 80, 0.8)};
  data.points[0].cells_per_joule = 2.5e7;
  const Comparison all = compare(std::move(data), {});
  const std::string csv = to_long_csv(all);
  EXPECT_NE(csv.find(",share_of_bound,cells_per_joule,noisy,"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",40,0.4,25000000,false,"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",80,0.8,,false,"), std::string::npos) << csv;
  const auto cells = to_json(all).at("problems").at(0).at("variants").at(0).at("cells");
  EXPECT_EQ(cells.at(0).at("cells_per_joule"), 2.5e7);
  EXPECT_TRUE(cells.at(1).at("cells_per_joule").is_null());
}

TEST(Comparison, ShowsEnergyAndUnknownSteps) {
  Collection data = two_gpus_and_a_host();
  data.points = {point(0, "acoustic/a", "8", 40, 0.4), point(1, "acoustic/a", "8", 80, 0.8)};
  data.points[0].cells_per_joule = 2.5e7;
  data.points[1].size.steps = 0;
  const std::string text = format_report(compare(std::move(data), {}), {});
  EXPECT_NE(text.find("A Mcell/J"), std::string::npos) << text;
  EXPECT_NE(text.find(" 25"), std::string::npos) << text;
  EXPECT_EQ(text.find("B Mcell/J"), std::string::npos) << text;
  EXPECT_NE(text.find("steps differ or are unknown: A 10, B unknown"), std::string::npos) << text;
}

TEST(Comparison, TablesFitTheTerminal) {
  Collection data;
  for (int i = 0; i < 6; ++i) {
    Platform p;
    p.name = "machine" + std::to_string(i);
    p.device = "A Device With A Long Name " + std::to_string(i);
    p.kind = "gpu";
    data.platforms.push_back(p);
    data.points.push_back(
        point(static_cast<std::size_t>(i), "acoustic/st_reg_fixed", "32x16,nw=4", 40 + i, 0.4));
  }
  const Comparison all = compare(std::move(data), {});
  const auto table = [&](bool wide) {
    ReportOptions options;
    options.wide = wide;
    const std::string text = format_report(all, options);
    const std::size_t begin = text.find("variant, tuned");
    return text.substr(begin, text.find("measured GPUs", begin) - begin);
  };
  const auto widest = [](const std::string& text) {
    std::size_t most = 0;
    for (std::size_t at = 0, end = 0; end != std::string::npos; at = end + 1) {
      end = text.find('\n', at);
      most = std::max(most, std::min(end, text.size()) - at);
    }
    return most;
  };
  const std::string narrow = table(false);
  EXPECT_LE(widest(narrow), 80U) << narrow;
  for (const char* column : {"A GCell/s", "F GCell/s", "F % best", "Phi best % A B C D E F"}) {
    EXPECT_NE(narrow.find(column), std::string::npos) << column << '\n' << narrow;
  }
  EXPECT_EQ(narrow.find("tile"), std::string::npos);
  const std::string wide = table(true);
  EXPECT_GT(widest(wide), 80U);
  EXPECT_NE(wide.find("F tile"), std::string::npos);
  EXPECT_NE(wide.find("32x16,nw=4"), std::string::npos);
}

TEST(Comparison, WritesTheColumnsOfTheP3Library) {
  const std::string csv = to_p3_csv(small());
  EXPECT_EQ(csv.substr(0, csv.find('\n')), "problem,application,platform,fom,app eff,arch eff");
  EXPECT_NE(csv.find("acoustic/iso25 single float 100 x 100 x 100,acoustic/a,one,50,0.5,0.5\n"),
            std::string::npos)
      << csv;
  EXPECT_NE(csv.find("acoustic/b,host,0,0,0\n"), std::string::npos) << csv;
  // Its metrics refuse an efficiency outside 0 to 1 and one that is empty.
  Collection data = two_gpus_and_a_host();
  data.points = {point(0, "acoustic/a", "8", 40, 0.4), point(1, "acoustic/a", "8", 80, 1.3)};
  const std::string above = to_p3_csv(compare(data, {}));
  EXPECT_NE(above.find("acoustic/a,two,80,1,1\n"), std::string::npos) << above;
  data.points[0].share_of_bound.reset();
  const Comparison unbounded = compare(data, {});
  EXPECT_EQ(count_without_bound(unbounded), 1U);
  const std::string csv_without = to_p3_csv(unbounded);
  EXPECT_EQ(csv_without.substr(0, csv_without.find('\n')),
            "problem,application,platform,fom,app eff");
  EXPECT_NE(csv_without.find("acoustic/a,two,80,1\n"), std::string::npos) << csv_without;
  const auto json = to_json(small());
  EXPECT_EQ(json.at("schema"), kComparisonSchema);
  EXPECT_EQ(json.at("problems").at(0).at("sets").size(), 3U);
}

}  // namespace
}  // namespace tessera::compare
