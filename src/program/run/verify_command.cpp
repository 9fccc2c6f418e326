// SPDX-License-Identifier: Apache-2.0
// `tessera verify`: every variant against the sequential reference.
#include "base/case/case.hpp"
#include "base/case/listed_once.hpp"
#include "base/comm/session.hpp"
#include "base/io/json_file.hpp"
#include "base/support/console.hpp"
#include "base/support/error.hpp"
#include "base/support/interrupt.hpp"
#include "base/support/text.hpp"
#include "program/cli/commands.hpp"
#include "program/cli/deck_options.hpp"
#include "program/cli/options.hpp"
#include "program/predict/plans.hpp"
#include "program/run/run.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <map>
#include <memory>

namespace tessera {
namespace {

struct VerifyCommand {
  std::vector<std::string> patterns{"*"};
  std::vector<std::string> precisions{"float", "double"};
  std::string stencil = "*";
  std::uint64_t seed = 0;
  std::string ranks, transport = "auto";
  bool json = false;
};

/// Why a configuration cannot run here, or its grid not be cut for these ranks; else empty.
std::string reason_against(const Selected& how, const Case& c, const std::string& decomposition,
                           const Problem& problem) {
  try {
    const Plan plan = plan_of_regions(how, c.regions(decomposition), problem);
    if (!plan.supported() || c.parallel.ranks.alone()) return plan.unsupported;
  } catch (const Error& e) {
    if (c.parallel.ranks.alone()) throw;
    return e.what();
  }
  return c.refused_on_ranks(how);
}

/// "7pt-2" of "low_order/7pt-2".
std::string stencil_of(const std::string& full_name) {
  return full_name.substr(full_name.find('/') + 1);
}

/// What has been compared.
struct Tally {
  std::map<std::string, int> count{{"valid", 0}, {"INVALID", 0}, {"unsupported", 0}};
  nlohmann::json rows = nlohmann::json::array();  ///< of --json
};

/// Compares a configuration on the small grids of a case, in each of its decompositions.
void verify_on(const VerifyCommand& command, const Selected& how, const Problem& problem, Case& c,
               std::uint64_t seed, Tally& tally) {
  for (const auto& decomposition : c.decompositions) {
    if (interrupted()) throw Interrupted{};
    std::string status = "unsupported";
    std::string remark = reason_against(how, c, decomposition, problem);
    std::string worst = "-";
    nlohmann::json row = {{"name", how.full_name()},
                          {"stencil", problem.stencil},
                          {"precision", c.precision},
                          {"decomposition", decomposition},
                          {"worst_of_bound", nullptr}};
    if (c.parallel.ranks.all(remark.empty())) {
      const Verdict verdict = c.verify_small(how, decomposition, seed);
      status = verdict.ok ? "valid" : "INVALID";
      remark = verdict.reason;
      worst = fmt::format("{:.3f}", verdict.worst);
      row["worst_of_bound"] = verdict.worst;
    }
    ++tally.count[status];
    if (command.json) {
      row["status"] = status == "INVALID" ? "invalid" : status;
      row["reason"] = remark;
      tally.rows.push_back(std::move(row));
      continue;
    }
    say("{:<40} {:<20} {:<7} {:<16} {:>10}  {}{}{}\n", how.full_name(), stencil_of(problem.stencil),
        c.precision, decomposition, worst, status, remark.empty() ? "" : ": ", remark);
  }
}

void verify(const VerifyCommand& command, const Catalogue& catalogue) {
  require_listed_once(command.precisions, "--precision");
  const std::uint64_t seed =
      comm::world().broadcast(command.seed != 0 ? command.seed : fresh_seed());
  comm::ParallelOptions options{{}, command.transport};
  if (!command.ranks.empty()) options.parts = comm::parse_parts(command.ranks, "--ranks");
  const comm::Parallel parallel(comm::world(), options);
  if (options.parts) {
    const auto& [x, y, z] = *options.parts;
    const double asked = 1.0 * x * y * z;
    require(asked == parallel.ranks.size(), "--ranks = {} means {:.0f} ranks, but {} were started",
            command.ranks, asked, parallel.ranks.size());
  }
  if (!command.json && !parallel.ranks.alone()) {
    say("{} ranks, transport {}\n", parallel.ranks.size(), parallel.transport->name());
  }
  if (!command.json) {
    say("seed {}: --seed {} repeats this run\n{:<40} {:<20} {:<7} {:<16} {:>10}  {}\n", seed, seed,
        "variant:configuration", "stencil", "type", "regions", "worst",
        "status (worst: largest "
        "difference over the bound)");
  }
  Tally tally;
  std::vector<std::string> stencils;  // that --stencil could have named
  bool any = false;
  for (const Selected& how : catalogue.variants.select(command.patterns, {}, kThisKind)) {
    for (const auto& stencil : how.variant->stencils) {
      stencils.push_back(stencil_of(stencil));
      if (!glob_match(command.stencil, stencils.back())) continue;
      any = true;
      for (const auto& precision : command.precisions) {
        const Problem problem{stencil, value_bytes(precision)};
        const auto c = make_verify_case(how.variant->family, problem, catalogue.families, parallel);
        verify_on(command, how, problem, *c, seed, tally);
      }
    }
  }
  require(any, "--stencil {}: no stencil of the selected variants matches; the nearest is {}",
          command.stencil, nearest_name(command.stencil, stencils));
  auto& count = tally.count;
  if (command.json) {
    say("{}\n", io::json_text({{"seed", seed}, {"rows", std::move(tally.rows)}}, 2));
  } else {
    const bool pass = count["INVALID"] == 0 && count["valid"] > 0;
    say("{} valid, {} invalid, {} unsupported\n{}\n", count["valid"], count["INVALID"],
        count["unsupported"], pass ? "PASS" : "FAIL");
  }
  require(count["INVALID"] == 0, "{} configurations differ from the reference", count["INVALID"]);
  require(count["valid"] > 0, "none of the selected configurations can run here");
}

}  // namespace

void add_verify_command(CLI::App& app, const Catalogue& catalogue,
                        const std::string& /*command_line*/) {
  auto command = std::make_shared<VerifyCommand>();
  CLI::App* sub = app.add_subcommand("verify", "Compare variants with the sequential reference");
  sub->add_option("patterns", command->patterns,
                  "Globs over family/variant:configuration (default: all)");
  sub->add_option("--precision", command->precisions, "float, double or both")
      ->check(CLI::IsMember({"float", "double"}));
  sub->add_option("--stencil", command->stencil,
                  "Glob over the stencils of a family, such as 'j3d*' (default: all)");
  sub->add_option("--seed", command->seed, "Seed of the random data (default: fresh each time)")
      ->check(whole_number<std::uint64_t>);
  sub->add_option("--ranks", command->ranks,
                  "Ranks along x, y and z, as in 1x1x4 (default: the cheapest grid)");
  add_rank_options(*sub, command->transport);
  sub->add_flag("--json", command->json, "Print JSON");
  sub->footer(
      "Every stencil, ragged grids, every decomposition, random data; each cell must lie within\n"
      "8 (eps/2) times the sum of the magnitudes of its formula's terms, for every step (more in\n"
      "proportion where there are more than 25).\n"
      "Several ranks are compared with one as well: their fields are equal to the bit.\n"
      "Examples:\n"
      "  tessera verify\n"
      "  mpirun -n 2 tessera verify 'acoustic/*' --ranks 1x1x2\n"
      "  tessera verify 'acoustic/st_reg_fixed:*' --precision float");
  sub->callback([command, &catalogue] {
    catch_interrupts();
    verify(*command, catalogue);
  });
}

}  // namespace tessera
