// SPDX-License-Identifier: Apache-2.0
// Energy by counters that this test makes up, RAPL's by a powercap tree that it writes: what a
// meter adds, its error, and when it is silent.

#include "program/measure/energy.hpp"
#include "fixtures/scratch_directory.hpp"
#include "fixtures/ticking_counter.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <array>
#include <thread>

namespace tessera::measure {
namespace {

using Clock = std::chrono::steady_clock;

void wait(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

Energy sample(EnergyMeter& meter, double seconds, int samples) {
  Energy sum;
  for (int i = 0; i < samples; ++i) {
    meter.start();
    wait(seconds);
    meter.stop(sum);
  }
  return sum;
}

TEST(Energy, IsAddedOverSamplesAndSaysItsError) {
  EnergyMeter meter(test::ticking(0.002));
  ASSERT_TRUE(meter.known());
  EXPECT_GE(meter.period_s(), 0.001);
  EXPECT_LE(meter.period_s(), 0.02) << "a busy machine misses ticks, not ten";
  const Energy sum = sample(meter, 0.05, 3);
  EXPECT_EQ(sum.intervals, 3);
  const nlohmann::json out = meter.to_json(sum, 1e6);
  EXPECT_EQ(out.at("source"), "ticking");
  EXPECT_EQ(out.at("samples"), 3);
  const double seconds = out.at("seconds");
  EXPECT_GE(seconds, 0.05);
  // Each reading is up to a period old, so both together are off by one at most.
  EXPECT_NEAR(out.at("joules").get<double>(), 50 * seconds, 50 * 0.0021);
  EXPECT_NEAR(out.at("error").get<double>(), meter.period_s() / seconds, 1e-12);
  EXPECT_DOUBLE_EQ(out.at("cells_per_joule").get<double>(), 1e6 / out.at("joules").get<double>());
  EXPECT_DOUBLE_EQ(out.at("watts").get<double>(), out.at("joules").get<double>() / seconds);
}

TEST(Energy, IsAbsentWhereSamplesAreTooShortForThePeriod) {
  EnergyMeter meter(test::ticking(0.05));
  const nlohmann::json out = meter.to_json(sample(meter, 0.01, 3), 1e6);
  EXPECT_FALSE(out.contains("joules"));
  EXPECT_FALSE(out.contains("cells_per_joule"));
  EXPECT_GT(out.at("error").get<double>(), kLargestEnergyError);
  EXPECT_TRUE(test::has(out.at("reason"), "too short"));
}

TEST(Energy, IsAbsentWhereTheCounterFailsDuringTheSamples) {
  bool readable = true;
  EnergyMeter meter(test::ticking(0.002, &readable));
  Energy sum = sample(meter, 0.02, 1);
  readable = false;
  meter.start();
  meter.stop(sum);
  EXPECT_EQ(sum.intervals, 1);
  const nlohmann::json none = meter.to_json({}, 1);
  EXPECT_FALSE(none.contains("joules"));
  EXPECT_TRUE(none.contains("reason"));
}

TEST(Energy, NothingIsSaidWithoutACounterOrOfOneThatDoesNotCount) {
  EnergyMeter none;
  EXPECT_FALSE(none.known());
  EXPECT_TRUE(none.to_json(sample(none, 0, 1), 1).empty());
  EnergyMeter stuck(EnergyCounter{"stuck", [] { return std::optional(7.0); }});
  EXPECT_FALSE(stuck.known());
  EXPECT_TRUE(stuck.to_json(sample(stuck, 0, 1), 1).empty());
}

/// Until it holds, or ten seconds: a busy machine runs the thread that reads late.
template <class Condition>
void wait_until(const Condition& holds) {
  const auto end = Clock::now() + std::chrono::seconds(10);
  while (!holds() && Clock::now() < end) wait(0.01);
}

TEST(Energy, PowerIsIntegrated) {
  const EnergyCounter integral = integrate_power(
      "sampled", [] { return std::optional(30.0); }, 0.01);
  wait_until([&] { return integral.joules().value_or(0) > 0; });
  const double before = integral.joules().value();
  const auto start = Clock::now();
  wait(0.3);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  EXPECT_GT(before, 0);
  EXPECT_NEAR(integral.joules().value() - before, 30 * seconds, 0.2 * 30 * seconds);
  const EnergyCounter unreadable = integrate_power(
      "sampled", [] { return std::optional<double>(); }, 0.01);
  wait_until([&] { return !unreadable.joules(); });
  EXPECT_FALSE(unreadable.joules());
}

TEST(Energy, VendorsLibrariesAreAskedForOneDeviceOnly) {
  EXPECT_EQ(rocm_smi_bus_id("0000:c1:00.0"), 0xc100U);
  EXPECT_EQ(rocm_smi_bus_id("0001:03:1f.2"), (std::uint64_t{1} << 32) + 0x3faU);
  EXPECT_FALSE(rocm_smi_bus_id("card0"));
  EXPECT_FALSE(open_nvml("ffff:ff:1f.7"));
  EXPECT_FALSE(open_rocm_smi("ffff:ff:1f.7"));
}

namespace fs = std::filesystem;

class Rapl : public testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    test::write_text(root_ / file, text + '\n');
  }

