// SPDX-License-Identifier: Apache-2.0
#include "support/interrupt.hpp"

#include <csignal>
#include <initializer_list>

namespace tessera {
namespace {

volatile std::sig_atomic_t signalled = 0;  // the signal that came
bool left_alone = false;

extern "C" void on_signal(int number) {
  signalled = number;
  std::signal(number, SIG_DFL);
}

}  // namespace

void leave_interrupts() { left_alone = true; }

void catch_interrupts() {
  if (left_alone) return;
  for (const int number : {SIGINT, SIGTERM}) {
    struct sigaction action {};
    if (sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(number, &action, nullptr);
  }
}

bool interrupted() { return signalled != 0; }

void stop_if_interrupted() {
  if (interrupted()) throw Interrupted{};
}

int interrupted_status() { return 128 + (signalled != 0 ? signalled : SIGINT); }

}  // namespace tessera
