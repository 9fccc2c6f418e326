// SPDX-License-Identifier: Apache-2.0
// `tessera describe NAME`: one variant in words and numbers.
#include "base/io/json_file.hpp"
#include "base/support/console.hpp"
#include "program/cli/commands.hpp"
#include "program/measure/device.hpp"
#include "program/predict/plans.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <memory>
#include <utility>

namespace tessera {
namespace {

struct DescribeCommand {
  std::string name;
  std::string machine;  // that plans are made for; empty: this one
  bool json = false;
};

/// What the variant's costs are shown for: its first configuration on that machine or, where it
/// runs on none of its kind, on one of the other.
Problem costs_example(const Variant& v, const MachineLimits& machine) {
  Problem problem = example_problem({&v, 0}, "float", machine);
  if (!runs_on(v.configurations.front().runs_on, machine.kind)) {
    problem.machine = machine.on_device() ? kAnyHost : kAnyDevice;
  }
  return problem;
}

/// What resident teams take of the device, as EBISU's Figure 8 shows it: for variants whose plans
/// ask the device.
void describe_occupancy(const Variant& v, const std::string& wanted) {
  bool heading = true;
  for (std::size_t c = 0; c < v.configurations.size(); ++c) {
    const std::string& text = v.configurations[c].text;
    if (!wanted.empty() && text != wanted) continue;
    for (const std::string& stencil : v.stencils) {
      const Plan p = v.plan(c, v.examples(stencil).front(), {stencil, 8});
      if (!p.supported() || p.resident == 0) continue;
      const measure::DeviceProperties device = measure::device_properties();
      const double teams = static_cast<double>(p.resident) / device.units;
      const auto percent = [&](double used, double all) { return 100 * teams * used / all; };
      if (heading) {
        say("\n  in double, of a multiprocessor:\n  {:<22} {:<18} {:>3} {:>9} {:>11} {:>11} "
            "{:>9}\n",
            "configuration", "stencil", "t", "registers", "occupancy %", "registers %",
            "scratch %");
        heading = false;
      }
      say("  {:<22} {:<18} {:>3} {:>9} {:>11.1f} {:>11.1f} {:>9.1f}\n", text,
          stencil.substr(stencil.find('/') + 1), p.temporal_depth, p.registers,
          percent(p.team, device.threads_per_unit),
          percent(double(p.team) * p.registers, device.registers_per_unit),
          percent(static_cast<double>(p.scratch_bytes),
                  static_cast<double>(device.scratch_bytes_per_unit)));
    }
  }
}

/// What a team's caches should hold between two uses, on the first example region: for variants
/// whose plans say so.
void describe_cached(const Variant& v, const std::string& wanted, const MachineLimits& machine) {
  bool heading = true;
  const std::string& stencil = v.stencils.front();
  const Region region = v.examples(stencil).front();
  for (std::size_t c = 0; c < v.configurations.size(); ++c) {
    const std::string& text = v.configurations[c].text;
    if (!wanted.empty() && text != wanted) continue;
    Problem problem{stencil, 4};
    problem.machine = machine;
    const Plan f = v.plan(c, region, problem);
    problem.value_bytes = 8;
    const Plan d = v.plan(c, region, problem);
    if (f.cached_bytes == 0 && d.cached_bytes == 0) continue;
    if (heading) {
      say("\n  working set that a thread's caches should hold, KiB:\n  {:<22} {:>9} {:>9}\n",
          "configuration", "float", "double");
      heading = false;
    }
    const auto kib = [](const Plan& plan) {
      return plan.supported() ? fmt::format("{:.1f}", double(plan.cached_bytes) / 1024) : "-";
    };
    say("  {:<22} {:>9} {:>9}\n", text, kib(f), kib(d));
  }
}

/// The facts, and the plan of each configuration in both precisions on its first example region.
nlohmann::json describe_json(const Variant& v, const std::string& wanted,
                             const MachineLimits& machine) {
  nlohmann::json out = {{"name", v.full_name()},
                        {"family", v.family},
                        {"summary", v.summary},
                        {"formula", v.formula},
                        {"source", v.source},
                        {"memory", v.memory},
                        {"loses", v.loses},
                        {"supports", v.supports},
                        {"stencils", v.stencils},
                        {"tags", v.tags},
                        {"configurations", nlohmann::json::array()}};
  for (std::size_t c = 0; c < v.configurations.size(); ++c) {
    const Configuration& configuration = v.configurations[c];
    if (!wanted.empty() && configuration.text != wanted) continue;
    const std::string stencil = example_problem({&v, c}, "float", machine).stencil;
    nlohmann::json row = {{"configuration", configuration.text},
                          {"origin", configuration.origin == Origin::paper ? "paper" : "ours"},
                          {"note", configuration.note},
                          {"stencil", stencil}};
    for (const auto& [precision, bytes] : {std::pair{"float", 4}, std::pair{"double", 8}}) {
      const Plan plan = v.plan(c, v.examples(stencil).front(),
                               {.stencil = stencil, .value_bytes = bytes, .machine = machine});
      row[precision] = {{"unsupported", plan.unsupported}, {"resources", to_json(plan)}};
    }
    out["configurations"].push_back(std::move(row));
  }
  return out;
}

void describe(const DescribeCommand& command, const Catalogue& catalogue) {
  const std::string& name = command.name;
  const MachineLimits machine = named_machine(command.machine);
  const std::string variant_name = name.substr(0, name.find(':'));
  const Variant& v = catalogue.variants.find(variant_name);
  if (command.json) {
    const std::string tile = name == variant_name ? "" : name.substr(variant_name.size() + 1);
    const nlohmann::json all = describe_json(v, tile, machine);
    if (all.at("configurations").empty()) static_cast<void>(catalogue.variants.select({name}));
    say("{}\n", io::json_text(all, 2));
    return;
  }
  say("{}: {}\n\n", v.full_name(), v.summary);
  say("  stencils  {}\n  formula   {}\n  source    {}\n  memory    {}\n  loses     {}\n"
      "  supports  {}\n  tags      {}\n",
      fmt::join(v.stencils, ", "), v.formula, v.source, v.memory, v.loses, v.supports,
      fmt::join(v.tags, ", "));
  const Problem example = costs_example(v, machine);
  Problem in_double = example;
  in_double.value_bytes = 8;
  const std::vector<Region> regions = v.examples(example.stencil);
  for (const Region& region : regions) {
    const Plan p = v.plan(0, region, example);
    const Plan d = v.plan(0, region, in_double);
    const double least = 4 * p.minimal_elements;
    say("\n  {} region: {:.0f} flops a cell (the paper's convention), at least {:.0f} B a cell in "
        "float, {} in double, arithmetic intensity {:.2f} flop/B in float\n",
        to_string(region.update), p.flops, least,
        d.supported() ? fmt::format("{:.0f} B", 8 * d.minimal_elements)
                      : fmt::format("none ({})", d.unsupported),
        p.flops / least);
  }
  say("\n  {:<22} {:>6} {:>6} {:>12} {:>13} {:>10}", "configuration", "origin", "team",
      "scratch B f", "scratch B d", "halo cells");
  for (const Region& region : regions) {
    say(" {:>15}", fmt::format("loads ({})", to_string(region.update)));
  }
  say("  remark\n");
  const std::string wanted = name == variant_name ? "" : name.substr(variant_name.size() + 1);
  bool found = wanted.empty();
  for (std::size_t c = 0; c < v.configurations.size(); ++c) {
    const Configuration& configuration = v.configurations[c];
    if (!wanted.empty() && configuration.text != wanted) continue;
    found = true;
    const Problem single = example_problem({&v, c}, "float", machine);
    Problem twice = single;
    twice.value_bytes = 8;
    const Plan f = v.plan(c, regions.front(), single);
    const Plan d = v.plan(c, regions.front(), twice);
    const char* origin = configuration.origin == Origin::paper ? "paper" : "ours";
    if (!f.supported()) {
      say("  {:<22} {:>6} unsupported: {}\n", configuration.text, origin, f.unsupported);
      continue;
    }
    say("  {:<22} {:>6} {:>6} {:>12} {:>13} {:>10}", configuration.text, origin, f.team,
        f.scratch_bytes, d.supported() ? std::to_string(d.scratch_bytes) : "unsupported",
        f.halo_cells);
    for (const Region& region : regions) {
      say(" {:>15.1f}", v.plan(c, region, single).loads);
    }
    say("  {}\n", configuration.note);
  }
  if (machine.here) describe_occupancy(v, wanted);
  describe_cached(v, wanted, machine);
  if (!found) static_cast<void>(catalogue.variants.select({name}));  // says which name is nearest
}

}  // namespace

void add_describe_command(CLI::App& app, const Catalogue& catalogue,
                          const std::string& /*command_line*/) {
  auto command = std::make_shared<DescribeCommand>();
  CLI::App* sub = app.add_subcommand("describe", "Describe one variant: formula, memory, costs");
  sub->add_option("name", command->name, "family/variant or family/variant:configuration")
      ->required();
  sub->add_option(
      "-m,--machine", command->machine,
      "Plans for a machine file, or for one of inputs/machines by its name (H100, ...)\n"
      "(default: this machine)");
  sub->add_flag("--json", command->json, "Print JSON");
  sub->footer(
      "Examples:\n"
      "  tessera describe acoustic/st_reg_fixed\n"
      "  tessera describe acoustic/gmem:8x8x8\n"
      "  tessera describe acoustic/st_reg_fixed --machine P100");
  sub->callback([command, &catalogue] { describe(*command, catalogue); });
}

}  // namespace tessera
