// SPDX-License-Identifier: Apache-2.0
// A signal ends at once a program that has nothing to save, and is a request where it has.
#include "base/support/interrupt.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace tessera {
namespace {

/// Exit status of a process that is told to stop and does not look for a while; 7: it was let.
int status_of(int signal, bool something) {
  const pid_t child = ::fork();
  if (child == 0) {
    catch_interrupts();
    nothing_to_save();
    if (something) something_to_save();
    ::raise(signal);
    ::usleep(200000);
    ::_exit(interrupted() ? 7 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Interrupt, EndsAtOnceWhereNothingIsThereToSave) {
  EXPECT_EQ(status_of(SIGTERM, false), 143);
  EXPECT_EQ(status_of(SIGINT, false), 130);
  for (const int signal : {SIGHUP, SIGXCPU, SIGUSR1, SIGUSR2}) {
    EXPECT_EQ(status_of(signal, false), 128 + signal);
  }
}

TEST(Interrupt, IsARequestWhereThereIs) {
  for (const int signal : {SIGTERM, SIGHUP, SIGXCPU, SIGUSR1, SIGUSR2}) {
    EXPECT_EQ(status_of(signal, true), 7) << signal;
  }
}

}  // namespace
}  // namespace tessera
