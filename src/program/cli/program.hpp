// SPDX-License-Identifier: Apache-2.0
// The program: what its command line says, done.
#pragma once

#include "base/case/catalogue.hpp"

namespace tessera {

/// Parses the command line, starts Kokkos where the command needs a device, and runs the command.
/// Prints errors as one line on stderr; returns the exit status.
[[nodiscard]] int run_program(int argc, char** argv, const Catalogue& catalogue);

/// Whether a command line needs Kokkos and a device.
[[nodiscard]] bool needs_device(int argc, char** argv);

}  // namespace tessera
