// SPDX-License-Identifier: Apache-2.0
// `tessera fit` of a build without the ete family.
#include "base/support/error.hpp"
#include "program/cli/commands.hpp"

#include <CLI/CLI.hpp>

namespace tessera {

void add_fit_command(CLI::App& app, const Catalogue& /*catalogue*/,
                     const std::string& /*command_line*/) {
  CLI::App* sub = app.add_subcommand("fit", "Not in this build: it has no ete family");
  sub->allow_extras();
  sub->callback([] {
    fail("this build has no ete family (TESSERA_FAMILIES), whose coefficients are fitted");
  });
}

}  // namespace tessera
