// SPDX-License-Identifier: Apache-2.0
// Limits of control groups, in trees that this test writes.
#include "program/measure/memory.hpp"

#include "fixtures/scratch_directory.hpp"

#include <gtest/gtest.h>

namespace tessera::measure {
namespace {

void write(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  test::write_text(file, text + '\n');
}

TEST(CpuQuota, IsTheLeastOfAGroupAndThoseAboveIt) {
  const test::ScratchDirectory directory;
  const std::filesystem::path root = directory / "two";
  const std::string membership = "0::/slice/job\n";
  EXPECT_FALSE(cpu_quota(control_groups("cpu", root, membership)));
  write(root / "slice/job/cpu.max", "max 100000");
  EXPECT_FALSE(cpu_quota(control_groups("cpu", root, membership)));
  write(root / "slice/cpu.max", "150000 100000");
  EXPECT_EQ(cpu_quota(control_groups("cpu", root, membership)), 1.5);
  write(root / "slice/job/cpu.max", "400000 100000");
  EXPECT_EQ(cpu_quota(control_groups("cpu", root, membership)), 1.5);
  write(root / "slice/job/cpu.max", "50000 100000");
  EXPECT_EQ(cpu_quota(control_groups("cpu", root, membership)), 0.5);
  // In a container's name space the group is the root.
  write(root / "cpu.max", "200000 100000");
  EXPECT_EQ(cpu_quota(control_groups("cpu", root, "0::/\n")), 2.0);
}

TEST(CpuQuota, OfTheFirstVersion) {
  const test::ScratchDirectory directory;
  const std::filesystem::path root = directory / "one";
  const std::string membership = "5:memory:/other\n4:cpu,cpuacct:/job\n";
  write(root / "cpu/job/cpu.cfs_quota_us", "-1");
  write(root / "cpu/job/cpu.cfs_period_us", "100000");
  write(root / "memory/other/cpu.cfs_quota_us", "10");
  EXPECT_FALSE(cpu_quota(control_groups("cpu", root, membership)));
  write(root / "cpu/job/cpu.cfs_quota_us", "250000");
  EXPECT_EQ(cpu_quota(control_groups("cpu", root, membership)), 2.5);
  EXPECT_FALSE(cpu_quota(control_groups("cpu", root, "no such text")));
}

}  // namespace
}  // namespace tessera::measure
