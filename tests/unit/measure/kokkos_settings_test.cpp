// SPDX-License-Identifier: Apache-2.0
// Numbers for Kokkos: what it would answer with an abort is refused in one line.
#include <gtest/gtest.h>

#include "fixtures/scratch_directory.hpp"
#include "program/measure/kokkos_settings.hpp"

#include <cstdlib>
#include <string>

namespace tessera::measure {
namespace {

std::string error_of(const char* word) {
  const char* argv[] = {"tessera", "list", word};
  return test::error_of([&] { check_kokkos_settings(3, argv); });
}

TEST(KokkosSettings, TakesWholeNumbers) {
  for (const char* word : {"--kokkos-num-threads=4", "--kokkos-device-id=0", "--kokkos-threads=512",
                           "--kokkos-num-devices=2,0", "--kokkos-help", "-v"}) {
    EXPECT_EQ(error_of(word), "") << word;
  }
}

TEST(KokkosSettings, RefusesWhatIsNone) {
  for (const char* word : {"--kokkos-num-threads=abc", "--kokkos-num-threads=0",
                           "--kokkos-num-threads=", "--kokkos-device-id=x", "--kokkos-device-id=-1",
                           "--kokkos-num-threads=3x", "--kokkos-num-threads=99999999999"}) {
    EXPECT_TRUE(test::has_all(error_of(word), {word, "whole number"}));
  }
}

TEST(KokkosSettings, NamesTheMostThreads) {
  EXPECT_TRUE(test::has_all(error_of("--kokkos-num-threads=768"),
                            {"768 threads", "--kokkos-num-threads=512"}));
}

#if defined(_OPENMP)
TEST(KokkosSettings, OpenMPsThreadsAreWholeNumbers) {
  const char* const before = std::getenv("OMP_NUM_THREADS");
  const std::string kept = before == nullptr ? "" : before;
  for (const char* value : {"abc", "0", "2.5", "4,x", "99999999999"}) {
    setenv("OMP_NUM_THREADS", value, 1);
    EXPECT_TRUE(test::has(error_of("-v"), "OMP_NUM_THREADS=")) << value;
  }
  for (const char* value : {"2", " 2 ", "2,1"}) {
    setenv("OMP_NUM_THREADS", value, 1);
    EXPECT_EQ(error_of("-v"), "") << value;
  }
  unsetenv("OMP_NUM_THREADS");
  if (before != nullptr) setenv("OMP_NUM_THREADS", kept.c_str(), 1);
}
#endif

}  // namespace
}  // namespace tessera::measure
