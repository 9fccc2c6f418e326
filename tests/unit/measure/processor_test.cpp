// SPDX-License-Identifier: Apache-2.0
// Processors that their vendor calls alike, told apart.
#include "program/measure/host.hpp"

#include <gtest/gtest.h>

#include <tuple>

namespace tessera::measure {
namespace {

std::string cpuinfo(const std::string& vendor, int family, int model, const std::string& flags) {
  return "processor\t: 0\nvendor_id\t: " + vendor + "\ncpu family\t: " + std::to_string(family) +
         "\nmodel\t\t: " + std::to_string(model) +
         "\nmodel name\t: AMD EPYC\nstepping\t: 2\nflags\t\t: " + flags +
         "\n\nprocessor\t: 1\nvendor_id\t: other\nmodel\t\t: 9\n";
}

TEST(Processor, ReadsTheFirstOne) {
  const Processor p = read_processor(cpuinfo("AuthenticAMD", 25, 17, "sse2 avx avx2 avx512f"));
  EXPECT_EQ(p.vendor, "AMD");
  EXPECT_EQ(std::tuple(p.family, p.model, p.stepping, p.vector_bits), std::tuple(25, 17, 2, 512));
  EXPECT_EQ(read_processor(cpuinfo("GenuineIntel", 6, 85, "sse2 avx avx2")).vector_bits, 256);
  const Processor nothing = read_processor("CPU implementer\t: 0x99\n");
  EXPECT_EQ(nothing.vendor, "");
  EXPECT_EQ(nothing.vector_bits, 0);
}

TEST(Processor, TellsGenerationsApart) {
  const auto of = [](const char* vendor, int family, int model) {
    return microarchitecture(read_processor(cpuinfo(vendor, family, model, "sse2")));
  };
  for (const auto& [family, model, name] : {std::tuple(23, 1, "zen1"),
                                            {23, 49, "zen2"},
                                            {25, 1, "zen3"},
                                            {25, 17, "zen4"},
                                            {26, 2, "zen5"}}) {
    EXPECT_EQ(of("AuthenticAMD", family, model), name);
  }
  for (const auto& [model, name] :
       {std::pair(85, "skylake-x"), {87, "knights-landing"}, {143, "sapphire-rapids"}, {1, ""}}) {
    EXPECT_EQ(of("GenuineIntel", 6, model), name);
  }
  EXPECT_EQ(of("Somebody", 25, 17), "");
}

TEST(Processor, KnowsTheLargestL3OfAGeneration) {
  const auto mib = [](const char* vendor, int family, int model) {
    return largest_l3_bytes(read_processor(cpuinfo(vendor, family, model, "sse2"))) >> 20;
  };
  EXPECT_EQ(mib("AuthenticAMD", 26, 2), 32);    // EPYC 9755: of each 8 cores
  EXPECT_EQ(mib("AuthenticAMD", 25, 17), 96);   // EPYC 9684X
  EXPECT_EQ(mib("GenuineIntel", 6, 207), 320);  // Xeon 8592+: of the socket
  EXPECT_EQ(mib("GenuineIntel", 6, 87), 576);   // has none: the largest of all
  EXPECT_EQ(mib("Somebody", 25, 17), 576);
}

TEST(Processor, KnowsArmByImplementerAndPart) {
  const auto arm = [](const char* implementer, const char* part) {
    return read_processor(std::string("processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd "
                                      "sve\nCPU implementer\t: ") +
                          implementer + "\nCPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: " +
                          part + "\nCPU revision\t: 1\n\n");
  };
  const Processor grace = arm("0x41", "0xd4f");
  EXPECT_EQ(grace.vendor, "Arm");
  EXPECT_EQ(std::tuple(grace.model, grace.stepping, grace.vector_bits), std::tuple(0xd4f, 1, 128));
  EXPECT_EQ(microarchitecture(grace), "neoverse-v2");
  EXPECT_EQ(microarchitecture(arm("0x41", "0xd0c")), "neoverse-n1");
  EXPECT_EQ(microarchitecture(arm("0x46", "0x001")), "a64fx");
  EXPECT_EQ(microarchitecture(arm("0x46", "0xd0c")), "");
}

TEST(Processor, ItsNameInFileNamesHasNoWordsThatTellNothing) {
  EXPECT_EQ(hyphened("Intel(R) Xeon(R) Processor"), "intel-xeon");
  EXPECT_EQ(hyphened("Intel(R) Xeon(R) CPU E5-2697 v2 @ 2.70GHz"), "intel-xeon-e5-2697-v2");
  EXPECT_EQ(hyphened("AMD EPYC 7763 64-Core Processor"), "amd-epyc-7763-64-core");
  EXPECT_EQ(hyphened("NVIDIA H100 80GB HBM3"), "nvidia-h100-80gb-hbm3");
  EXPECT_EQ(hyphened("Intel(R) Core(TM) i7-8650U"), "intel-core-i7-8650u");
  EXPECT_EQ(hyphened(" @ "), "");
}

}  // namespace
}  // namespace tessera::measure
