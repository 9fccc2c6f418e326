// SPDX-License-Identifier: Apache-2.0
// `tessera fit DECK`: the coefficients of the ete stencils, their misfit and their stability.
#include "base/io/json_file.hpp"
#include "base/keys/table.hpp"
#include "base/support/console.hpp"
#include "base/support/error.hpp"
#include "program/cli/commands.hpp"
#include "program/cli/deck_options.hpp"

#include "base/io/atomic_file.hpp"
#include "program/cli/deck_forms.hpp"
#include "variants/ete/case/case.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <memory>

namespace tessera {
namespace {

struct FitCommand {
  DeckOptions deck;
  std::string output, csv;
  bool json = false;
};

/// Columns spread over the table, the first and the last among them.
constexpr std::size_t kShown = 7;

void print_columns(const std::vector<ete::FitQuality>& quality, double dt, double hx) {
  say("{:>8} {:>10} {:>10} {:>12} {:>12} {:>12} {:>9}\n", "column", "v (m/s)", "v dt / h",
      "misfit max", "misfit rms", "|S| - 1", "outside");
  const std::size_t shown = std::min(kShown, quality.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t v = shown == 1 ? 0 : i * (quality.size() - 1) / (shown - 1);
    const ete::FitQuality& q = quality[v];
    say("{:>8} {:>10.2f} {:>10.5f} {:>12.3e} {:>12.3e} {:>12.2e} {:>9.1e}{}\n", v,
        q.alpha * hx / dt, q.alpha, q.misfit_max, q.misfit_rms, q.growth, q.outside,
        q.stable() ? "" : "  UNSTABLE");
  }
}

/// Up to which alpha a norm of the misfit stays within 1e-6, the paper's figure.
void print_reach(const std::vector<ete::FitQuality>& quality, double band) {
  const auto reach = [&](auto norm) {
    double alpha = 0;
    for (const auto& q : quality) {
      if (q.*norm > 1e-6) break;
      alpha = q.alpha;
    }
    return alpha > 0 ? fmt::format("up to v dt / h = {:.4f}", alpha) : std::string("nowhere");
  };
  say("misfit of at most 1e-6 over |k| h <= {:.3g} pi: in the maximum norm {}, in the mean "
      "square {}\n",
      band, reach(&ete::FitQuality::misfit_max), reach(&ete::FitQuality::misfit_rms));
}

nlohmann::json to_json(const std::vector<ete::FitQuality>& quality, const ete::FitDeck& wanted) {
  nlohmann::json columns = nlohmann::json::array();
  for (const ete::FitQuality& q : quality) {
    columns.push_back({{"velocity_m_per_s", q.alpha * wanted.hx / wanted.dt},
                       {"alpha", q.alpha},
                       {"misfit_max", q.misfit_max},
                       {"misfit_rms", q.misfit_rms},
                       {"growth", q.growth},
                       {"outside", q.outside},
                       {"stable", q.stable()}});
  }
  return {{"points", wanted.points},
          {"dt_s", wanted.dt},
          {"hx_m", wanted.hx},
          {"band", wanted.options.band},
          {"columns", std::move(columns)}};
}

void write_columns(const std::vector<ete::FitQuality>& quality, const std::string& path) {
  std::string text = "column,alpha,misfit_max,misfit_rms,growth,outside\n";
  for (std::size_t v = 0; v < quality.size(); ++v) {
    const auto& q = quality[v];
    text += fmt::format("{},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g}\n", v, q.alpha, q.misfit_max,
                        q.misfit_rms, q.growth, q.outside);
  }
  io::write_atomically(path, text);
}

void fit_deck(const FitCommand& command, const Catalogue& catalogue) {
  const io::Deck deck = command.deck.read();
  keys::check_deck(deck, fit_form(catalogue), "fit");
  const std::string family = deck.get("case.family", "ete");
  require(family == "ete", "{} = \"{}\": ete alone has coefficients to fit",
          deck.where("case.family"), family);
  const ete::FitDeck wanted = ete::read_fit(deck);
  for (const std::string& output : {command.output, command.csv}) {
    if (!output.empty()) io::require_writable_file(output);
  }
  const auto begin = std::chrono::steady_clock::now();
  const ete::JudgedTable made = ete::make_table(wanted);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  if (!command.csv.empty()) write_columns(made.quality, command.csv);
  if (!command.output.empty()) ete::save_table(made.table, command.output);
  if (command.json) {
    say("{}\n", io::json_text(to_json(made.quality, wanted), 2));
    return ete::require_stable(made.quality, deck.name());
  }
  say("{} points, {} velocities, hx = {:g} m, hz / hx = {:g}, dt = {:.6g} s; {} in {:.2f} s\n",
      wanted.points, made.table.columns(), wanted.hx, made.table.z_spacing, wanted.dt,
      wanted.saved ? "loaded and checked" : "fitted and checked", seconds.count());
  print_columns(made.quality, wanted.dt, wanted.hx);
  say("{}\n", ete::describe_quality(made.quality, wanted.options.band));
  print_reach(made.quality, wanted.options.band);
  if (ete::can_fit()) {
    say("largest stable v dt / h with these options: {:.4f}\n",
        ete::largest_stable_alpha(wanted.points, wanted.options));
  }
  if (!command.output.empty()) say("table: {}\n", command.output);
  ete::require_stable(made.quality, deck.name());
}

}  // namespace

void add_fit_command(CLI::App& app, const Catalogue& catalogue,
                     const std::string& /*command_line*/) {
  auto command = std::make_shared<FitCommand>();
  CLI::App* sub = app.add_subcommand(
      "fit", "Fit the coefficients of the ete stencils, check misfit, stability");
  command->deck.add_to(*sub);
  sub->add_option("-o,--output", command->output, "Save the table (JSON): ete.table loads it");
  sub->add_option("--csv", command->csv, "Write misfit and stability of every column");
  sub->add_flag("--json", command->json, "Print misfit and stability of every column as JSON");
  sub->footer(
      "Least squares of the stencil's symbol S(k) to cos(v dt |k|), all velocities at once, with\n"
      "coefficients of sum 1. Prints the misfit over the band, whether |S| <= 1 holds over the\n"
      "whole Brillouin zone, and the largest stable v dt / h. Fails where a column is unstable.\n"
      "Examples:\n"
      "  tessera fit inputs/fang-37-random.toml\n"
      "  tessera fit inputs/fang-73-random.toml --set fit.band=0.4 --csv quality.csv\n"
      "  tessera fit inputs/fang-37-random.toml -o table.json");
  sub->callback([command, &catalogue] { fit_deck(*command, catalogue); });
}

}  // namespace tessera
