// SPDX-License-Identifier: Apache-2.0
// `tessera shot` and `tessera survey` of a build without the acoustic family.
#include "base/support/error.hpp"
#include "program/cli/commands.hpp"
#include "program/cli/schemas.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace tessera {

namespace {

void add_absent(CLI::App& app, const char* name) {
  CLI::App* sub = app.add_subcommand(name, "Not in this build: it has no acoustic family");
  sub->allow_extras();
  sub->callback(
      [] { fail("this build has no acoustic family (TESSERA_FAMILIES), which a shot needs"); });
}

}  // namespace

void add_shot_command(CLI::App& app, const Catalogue& /*catalogue*/,
                      const std::string& /*command_line*/) {
  add_absent(app, "shot");
}

nlohmann::ordered_json shot_schema(const Catalogue& /*catalogue*/) {
  fail("this build has no acoustic family (TESSERA_FAMILIES), which a shot needs");
}

void add_survey_command(CLI::App& app, const Catalogue& /*catalogue*/,
                        const std::string& /*command_line*/) {
  add_absent(app, "survey");
}

}  // namespace tessera
