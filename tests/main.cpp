// SPDX-License-Identifier: Apache-2.0
// Entry point of every test program: GoogleTest inside a Kokkos session. `--file=NAME` runs the
// tests of one source file, which CTest does in a process of its own; those of commands start no
// session, whose threads no fork would have.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>

#include <cstdio>
#include <string>
#include <string_view>

namespace {

/// The filter that takes the tests of the source file whose path ends in `name`; empty where it has
/// none.
std::string tests_of(std::string_view name) {
  std::string filter;
  const auto& tests = *testing::UnitTest::GetInstance();
  for (int s = 0; s < tests.total_test_suite_count(); ++s) {
    const auto& suite = *tests.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const auto& test = *suite.GetTestInfo(t);
      if (std::string_view(test.file()).ends_with(name)) {
        filter += std::string(suite.name()) + "." + test.name() + ":";
      }
    }
  }
  return filter;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  constexpr std::string_view kFile = "--file=";
  bool of_commands = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (!argument.starts_with(kFile)) continue;
    const std::string filter = tests_of(argument.substr(kFile.size()));
    if (filter.empty()) {
      std::fprintf(stderr, "no test is defined in %s\n", argv[i] + kFile.size());
      return 1;
    }
    testing::GTEST_FLAG(filter) = filter;
    of_commands = argument.find("cli/") != std::string_view::npos;
  }
  if (testing::GTEST_FLAG(list_tests) || of_commands) return RUN_ALL_TESTS();
  const Kokkos::ScopeGuard kokkos(argc, argv);
  return RUN_ALL_TESTS();
}
