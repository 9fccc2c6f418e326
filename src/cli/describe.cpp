// SPDX-License-Identifier: Apache-2.0
// `tessera describe NAME`: one variant in words and numbers.
#include "cli/commands.hpp"
#include "cli/plans.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <memory>

namespace tessera {
namespace {

void describe(const std::string& name) {
  const std::string variant_name = name.substr(0, name.find(':'));
  const Variant& v = all_variants().find(variant_name);
  fmt::print("{}: {}\n\n", v.full_name(), v.summary);
  fmt::print(
      "  stencil   {}\n  formula   {}\n  source    {}\n  memory    {}\n  loses     {}\n"
      "  survives  {}\n  tags      {}\n",
      v.stencil, v.formula, v.source, v.memory, v.loses, v.survives, fmt::join(v.tags, ", "));
  for (const Region& region :
       {example_region(), Region{"pml", Update::pml, {0, 27, 0, 512, 0, 512}, {}}}) {
    const Plan p = v.plan(0, region, 4);
    fmt::print(
        "\n  {} region: {:.0f} flops a cell (the seed's convention), {:.0f} elements a cell "
        "at least ({:.0f} B float, {:.0f} B double), arithmetic intensity {:.2f} flop/B in "
        "float\n",
        to_string(region.update), p.flops, p.minimal_elements, 4 * p.minimal_elements,
        8 * p.minimal_elements, p.flops / (4 * p.minimal_elements));
  }
  fmt::print("\n  {:<22} {:>6} {:>6} {:>12} {:>13} {:>10} {:>15} {:>14}  {}\n", "configuration",
             "origin", "team", "scratch B f", "scratch B d", "halo cells", "loads (inner)",
             "loads (PML)", "remark");
  const std::string wanted = name == variant_name ? "" : name.substr(variant_name.size() + 1);
  bool found = wanted.empty();
  for (std::size_t c = 0; c < v.configurations.size(); ++c) {
    const Configuration& configuration = v.configurations[c];
    if (!wanted.empty() && configuration.text != wanted) continue;
    found = true;
    const Plan f = v.plan(c, example_region(), 4);
    const Plan d = v.plan(c, example_region(), 8);
    const Plan pml = v.plan(c, {"pml", Update::pml, {0, 27, 0, 512, 0, 512}, {}}, 4);
    const char* origin = configuration.origin == Origin::seed ? "seed" : "ours";
    if (!f.supported()) {
      fmt::print("  {:<22} {:>6} unsupported: {}\n", configuration.text, origin, f.unsupported);
      continue;
    }
    fmt::print("  {:<22} {:>6} {:>6} {:>12} {:>13} {:>10} {:>15.1f} {:>14.1f}  {}\n",
               configuration.text, origin, f.team, f.scratch_bytes,
               d.supported() ? std::to_string(d.scratch_bytes) : "unsupported", f.halo_cells,
               f.loads, pml.loads, configuration.note);
  }
  if (!found) static_cast<void>(all_variants().select({name}));  // says which name is nearest
}

}  // namespace

void add_describe_command(CLI::App& app) {
  auto name = std::make_shared<std::string>();
  CLI::App* sub = app.add_subcommand("describe", "Describe one variant: formula, memory, costs");
  sub->add_option("name", *name, "family/variant or family/variant:configuration")->required();
  sub->footer(
      "Examples:\n"
      "  tessera describe acoustic/st_reg_fixed\n"
      "  tessera describe acoustic/gmem:8x8x8");
  sub->callback([name] { describe(*name); });
}

}  // namespace tessera
