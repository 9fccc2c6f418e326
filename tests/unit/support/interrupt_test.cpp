// SPDX-License-Identifier: Apache-2.0
// A signal ends at once a program that has nothing to save, and is a request where it has.
#include "base/support/interrupt.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <utility>
#include <vector>

namespace tessera {
namespace {

/// A process that is told to stop and does not look for two seconds. Its exit status: 7 where it
/// was let.
pid_t told(int signal, bool something) {
  const pid_t child = ::fork();
  if (child == 0) {
    catch_interrupts();
    nothing_to_save();
    if (something) something_to_save();
    ::raise(signal);
    for (int i = 0; i < 40; ++i) ::usleep(50000);
    ::_exit(interrupted() ? 7 : 0);
  }
  return child;
}

/// All at the same time, and what each must end with.
void expect_ends(const std::vector<int>& signals, bool something) {
  std::vector<std::pair<pid_t, int>> children;
  for (const int signal : signals) {
    children.emplace_back(told(signal, something), something ? 7 : 128 + signal);
  }
  for (const auto& [child, wanted] : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), wanted);
  }
}

TEST(Interrupt, EndsAtOnceWhereNothingIsThereToSave) {
  expect_ends({SIGTERM, SIGINT, SIGHUP, SIGXCPU, SIGUSR1, SIGUSR2}, false);
}

TEST(Interrupt, IsARequestWhereThereIs) {
  expect_ends({SIGTERM, SIGHUP, SIGXCPU, SIGUSR1, SIGUSR2}, true);
}

}  // namespace
}  // namespace tessera
