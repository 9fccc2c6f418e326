// SPDX-License-Identifier: Apache-2.0
// RAPL by a powercap tree that this test writes.
#include "program/measure/energy.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace tessera::measure {
namespace {

namespace fs = std::filesystem;

class Rapl : public testing::Test {
 protected:
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text << '\n';
  }

  void domain(const std::string& folder, const std::string& name, long long microjoules) const {
    write(folder + "/name", name);
    write(folder + "/energy_uj", std::to_string(microjoules));
    write(folder + "/max_energy_range_uj", "262143328850");
  }

  fs::path root_ = fs::temp_directory_path() / ("tessera-rapl-" + std::to_string(getpid()));
};

TEST_F(Rapl, AddsPackagesAndTheirMemoryAndNothingTwice) {
  domain("intel-rapl:0", "package-0", 1'000'000);
  domain("intel-rapl:1", "package-1", 2'000'000);
  domain("intel-rapl:0:0", "core", 500'000);
  domain("intel-rapl:0:1", "dram", 300'000);
  domain("intel-rapl:2", "psys", 9'000'000);
  domain("intel-rapl-mmio:0", "package-0", 1'000'000);
  const auto counter = open_rapl(root_);
  ASSERT_TRUE(counter);
  EXPECT_EQ(counter->source, "rapl-package+dram");
  const double before = counter->joules().value();
  domain("intel-rapl:0", "package-0", 4'000'000);
  domain("intel-rapl:1", "package-1", 2'500'000);
  domain("intel-rapl:0:0", "core", 900'000);
  domain("intel-rapl:0:1", "dram", 400'000);
  domain("intel-rapl:2", "psys", 19'000'000);
  domain("intel-rapl-mmio:0", "package-0", 4'000'000);
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

TEST_F(Rapl, IsAbsentWithoutATreeOrAPackage) {
  EXPECT_FALSE(open_rapl(root_));
  domain("intel-rapl:0:0", "core", 500'000);
  domain("dtpm", "package-0", 500'000);
  EXPECT_FALSE(open_rapl(root_));
}

TEST_F(Rapl, IsAbsentWhereAPackageMayNotBeRead) {
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
