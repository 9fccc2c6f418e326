// SPDX-License-Identifier: Apache-2.0
// Numbers for Kokkos: what it would answer with an abort is refused in one line.
#include <gtest/gtest.h>

#include "base/support/error.hpp"
#include "program/measure/kokkos_settings.hpp"

#include <cstdlib>
#include <string>

namespace tessera::measure {
namespace {

std::string error_of(const char* word) {
  const char* argv[] = {"tessera", "list", word};
  try {
    check_kokkos_settings(3, argv);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
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
    const std::string error = error_of(word);
    EXPECT_NE(error.find(word), std::string::npos) << error;
    EXPECT_NE(error.find("whole number"), std::string::npos) << error;
  }
}

TEST(KokkosSettings, NamesTheMostThreads) {
  const std::string error = error_of("--kokkos-num-threads=768");
  EXPECT_NE(error.find("768 threads"), std::string::npos) << error;
  EXPECT_NE(error.find("--kokkos-num-threads=512"), std::string::npos) << error;
}

#if defined(_OPENMP)
TEST(KokkosSettings, OpenMPsThreadsAreWholeNumbers) {
  const char* const before = std::getenv("OMP_NUM_THREADS");
  const std::string kept = before == nullptr ? "" : before;
  for (const char* value : {"abc", "0", "2.5", "4,x", "99999999999"}) {
    setenv("OMP_NUM_THREADS", value, 1);
    EXPECT_NE(error_of("-v").find("OMP_NUM_THREADS="), std::string::npos) << value;
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
