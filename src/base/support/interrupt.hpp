// SPDX-License-Identifier: Apache-2.0
// Ctrl-C as a request: the step under way is finished and what there is gets written.
#pragma once

namespace tessera {

/// From here on SIGINT and SIGTERM set a flag; a second one ends the program at once. A signal that
/// the parent set to be ignored (nohup, a job in the background) stays ignored. Commands that have
/// nothing to save do not call this: a signal ends them at once.
void catch_interrupts();

/// From here on catch_interrupts() does nothing: a signal ends the program at once. For ranks of a
/// job, which cannot stop one by one.
void leave_interrupts();

/// True once a signal came.
[[nodiscard]] bool interrupted();

/// From here on there is nothing to save until something_to_save(): where no loop has stopped a
/// second after a signal (a grid that is being filled, a check at its size), the program ends at
/// once, with interrupted_status(). Only after catch_interrupts().
void nothing_to_save();
void something_to_save();

/// Thrown between two steps by loops that stop for interrupted().
struct Interrupted {};

/// Throws Interrupted once a signal came: for loops that need not finish anything.
void stop_if_interrupted();

/// Exit status after an interrupt, as shells use it: 128 + the signal, 130 or 143.
[[nodiscard]] int interrupted_status();

}  // namespace tessera
