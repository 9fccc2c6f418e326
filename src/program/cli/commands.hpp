// SPDX-License-Identifier: Apache-2.0
// The commands of the program, declared once in one table; a file each beside.
#pragma once

#include "base/case/catalogue.hpp"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tessera {

struct Command {
  /// Adds the sub-command, whose callback does the work and throws Error where it cannot.
  /// `command_line` goes into result files; the catalogue must outlive the app.
  using Add = void(CLI::App& app, const Catalogue& catalogue, const std::string& command_line);

  std::string name;
  Add* add;
  bool needs_device = true;
  std::string without_device = {};  ///< an option with which it needs none
  bool takes_ranks = true;          ///< of several ranks; else each would do all of the work
  std::string decks = {};           ///< kinds of decks that it reads, "run shot": whose they are
};

/// In the order of --help.
[[nodiscard]] const std::vector<Command>& commands();

/// The one of a name; null where there is none.
[[nodiscard]] const Command* find_command(const std::string& name);

}  // namespace tessera
