// SPDX-License-Identifier: Apache-2.0
// Shots in 16 bits: accuracy, refusals, overflow.
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "base/device/space.hpp"
#include "fixtures/shot_fixture.hpp"

namespace tessera::test::shot_storage_test {
namespace {

/// samples[step][receiver] of gather.csv.
std::vector<std::vector<double>> traces(const std::filesystem::path& folder) {
  std::vector<std::vector<double>> rows;
  std::istringstream lines(read_text(folder / "gather.csv"));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || std::isdigit(static_cast<unsigned char>(line.front())) == 0) continue;
    std::istringstream values(line);
    std::vector<double>& row = rows.emplace_back();
    for (std::string value; std::getline(values, value, ',');) row.push_back(std::stod(value));
    row.erase(row.begin());  // the time
  }
  return rows;
}

/// The largest relative L2 difference of a receiver's trace.
double worst_of(const std::vector<std::vector<double>>& got,
                const std::vector<std::vector<double>>& wanted) {
  double worst = 0;
  for (std::size_t r = 0; r < wanted.front().size(); ++r) {
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      difference += std::pow(got.at(i).at(r) - wanted[i][r], 2);
      norm += std::pow(wanted[i][r], 2);
    }
    worst = std::max(worst, std::sqrt(difference / norm));
  }
  return worst;
}

TEST_F(CliShot, In16BitsSaysHowFarItIsFromFloat) {
  ASSERT_EQ(shoot().status, 0);
  EXPECT_EQ(report().at("storage"), "plain");
  EXPECT_FALSE(report().contains("accuracy"));
  const auto exact = traces(output());
  ASSERT_EQ(exact.size(), 120U);

  const Outcome silent = shoot({"acoustic.storage=half"});
  ASSERT_EQ(silent.status, 0) << silent.err;
  EXPECT_TRUE(has(silent.out, "--accuracy"));
  EXPECT_FALSE(report().contains("accuracy"));
  const double scale = report().at("storage_scale");
  EXPECT_EQ(std::exp2(std::round(std::log2(scale))), scale);
  const auto half = traces(output());

  std::filesystem::remove_all(output());
  Arguments all = arguments({"acoustic.storage=half"});
  all.emplace_back("--accuracy");
  const Outcome outcome = run_program(all);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(traces(output()), half);
  const json found = report().at("accuracy");
  EXPECT_EQ(found.at("steps"), 120);
  EXPECT_EQ(found.at("receivers"), 6);
  EXPECT_EQ(found.at("band_hz"), 37.5);
  EXPECT_NEAR(found.at("raw").get<double>() / worst_of(half, exact), 1, 1e-3);
  EXPECT_GT(found.at("raw").get<double>(), 1e-5);
  EXPECT_LT(found.at("raw").get<double>(), 0.02);
  EXPECT_LE(found.at("in_band").get<double>(), found.at("raw").get<double>());
}

TEST_F(CliShot, FormatsWithBytesBesideErrLessAndTakeNoCheckpoints) {
  double before = 1;
  for (const char* format : {"half", "block16", "float24"}) {
    const std::string storage = std::string("acoustic.storage=") + format,
                      naive = "shot.variant=acoustic/naive:default";
    const Outcome outcome = shoot({storage, naive, "shot.accuracy=120"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const double raw = report().at("accuracy").at("raw");
    EXPECT_GT(raw, 0) << format;
    EXPECT_LT(raw, before) << format;
    before = raw;
    if (std::string(format) == "half") continue;
    expect_refused(shoot({storage, naive, "shot.checkpoint_every=50"}),
                   {"shot.checkpoint_every", format, "half_difference"});
  }
}

TEST_F(CliShot, AVelocityInStepsIsRoundedToo) {
  const Outcome outcome = shoot({"acoustic.vp_storage=linear", "shot.accuracy=60",
                                 kOnDevice ? "shot.variant=\"acoustic/st_async:128x8,v=4,chunk=64\""
                                           : "shot.variant=\"acoustic/st_async:256x16\"",
                                 "model={kind=\"gradient\", v0=1500, k=2}"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json found = report().at("accuracy");
  EXPECT_EQ(found.at("steps"), 60);
  EXPECT_GT(found.at("raw").get<double>(), 0);
  EXPECT_LT(found.at("raw").get<double>(), 1e-3);
}

TEST_F(CliShot, RefusesWhatDoesNotTake16Bits) {
  const std::string half = "acoustic.storage=half";
  for (const auto& [set, parts] :
       {std::pair("shot.variant=acoustic/st_reg_fixed:32x16",
                  Arguments{"acoustic/st_reg_fixed:32x16", "acoustic.storage"}),
        {"case.precision=double", {"float"}},
        {"acoustic.vp_storage=index", {"acoustic.vp_storage"}},
        {"acoustic.storage=quarter", {"acoustic.storage", "half_difference"}}}) {
    expect_refused(shoot({half, set}), parts);
  }
  expect_refused(shoot({half, "shot.operator=ete"}), {"acoustic.storage"});
  expect_refused(shoot({"acoustic.storage=block16", "acoustic.layers=convolutional",
                        "shot.variant=acoustic/naive:default"}),
                 {"block16", "acoustic.layers"});
}

TEST_F(CliShot, ConvolutionalLayersAbsorbInFormatsOfSingleValues) {
  const std::string layers = "acoustic.layers=convolutional",
                    naive = "shot.variant=acoustic/naive:default";
  ASSERT_EQ(shoot({layers, naive}).status, 0);
  const auto exact = traces(output());
  for (const auto& [format, most] :
       {std::pair("half", 0.02), {"half_difference", 0.01}, {"float24", 1e-3}}) {
    const Outcome outcome = shoot({layers, naive, std::string("acoustic.storage=") + format});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const double worst = worst_of(traces(output()), exact);
    EXPECT_GT(worst, 1e-6) << format;
    EXPECT_LT(worst, most) << format;
  }
}

TEST_F(CliShot, AnOverflowNamesFormatAndKey) {
  for (const char* more : {"shot.accuracy=0", "shot.accuracy=100"}) {
    const Outcome outcome = shoot({"acoustic.storage=half", "acoustic.storage_scale=1e7", more});
    EXPECT_NE(outcome.status, 0);
    for (const char* part : {"not finite", "\"half\"", "acoustic.storage_scale"})
      EXPECT_TRUE(has(outcome.err, part)) << outcome.err;
  }
}

}  // namespace
}  // namespace tessera::test::shot_storage_test