  void domain(const std::string& folder, const std::string& name, long long microjoules) const {
    write(folder + "/name", name);
    write(folder + "/energy_uj", std::to_string(microjoules));
    write(folder + "/max_energy_range_uj", "262143328850");
  }

  test::ScratchDirectory folder_;
  fs::path root_ = folder_ / "powercap";
};

TEST_F(Rapl, AddsPackagesAndTheirMemoryAndNothingTwice) {
  const auto write_all = [this](const std::array<long long, 6>& microjoules) {
    domain("intel-rapl:0", "package-0", microjoules[0]);
    domain("intel-rapl:1", "package-1", microjoules[1]);
    domain("intel-rapl:0:0", "core", microjoules[2]);
    domain("intel-rapl:0:1", "dram", microjoules[3]);
    domain("intel-rapl:2", "psys", microjoules[4]);
    domain("intel-rapl-mmio:0", "package-0", microjoules[5]);
  };
  write_all({1'000'000, 2'000'000, 500'000, 300'000, 9'000'000, 1'000'000});
  const auto counter = open_rapl(root_);
  ASSERT_TRUE(counter);
  EXPECT_EQ(counter->source, "rapl-package+dram");
  const double before = counter->joules().value();
  write_all({4'000'000, 2'500'000, 900'000, 400'000, 19'000'000, 4'000'000});
  EXPECT_NEAR(counter->joules().value() - before, 3 + 0.5 + 0.1, 1e-9);
}

TEST_F(Rapl, GoesOnWhereACounterStartsAgain) {
  domain("intel-rapl:0", "package-0", 262'143'000'000);
  const auto counter = open_rapl(root_);
  ASSERT_TRUE(counter);
  EXPECT_EQ(counter->source, "rapl-package");
  const double before = counter->joules().value();
  domain("intel-rapl:0", "package-0", 1'000'000);
  const double after = counter->joules().value();
  EXPECT_NEAR(after - before, 1 + 0.328850, 1e-9);
  domain("intel-rapl:0", "package-0", 3'000'000);
  EXPECT_NEAR(counter->joules().value() - after, 2, 1e-9);
}

TEST_F(Rapl, IsAbsentWithoutAPackageThatMayBeRead) {
  EXPECT_FALSE(open_rapl(root_));
  domain("intel-rapl:0:0", "core", 500'000);
  domain("dtpm", "package-0", 500'000);
  EXPECT_FALSE(open_rapl(root_));
  domain("intel-rapl:0", "package-0", 1'000'000);
  domain("intel-rapl:1", "package-1", 1'000'000);
  ASSERT_TRUE(open_rapl(root_));
  const fs::path counter = root_ / "intel-rapl:1" / "energy_uj";
  fs::permissions(counter, fs::perms::none);
  if (geteuid() != 0) {  // whom permissions do not stop
    EXPECT_FALSE(open_rapl(root_));
  }
  fs::remove(counter);
  fs::create_directory(counter);  // opens, and cannot be read
  EXPECT_FALSE(open_rapl(root_));
}

TEST_F(Rapl, TellsNothingOnceItCannotBeRead) {
  domain("intel-rapl:0", "package-0", 1'000'000);
  const auto counter = open_rapl(root_);
  ASSERT_TRUE(counter->joules());
  write("intel-rapl:0/energy_uj", "no number");
  EXPECT_FALSE(counter->joules());
}

}  // namespace
}  // namespace tessera::measure
