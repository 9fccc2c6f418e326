// SPDX-License-Identifier: Apache-2.0
// What every value on the command line must be, whichever command takes it.
#pragma once

namespace CLI {
class App;
}

namespace tessera {

/// Has each option of each command refuse a value that is empty (of a shell's variable that is not
/// set), no finite number where a number is wanted, or a whole number that its type cannot hold.
void check_values(CLI::App& app);

/// Throws Error where an option has nothing behind its '=': the parser would take the next word.
void require_values(int argc, const char* const* argv);

}  // namespace tessera
