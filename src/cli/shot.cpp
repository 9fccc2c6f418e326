#include "cli/commands.hpp"
namespace tessera {
void add_shot_command(CLI::App&, const std::string&) {}
}  // namespace tessera
