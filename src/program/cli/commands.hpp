// SPDX-License-Identifier: Apache-2.0
// The commands of the program, one file each. Each adds its sub-command, whose callback does the
// work and throws Error where it cannot. `command_line` goes into result files; the catalogue must
// outlive the app.
#pragma once

#include "base/case/catalogue.hpp"

#include <string>

namespace CLI {
class App;
}

namespace tessera {

void add_list_command(CLI::App& app, const Catalogue& catalogue);
void add_describe_command(CLI::App& app, const Catalogue& catalogue);
void add_run_command(CLI::App& app, const Catalogue& catalogue, const std::string& command_line);
void add_verify_command(CLI::App& app, const Catalogue& catalogue);
void add_fit_command(CLI::App& app, const Catalogue& catalogue);
void add_machine_command(CLI::App& app, const Catalogue& catalogue);
void add_predict_command(CLI::App& app, const Catalogue& catalogue);
void add_plan_command(CLI::App& app, const Catalogue& catalogue);
void add_shot_command(CLI::App& app, const Catalogue& catalogue, const std::string& command_line);
void add_survey_command(CLI::App& app, const Catalogue& catalogue, const std::string& command_line);
void add_study_command(CLI::App& app, const Catalogue& catalogue, const std::string& command_line);
void add_schema_command(CLI::App& app, const Catalogue& catalogue);
void add_tune_command(CLI::App& app, const Catalogue& catalogue, const std::string& command_line);

}  // namespace tessera
