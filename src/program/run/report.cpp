// SPDX-License-Identifier: Apache-2.0
#include "program/run/run.hpp"

#include "base/io/json_file.hpp"
#include "base/support/bytes.hpp"
#include "base/support/console.hpp"
#include "base/support/error.hpp"
#include "program/cli/free_memory.hpp"
#include "program/predict/plans.hpp"
#include "program/results/published.hpp"
#include "program/results/result_table.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

namespace tessera {
namespace {

/// The final field's range, once where all configurations agree: to be compared with other codes'.
void print_ranges(const std::vector<results::Result>& results) {
  std::map<std::pair<double, double>, std::vector<std::string>> rows;
  for (const results::Result& r : results) {
    if (r.u_min && r.u_max) {
      rows[{*r.u_min, *r.u_max}].push_back(
          fmt::format("{}:{} {}", r.variant, r.configuration, r.decomposition));
    }
  }
  for (const auto& [range, names] : rows) {
    say("final field: u_min = {:.9g}, u_max = {:.9g} ({})\n", range.first, range.second,
        rows.size() == 1 ? "every configuration" : fmt::format("{}", fmt::join(names, ", ")));
  }
}

}  // namespace

void print_case(const Case& c, const std::vector<Selected>& selection, std::FILE* to) {
  const StepWork work = c.work();
  say(to,
      "{} {}, {} x {} x {} cells (nx, ny, nz), {} steps, {:.1f} B a cell at least, "
      "{:.2f} GiB, {} configurations x {} decompositions\n",
      c.stencil, c.precision, c.n.nx, c.n.ny, c.n.nz, c.steps, work.minimal_bytes / work.cells,
      static_cast<double>(c.memory_bytes()) / kBytesPerGiB, selection.size(),
      c.decompositions.size());
  for (const std::string& remark : c.remarks) say(to, "{}\n", remark);
  if (c.parallel.ranks.alone()) return;
  say(to, "{} ranks, {} along x, y, z, transport {}, {}; memory is of rank 0\n",
      c.parallel.ranks.size(), c.rank_grid().text(), c.parallel.transport->name(),
      c.overlaps() ? "exchange beside computation" : "exchange before computation");
}

int print_dry_run(const Case& c, const std::vector<Selected>& selection,
                  const StudyOptions& options, double gb_per_s,
                  const results::StudyTableOptions& table) {
  const StepWork work = c.work();
  say("\n{:<40} {:<16} {:>11} {:>6} {:>10} {:>11}  {}\n", "variant:configuration", "regions",
      "teams", "team", "scratch B", "loads/cell", "remark");
  int runnable = 0;
  std::map<std::string, int> cannot;  // rows by reason
  const auto named = [&](const Selected& how) {
    const auto& names = table.by_name;
    return table.all || std::find(names.begin(), names.end(), how.full_name()) != names.end();
  };
  for (const auto& decomposition : c.decompositions) {
    for (const Selected& how : selection) {
      const Plan p = plan_of_regions(how, c.regions(decomposition), c.problem());
      if (!p.supported() && !named(how)) {
        ++cannot[p.unsupported];
        continue;
      }
      if (!p.supported()) {
        say("{:<40} {:<16} unsupported: {}\n", how.full_name(), decomposition, p.unsupported);
        continue;
      }
      ++runnable;
      say("{:<40} {:<16} {:>11} {:>6} {:>10} {:>11.1f}  {}\n", how.full_name(), decomposition,
          p.league, p.team, p.scratch_bytes, p.loads,
          how.variant->configurations[how.configuration].note);
    }
  }
  say("{}", results::count_by_reason(cannot, "rows cannot run here"));
  const FreeMemory free;
  say("\nmemory: {:.2f} GiB needed, {:.2f} GiB available{}\n",
      static_cast<double>(c.memory_bytes()) / kBytesPerGiB,
      static_cast<double>(free.device) / kBytesPerGiB, FreeMemory::to_each(free.device_ranks));
  if (gb_per_s <= 0) {
    say("predicted: a dry run measures nothing; --machine FILE predicts a time\n");
    return runnable;
  }
  const double step_s = work.minimal_bytes / (1e9 * gb_per_s);
  const double total =
      runnable * (options.warmup_s + options.repetitions * static_cast<double>(c.steps) * step_s);
  say("predicted: {:.4g} ms a step or {:.4g} GCell/s where only memory bounds ({:.4g} GB/s by the "
      "machine file); at least {:.3g} s in all, verification apart\n",
      1e3 * step_s, work.cells / step_s / 1e9, gb_per_s, total);
  return runnable;
}

void print_study(const results::ResultFile& file, const ReportOptions& options) {
  if (file.roofline) {
    say("roofline: the lower of {:.4g} GFLOP/s ({}) and flop/B times {:.4g} GB/s\n",
        file.roofline->peak_gflop_per_s, file.roofline->precision, file.roofline->gb_per_s);
  }
  if (options.wide) {
    say("\n{}", results::format_table(results::best_first(file.results)));
  } else {
    say("\n{}", results::format_study(file.results, options.table));
  }
  const auto device = io::value_or(file.machine, "device", std::string());
  for (const std::string& table :
       {results::format_volumes(file.results), results::format_published(file.results, device)}) {
    if (!table.empty()) say("\n{}", table);
  }
  print_ranges(file.results);
  say("\n{}", results::format_winners(file.results, file.roofline, !kOnDevice));
}

void require_memory(const Case& c) {
  const auto needed = static_cast<double>(c.memory_bytes());
  const FreeMemory free;
  const auto available = static_cast<double>(free.device);
  require(needed <= available,
          "not enough {4} memory: a grid of {0} x {1} x {2} cells requires {3:.2f} GiB, {5:.2f} "
          "GiB available{6}",
          c.n.nx, c.n.ny, c.n.nz, needed / kBytesPerGiB, kOnDevice ? "device" : "host",
          available / kBytesPerGiB, FreeMemory::to_each(free.device_ranks));
}

}  // namespace tessera
