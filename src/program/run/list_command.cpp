// SPDX-License-Identifier: Apache-2.0
// `tessera list`: every variant and configuration of this binary, and what each needs.
#include "base/io/json_file.hpp"
#include "base/support/console.hpp"
#include "base/support/error.hpp"
#include "base/support/text.hpp"
#include "program/cli/commands.hpp"
#include "program/cli/options.hpp"
#include "program/predict/plans.hpp"
#include "program/run/resources.hpp"
#include "program/run/run.hpp"

#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <unistd.h>
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <set>

namespace tessera {
namespace {

struct ListCommand {
  std::vector<std::string> patterns;  // empty: all
  std::string tag;
  std::string precision = "float";
  bool json = false;
  bool markdown = false;
  bool resources = false;
  bool launches = false;
  std::string machine;          // that plans are made for; empty: this one
  std::string deck, registers;  // with `resources`
  std::vector<std::string> overrides;
};

/// What was requested by patterns, tag and deck, and is not there, for messages.
std::string nothing_of(const ListCommand& command) {
  std::string what = command.patterns.empty()
                         ? "no variant"
                         : fmt::format("nothing of {}", fmt::join(command.patterns, ", "));
  if (!command.tag.empty()) what += " has the tag " + command.tag;
  if (!command.deck.empty()) {
    what +=
        (command.tag.empty() ? " computes" : " and computes") + (" the stencil of " + command.deck);
  }
  if (!command.machine.empty()) what += " on " + command.machine;
  return what;
}

void list_resources(const ListCommand& command, const Catalogue& catalogue) {
  const nlohmann::json rows = resource_rows({command.patterns, command.tag, command.precision,
                                             command.deck, command.overrides, command.registers},
                                            catalogue);
  require(!rows.empty(), "{}: there is nothing to list", nothing_of(command));
  say("{}", command.json ? io::json_text(rows, 2) + "\n" : format_resources(rows));
}

void require_known_tag(const std::string& tag, const Registry& registry) {
  std::set<std::string> known;
  for (const auto& variant : registry.variants()) {
    known.insert(variant->tags.begin(), variant->tags.end());
  }
  require(tag.empty() || known.contains(tag), "--tag {}: no variant has it; there are {}", tag,
          fmt::join(known, ", "));
}

/// A cell of a Markdown table.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

/// The tables of the docs: of the families, or of the variants of those that are named. They say
/// what does not depend on the machine.
void list_markdown(const std::vector<std::string>& names, const Catalogue& catalogue) {
  if (names.empty()) {
    say("| family | stencils | variants |\n| --- | --- | --- |\n");
    for (const Family& family : catalogue.families) {
      const auto& all = catalogue.variants.variants();
      const auto count = std::count_if(all.begin(), all.end(), [&](const auto& variant) {
        return variant->family == family.name;
      });
      say("| {} | {} | {} |\n", family.name, family.stencils.size(), count);
    }
    return;
  }
  std::vector<std::string> known;
  for (const Family& family : catalogue.families) known.push_back(family.name);
  for (const std::string& name : names) {
    require(std::find(known.begin(), known.end(), name) != known.end(),
            "--markdown requires families: \"{}\" is none of {}", name, fmt::join(known, ", "));
    say("| variant | what it does | source | what lives where | loses |\n"
        "| --- | --- | --- | --- | --- |\n");
    for (const auto& variant : catalogue.variants.variants()) {
      if (variant->family != name) continue;
      say("| `{}` | {} | {} | {} | {} |\n", variant->name, cell(variant->summary),
          cell(variant->source), cell(variant->memory), cell(variant->loses));
    }
  }
}

/// The launches that a variant's configurations take on a machine: "TeamPolicy, native"; "-" where
/// none runs there.
std::string launches_on(const Variant& v, const MachineLimits& machine) {
  std::set<std::string> found;
  for (std::size_t c = 0; c < v.configurations.size(); ++c) {
    for (const std::string& stencil : v.stencils) {
      for (const Region& region : v.examples(stencil)) {
        const Plan plan = v.plan(c, region, {.stencil = stencil, .machine = machine});
        if (plan.supported()) found.insert(to_string(plan.launch));
      }
    }
  }
  return found.empty() ? "-" : fmt::format("{}", fmt::join(found, ", "));
}

/// The docs' table of launches, which depends on neither this binary's kind nor its machine.
void list_launches(const Catalogue& catalogue) {
  say("| variant | on a device | on a host | why not a TeamPolicy |\n| --- | --- | --- | --- |\n");
  for (const auto& v : catalogue.variants.variants()) {
    const std::string device = launches_on(*v, kAnyDevice);
    const std::string host = launches_on(*v, kAnyHost);
    const auto has = [&](std::string_view launch) {
      return device.find(launch) != std::string::npos || host.find(launch) != std::string::npos;
    };
    const std::string why = !v->launch.empty()     ? v->launch
                            : has("MDRangePolicy") ? "a baseline: a call a cell, no team"
                            : has("RangePolicy")   ? "a call a row, no team"
                                                   : "";
    say("| `{}` | {} | {} | {} |\n", v->full_name(), device, host, cell(why));
  }
}

bool has_tag(const Variant& variant, const std::string& tag) {
  return tag.empty() ||
         std::find(variant.tags.begin(), variant.tags.end(), tag) != variant.tags.end();
}

/// A line a variant, on a terminal no longer than it: tiles that can run here of all, and what it
/// does.
void list_variants(const ListCommand& command, const Catalogue& catalogue) {
  const std::size_t width =
      isatty(STDOUT_FILENO) != 0 ? terminal_width() : std::numeric_limits<std::size_t>::max();
  const MachineLimits machine = named_machine(command.machine);
  say("{:<30} {:>9}  {}\n", "variant", "tiles", "what it does");
  for (const auto& v : catalogue.variants.variants()) {
    if (!has_tag(*v, command.tag)) continue;
    std::size_t runs = 0;
    for (std::size_t c = 0; c < v->configurations.size(); ++c) {
      const Problem problem = example_problem({v.get(), c}, command.precision, machine);
      runs += v->plan(c, v->examples(problem.stencil).front(), problem).supported() ? 1 : 0;
    }
    const std::string line =
        fmt::format("{:<30} {:>9}  {}", v->full_name(),
                    fmt::format("{}/{}", runs, v->configurations.size()), v->summary);
    say("{}\n", first_words(line, width));
  }
  say("tiles: those that can run {}, of all; tessera list NAME names them\n",
      command.machine.empty() ? "here" : "there");
}

void list(const ListCommand& command, const Catalogue& catalogue) {
  if (command.launches) return list_launches(catalogue);
  if (command.markdown) return list_markdown(command.patterns, catalogue);
  require_known_tag(command.tag, catalogue.variants);
  if (command.resources) return list_resources(command, catalogue);
  if (command.patterns.empty() && !command.json) return list_variants(command, catalogue);
  nlohmann::json rows = nlohmann::json::array();
  const MachineLimits machine = named_machine(command.machine);
  const auto kind = command.machine.empty() ? std::nullopt : std::optional(machine.kind);
  std::vector<Selected> selection = catalogue.variants.select(
      command.patterns.empty() ? std::vector<std::string>{"*"} : command.patterns, {}, kind);
  std::erase_if(selection, [&](const Selected& s) { return !has_tag(*s.variant, command.tag); });
  require(!selection.empty(), "{}: there is nothing to list", nothing_of(command));
  if (!command.json) {
    say("{:<40} {:>7} {:>8} {:>9} {:>9} {:>7}  {}\n", "variant:configuration", "origin", "team",
        "scratch B", "halo cells", "loads", "remark");
  }
  for (const Selected& s : selection) {
    const Variant& v = *s.variant;
    const Configuration& c = v.configurations[s.configuration];
    const Problem problem = example_problem(s, command.precision, machine);
    const Plan plan = v.plan(s.configuration, v.examples(problem.stencil).front(), problem);
    const char* origin = c.origin == Origin::paper ? "paper" : "ours";
    if (command.json) {
      rows.push_back({{"name", s.full_name()},
                      {"family", v.family},
                      {"stencils", v.stencils},
                      {"variant", v.full_name()},
                      {"configuration", c.text},
                      {"origin", origin},
                      {"tags", v.tags},
                      {"note", c.note},
                      {"unsupported", plan.unsupported},
                      {"resources", to_json(plan)}});
    } else if (!plan.supported()) {
      say("{:<40} {:>7} {:>8} {:>9} {:>9} {:>7}  unsupported: {}\n", s.full_name(), origin, "-",
          "-", "-", "-", plan.unsupported);
    } else {
      say("{:<40} {:>7} {:>8} {:>9} {:>9} {:>7.1f}  {}\n", s.full_name(), origin, plan.team,
          plan.scratch_bytes, plan.halo_cells, plan.loads, c.note);
    }
  }
  if (command.json) say("{}\n", io::json_text(rows, 2));
}

}  // namespace

void add_list_command(CLI::App& app, const Catalogue& catalogue,
                      const std::string& /*command_line*/) {
  auto command = std::make_shared<ListCommand>();
  CLI::App* sub =
      app.add_subcommand("list", "List variants and configurations, and what they need");
  sub->add_option(
      "patterns", command->patterns,
      "Names of families or variants, or globs over family/variant:configuration, whose\n"
      "tiles are shown (default: the variants, without their tiles)");
  sub->add_option("--tag", command->tag,
                  "Only variants with this tag: paper, scratch, streaming ...");
  sub->add_option(
      "-m,--machine", command->machine,
      "Plans for a machine file, or for one of inputs/machines by its name (H100, ...):\n"
      "the tiles of its kind, and what they need there (default: this machine)");
  sub->add_option("--precision", command->precision, "Precision that scratch is counted in")
      ->check(CLI::IsMember({"float", "double"}))
      ->capture_default_str();
  sub->add_flag("--json", command->json, "Print JSON");
  sub->add_flag("--markdown", command->markdown,
                "Print the docs' table of the families, or of the variants of the families named");
  sub->add_flag("--launches", command->launches,
                "Print the docs' table of how each variant launches on devices and hosts, and why");
  sub->add_flag(
      "--resources", command->resources,
      "Show instead what each launch takes, region by region: threads, teams, registers, "
      "scratch,\n"
      "theoretical active warps and occupancy ('-': makes no sense here, or is not known)");
  sub->add_option("--registers", command->registers,
                  "Table of the device compiler's report (ci/resources.sh): registers and spills");
  sub->add_option("--deck", command->deck,
                  "Regions, precision, variants and published table of a deck, named as for run");
  sub->add_option("--set", command->overrides, "Override a deck key")->allow_extra_args(false);
  refuse_without(*sub, "--resources", {"--registers", "--deck"});
  refuse_without(*sub, "--deck", {"--set"});
  // The docs' tables are of all variants and depend on no machine; a deck has a precision.
  refuse_together(
      *sub, "--launches",
      {"patterns", "--tag", "--machine", "--precision", "--json", "--markdown", "--resources"});
  refuse_together(*sub, "--markdown",
                  {"--tag", "--machine", "--precision", "--json", "--resources"});
  refuse_together(*sub, "--resources", {"--machine"});
  refuse_together(*sub, "--deck", {"--precision"});
  sub->footer(
      "Columns: threads a team, bytes of team scratch, halo cells of a tile (of a plane where the\n"
      "variant streams), elements loaded a cell inside the layers. Plans are for a region of\n"
      "512^3 and the first of the variant's stencils that the configuration computes.\n"
      "Examples:\n"
      "  tessera list\n"
      "  tessera list 'acoustic/st_*' --precision double\n"
      "  tessera list --tag streaming --json\n"
      "  tessera list acoustic/st_reg_fixed --machine P100\n"
      "  tessera list --markdown acoustic\n"
      "  tessera list --resources --deck inputs/sai-table3.toml --registers resources.csv");
  sub->callback([command, &catalogue] { list(*command, catalogue); });
}

}  // namespace tessera
