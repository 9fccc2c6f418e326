// SPDX-License-Identifier: Apache-2.0
// The compiler's table of kernel resources, read back.
#include "program/measure/kernel_resources.hpp"

#include "base/support/error.hpp"
#include "fixtures/paths.hpp"
#include "fixtures/scratch_directory.hpp"

#include <gtest/gtest.h>

namespace tessera::measure {
namespace {

class KernelTable : public testing::Test {
 protected:
  std::vector<KernelResources> read(const std::string& text) {
    test::write_text(folder_ / "resources.csv", text);
    return read_kernel_resources(folder_ / "resources.csv");
  }

  test::ScratchDirectory folder_;
};

TEST_F(KernelTable, CudaColumns) {
  const auto table = read(
      "variant,tile,precision,update,other,registers,stack_bytes,spill_store_bytes\n"
      "a/b,8x8,float,inner,\"x; 1, 2\",40,0,0\n"
      "a/b,8x8,float,pml,,64,16,36\n"
      "a/b,8x8,float,pml,second,48,,\n"
      "a/c,,double,,,30,0,0\n"
      "a/d,,float,,depth 4,90,0,0\n"
      "a/d,,float,,depth 8,120,0,0\n"
      "a/d,,double,,depth 4,90,0,0\n"
      "a/d,,double,,depth 8,90,0,0\n");
  ASSERT_EQ(table.size(), 8U);
  EXPECT_EQ(find_kernel(table, "a/b", "8x8,chunk=128", "float", "inner")->registers, 40);
  const auto pml = find_kernel(table, "a/b", "8x8", "float", "pml");
  ASSERT_TRUE(pml.has_value());
  EXPECT_EQ(pml->registers, 64) << "of two kernels the larger";
  EXPECT_EQ(pml->spilled_bytes, 52);
  EXPECT_EQ(find_kernel(table, "a/c", "default", "double", "pml")->registers, 30);
  EXPECT_FALSE(find_kernel(table, "a/d", "32x32,t=8", "float", "").has_value())
      << "nothing tells which";
  EXPECT_EQ(find_kernel(table, "a/d", "32x32,t=8", "double", "")->registers, 90);
  EXPECT_FALSE(find_kernel(table, "a/b", "8x8x1", "float", "inner").has_value());
  EXPECT_FALSE(find_kernel(table, "a/b", "8x8", "double", "inner").has_value());
}

TEST_F(KernelTable, HipColumnsAndTheTableInTheTree) {
  const auto table = read(
      "variant,tile,precision,update,vgprs,agprs,scratch_bytes_per_lane\n"
      "a/b,8x8,float,inner,60,4,8\n");
  EXPECT_EQ(table.at(0).registers, 64);
  EXPECT_EQ(table.at(0).spilled_bytes, 8);
  const auto stored = read_kernel_resources(std::filesystem::path(tessera::source_directory()) /
                                            "results" / "hip-mi250x" / "resources.csv");
  const auto gmem = find_kernel(stored, "acoustic/gmem", "8x8x8", "float", "inner");
  ASSERT_TRUE(gmem.has_value());
  EXPECT_GT(gmem->registers, 8);
}

TEST_F(KernelTable, RefusesWhatIsNoTable) {
  EXPECT_THROW((void)read_kernel_resources(folder_ / "absent.csv"), Error);
  const std::string head = "variant,tile,precision,update,registers\n";
  for (const std::string& text : {std::string("name,value\n"), head, head + "a,b,c,d\n"}) {
    EXPECT_THROW((void)read(text), Error) << text;
  }
  EXPECT_TRUE(test::has_all(test::error_of([&] { (void)read(head + "a/b,8,float,inner,many\n"); }),
                            {"resources.csv:2", "many"}));
}

}  // namespace
}  // namespace tessera::measure
