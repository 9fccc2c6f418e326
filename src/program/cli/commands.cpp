// SPDX-License-Identifier: Apache-2.0
#include "program/cli/commands.hpp"

#include <algorithm>

namespace tessera {

Command::Add add_list_command, add_describe_command, add_run_command, add_verify_command,
    add_fit_command, add_machine_command, add_predict_command, add_plan_command, add_shot_command,
    add_survey_command, add_tune_command, add_study_command, add_schema_command;

const std::vector<Command>& commands() {
  static const std::vector<Command> kCommands = {
      {.name = "list", .add = add_list_command},
      {.name = "describe", .add = add_describe_command},
      {.name = "run", .add = add_run_command, .decks = "run"},
      {.name = "verify", .add = add_verify_command},
      {.name = "fit", .add = add_fit_command, .takes_ranks = false, .decks = "run shot"},
      {.name = "machine",
       .add = add_machine_command,
       .without_device = "--calibrate",
       .takes_ranks = false},
      {.name = "predict",
       .add = add_predict_command,
       .needs_device = false,
       .takes_ranks = false,
       .decks = "run"},
      {.name = "plan", .add = add_plan_command, .needs_device = false, .takes_ranks = false},
      {.name = "shot", .add = add_shot_command, .decks = "shot"},
      {.name = "survey", .add = add_survey_command, .decks = "shot"},
      {.name = "tune", .add = add_tune_command, .takes_ranks = false, .decks = "run"},
      {.name = "study",
       .add = add_study_command,
       .without_device = "--predict",
       .takes_ranks = false,
       .decks = "study"},
      {.name = "schema", .add = add_schema_command, .needs_device = false},
  };
  return kCommands;
}

const Command* find_command(const std::string& name) {
  const auto at = std::find_if(commands().begin(), commands().end(),
                               [&](const Command& command) { return command.name == name; });
  return at == commands().end() ? nullptr : &*at;
}

}  // namespace tessera
