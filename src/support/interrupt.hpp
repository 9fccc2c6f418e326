// SPDX-License-Identifier: Apache-2.0
// Ctrl-C as a request: the step under way is finished and what there is gets written.
#pragma once

namespace tessera {

/// Installs handlers for SIGINT and SIGTERM that set a flag; a second signal ends the program.
void catch_interrupts();

/// True once a signal came.
[[nodiscard]] bool interrupted();

/// Thrown between two steps by loops that stop for interrupted().
struct Interrupted {};

/// Exit status after an interrupt, as shells use it: 128 + SIGINT.
inline constexpr int kInterruptedStatus = 130;

}  // namespace tessera
