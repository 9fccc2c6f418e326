// SPDX-License-Identifier: Apache-2.0
// Energy of a study whose samples are too short for the counter: the best of each variant runs on.
#include "base/io/deck.hpp"
#include "program/predict/inputs.hpp"
#include "program/run/run.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "fixtures/catalogue.hpp"
#include "fixtures/ticking_counter.hpp"

namespace tessera {
namespace {

constexpr double kPeriod_s = 0.02;

StudyRows rows_with(const std::function<measure::EnergyMeter()>& open_meter) {
  io::Deck deck = io::Deck::from_string(
      "[case]\nfamily = \"low_order\"\nstencil = \"7pt-1\"\nnx = 20\nny = 9\nnz = 7\nsteps = 2\n"
      "precision = \"double\"\nseed = 1\n",
      "deck");
  const auto cases = make_cases(deck, catalogue().families);
  StudyOptions options;
  options.warmup_s = 0;
  options.open_meter = open_meter;
  return run_study(*cases.front(),
                   all_variants().select({"low_order/baseline", "low_order/zblock"}),
                   all_variants(), options, std::nullopt, [](double, const std::string&) {});
}

TEST(StudyEnergy, OfTheFastestOfEachVariantAlone) {
  const StudyRows rows = rows_with([] { return measure::EnergyMeter(test::ticking(kPeriod_s)); });
  std::map<std::string, double> fastest;
  std::map<std::string, const results::Result*> measured;
  for (const results::Result& row : rows) {
    if (row.status != results::Status::valid) continue;
    double& best = fastest[row.variant];
    best = std::max(best, row.gcell_per_s->median);
    ASSERT_EQ(row.energy.at("source"), "ticking");
    if (!row.energy.contains("joules")) {
      EXPECT_NE(row.energy.at("reason").get<std::string>().find("too short"), std::string::npos);
      continue;
    }
    // A pause of the machine can make a row's own samples long enough for a rough figure.
    if (row.energy.at("samples") != 1) continue;
    EXPECT_EQ(measured.count(row.variant), 0u) << "two of " << row.variant;
    measured[row.variant] = &row;
  }
  ASSERT_EQ(measured.size(), fastest.size());
  ASSERT_EQ(measured.size(), 2u);
  for (const auto& [variant, row] : measured) {
    EXPECT_EQ(row->gcell_per_s->median, fastest.at(variant)) << variant;
    const double seconds = row->energy.at("seconds");
    EXPECT_GE(seconds, 0.9 * measure::kEnergyPeriods * kPeriod_s);
    EXPECT_LE(row->energy.at("error").get<double>(), 1 / measure::kEnergyPeriods);
    EXPECT_NEAR(row->energy.at("watts").get<double>(), 50, 50 * 0.05);
    // Whole repetitions of the case, as many as fit.
    const double cells =
        row->energy.at("cells_per_joule").get<double>() * row->energy.at("joules").get<double>();
    EXPECT_NEAR(std::remainder(cells, 2. * 20 * 9 * 7), 0, 1e-3 * cells);
    EXPECT_GT(cells, 2. * 20 * 9 * 7);
  }
}

TEST(StudyEnergy, NoneWithoutACounter) {
  for (const results::Result& row : rows_with(nullptr)) EXPECT_TRUE(row.energy.empty());
}

}  // namespace
}  // namespace tessera
