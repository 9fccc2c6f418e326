// SPDX-License-Identifier: Apache-2.0
#include "base/support/interrupt.hpp"

#include <unistd.h>
#include <csignal>
#include <string_view>

namespace tessera {
namespace {

volatile std::sig_atomic_t signalled = 0;  // the signal that came
volatile std::sig_atomic_t nothing_yet = 0;
bool left_alone = false;

constexpr unsigned kGraceSeconds = 1;

// Signals that request the end: of the user, a batch system, a lost terminal, a limit of processor
// time.
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGUSR1, SIGUSR2};

// Both do only what POSIX allows in a handler.
extern "C" void on_signal(int number) {
  signalled = number;
  // A second signal ends the program at once; the kernel repeats SIGXCPU each second.
  std::signal(number, number == SIGINT || number == SIGTERM ? SIG_DFL : SIG_IGN);
  if (nothing_yet != 0) ::alarm(kGraceSeconds);
}

extern "C" void on_alarm(int) {
  if (nothing_yet == 0 || signalled == 0) return;
  constexpr std::string_view kText = "tessera: interrupted: nothing was measured\n";
  static_cast<void>(!::write(STDERR_FILENO, kText.data(), kText.size()));
  ::_exit(128 + signalled);
}

}  // namespace

void leave_interrupts() { left_alone = true; }

void catch_interrupts() {
  if (left_alone) return;
  for (const int number : kSignals) {
    struct sigaction action {};
    if (sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(number, &action, nullptr);
  }
}

void nothing_to_save() {
  struct sigaction action {};
  action.sa_handler = on_alarm;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  nothing_yet = 1;
  if (interrupted()) ::alarm(kGraceSeconds);  // it came before
}

void something_to_save() { nothing_yet = 0; }

bool interrupted() { return signalled != 0; }

void stop_if_interrupted() {
  if (interrupted()) throw Interrupted{};
}

int interrupted_status() { return 128 + (signalled != 0 ? signalled : SIGINT); }

}  // namespace tessera
