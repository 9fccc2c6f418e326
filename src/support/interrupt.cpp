// SPDX-License-Identifier: Apache-2.0
#include "support/interrupt.hpp"

#include <csignal>

namespace tessera {
namespace {

volatile std::sig_atomic_t signalled = 0;

extern "C" void on_signal(int number) {
  signalled = 1;
  std::signal(number, SIG_DFL);
}

}  // namespace

void catch_interrupts() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

bool interrupted() { return signalled != 0; }

}  // namespace tessera
