// SPDX-License-Identifier: Apache-2.0
#include "program/run/deck_run.hpp"

#include "base/case/deck_keys.hpp"
#include "base/comm/agree.hpp"
#include "base/comm/session.hpp"
#include "base/io/atomic_file.hpp"
#include "base/io/json_file.hpp"
#include "base/support/console.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"
#include "base/support/interrupt.hpp"
#include "program/cli/deck_forms.hpp"
#include "program/measure/machine_info.hpp"
#include "program/measure/timing.hpp"
#include "program/predict/selection.hpp"
#include "program/results/measurement_warnings.hpp"
#include "program/results/result.hpp"
#include "program/run/roofs.hpp"
#include "program/run/run.hpp"
#include "program/run/tuned.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>

namespace tessera {
namespace {

constexpr const char* kResultName = "result.json";

/// The deck without what may differ between runs whose rows are alike. Repetitions are counted row
/// by row.
nlohmann::json case_of(nlohmann::json deck) {
  for (const char* table : {"select", "output"}) deck.erase(table);
  const auto measure = deck.find("measure");
  if (measure != deck.end() && measure->is_object()) {
    measure->erase("repetitions");
    if (measure->empty()) deck.erase(measure);
  }
  return deck;
}

/// The members of an object that are named and there.
nlohmann::json members_of(const nlohmann::json& object, std::initializer_list<const char*> names) {
  nlohmann::json out = nlohmann::json::object();
  for (const char* name : names) {
    if (object.contains(name)) out[name] = object[name];
  }
  return out;
}

/// Result files begin alike, whatever is run.
results::ResultFile begin_file(const io::Deck& deck, const RunRequest& request, bool redact) {
  results::ResultFile file;
  file.date = results::utc_now();
  file.command_line = request.command_line;
  file.machine = measure::machine_metadata(redact);
  if (!request.platform.empty()) file.machine["name"] = request.platform;
  if (request.follows_own) file.machine["host"]["load"] = nullptr;
  file.build = measure::build_metadata();
  file.deck = deck.to_json();
  return file;
}

void append(StudyRows& rows, StudyRows more) {
  std::move(more.begin(), more.end(), std::back_inserter(rows));
}

/// The region whose figures are taken for the whole in tables that go by regions.
std::string first_region(const Case& c) {
  return std::string(c.regions(c.decompositions.front()).front().name);
}

/// How the ranks exchange; empty where there is one.
std::string transport_of(const Case& c) {
  return c.parallel.transport ? c.parallel.transport->name() : "";
}

/// The request of the run's folder; false where none is requested.
bool wants_folder(const io::Deck& deck, const RunRequest& request, const DeckRun& run,
                  io::FolderRequest& folder) {
  folder.folder = io::folder_named(deck, request.folder);
  // A file without rates is named on purpose.
  if (request.profile) folder.folder = request.folder;
  folder.command = "run";
  folder.deck = deck.name();
  folder.platform = run.file.machine.at("name").get<std::string>();
  folder.command_line = request.command_line;
  folder.resume = request.resume;
  return !folder.folder.empty() || request.resume || !(request.profile || request.prints_json);
}

/// Makes the folder on the first rank, or, for a dry run, checks whether it could be made. Returns
/// where an earlier run's results are, on all ranks; empty where none is continued.
std::string open_folder(DeckRun& run, const RunRequest& request, io::FolderRequest folder) {
  const comm::Ranks& ranks = comm::world();
  folder.identity = run_identity(run.file, ranks.size(), transport_of(*run.studies.front().what));
  std::string earlier;
  comm::together(ranks, [&] {
    if (!ranks.first()) return;
    if (request.measures) {
      run.folder = io::RunFolder(folder);
      if (folder.resume) earlier = run.folder.path().string();
    } else {
      io::require_possible_folder(folder);
      earlier = io::folder_to_resume(folder).string();
    }
  });
  return ranks.broadcast(earlier);
}

/// Takes over what an earlier run finished, and prints what became of it.
void take_finished(DeckRun& run, const RunRequest& request, const std::string& folder) {
  const std::filesystem::path path = std::filesystem::path(folder) / kResultName;
  if (folder.empty() || !is_plain_file(path)) {
    say(request.talk, "resuming: there is no earlier result of this deck here\n");
    return;
  }
  StudyRows selected;
  for (const Study& study : run.studies) append(selected, empty_rows(*study.what, study.selection));
  comm::together(comm::world(), [&] { run.earlier = results::read_json(path); });
  const StudyRows& rows = run.earlier.results;
  const int repetitions = std::max(run.options.repetitions, measure::kMinRepetitions);
  const auto is_selected = [&](const results::Result& row) {
    return std::any_of(selected.begin(), selected.end(),
                       [&](const results::Result& one) { return is_alike(one, row); });
  };
  const auto chosen = std::count_if(rows.begin(), rows.end(), is_selected);
  const auto kept = std::count_if(rows.begin(), rows.end(), [&](const results::Result& row) {
    return is_selected(row) && is_finished(row, repetitions);
  });
  const auto others = static_cast<std::ptrdiff_t>(rows.size()) - chosen;
  if (kept + others == 0) {
    say(request.talk, "resuming: nothing of {} is kept: no row of it is finished\n", path.string());
  } else {
    say(request.talk, "resuming: {} of the {} rows of {} are kept{}\n", kept, rows.size(),
        path.string(),
        others == 0 ? "" : fmt::format("; {} that are not selected stay in the file", others));
    run.file.begun = run.earlier.begun.empty() ? run.earlier.date : run.earlier.begun;
  }
  run.options.earlier = rows;
}

/// Appends the rows of an earlier run that are not there: whose turn has not come, or that are not
/// selected. How many.
std::size_t append_missing(StudyRows& rows, const StudyRows& earlier) {
  StudyRows missing;
  for (const results::Result& row : earlier) {
    const bool there = std::any_of(rows.begin(), rows.end(),
                                   [&](const results::Result& one) { return is_alike(one, row); });
    if (!there) missing.push_back(row);
  }
  append(rows, missing);
  return missing.size();
}

/// Takes counters and sets roofs. A row that has a roof was measured below it by an earlier run:
/// it keeps roof and share, whatever the memory gives today.
void finish_rows(std::vector<results::Result>& rows, const StoredCounters& counters,
                 const results::Roofline& roofline) {
  const std::vector<results::Result> before = rows;
  take_counters(rows, counters);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const results::Result& was = before[i];
    const bool kept = was.roofline_gflop_per_s.has_value();
    if (kept && was.counters == rows[i].counters) continue;
    set_roofline(rows[i], roofline);
    if (!kept) continue;
    rows[i].roofline_gflop_per_s = was.roofline_gflop_per_s;
    rows[i].fraction_of_roofline = was.fraction_of_roofline;
  }
}

/// Where the earlier run has every row that is selected, its file stands: date, command, streams
/// and roofs are of the run that measured. Whether that is so.
bool take_whole(DeckRun& run, const RunRequest& request, const Catalogue& catalogue) {
  const bool whole = std::all_of(run.studies.begin(), run.studies.end(), [&](const Study& study) {
    return is_all_kept(*study.what, study.selection, run.options);
  });
  const bool known = comm::world().all(run.earlier.roofline.has_value());
  if (!comm::world().broadcast(whole) || !known) return false;
  say(request.talk, "every row is finished: nothing is measured, the file of {} is unchanged\n",
      run.earlier.date);
  run.file = run.earlier;
  run.file.results.clear();
  for (const Study& study : run.studies) {
    append(run.file.results, run_study(*study.what, study.selection, catalogue.variants,
                                       run.options, run.file.streams, [](double, const auto&) {}));
  }
  return true;
}

/// Throws where a run ended before its first sample, so that no file with rates makes room for one
/// without: Interrupted after an interrupt, NothingMeasured where the time budget was spent.
void require_measured(const DeckRun& run) {
  const auto rows = run.rows();
  const auto any = [&](const auto& is) { return std::any_of(rows.begin(), rows.end(), is); };
  const bool stopped =
      any([](const auto& row) { return row.status == results::Status::unmeasured; });
  // The first rank's rows count: of those that are kept others may not have found the samples.
  const bool sampled = any([](const auto& row) { return !row.samples_s.empty(); });
  if (!comm::world().broadcast(stopped && !sampled)) return;
  const std::filesystem::path path = run.folder.file(kResultName);
  const std::string left = !run.folder.is_none() && path_exists(path)
                               ? shown(path.string()) + " is left as it was"
                               : "no file is written";
  if (interrupted()) {
    write_error("tessera: nothing was measured: " + left + "\n");
    throw Interrupted{};
  }
  check_rows(run);
  throw NothingMeasured(
      "nothing was measured: the time budget was spent before the first sample; " + left);
}

}  // namespace

nlohmann::json run_identity(const results::ResultFile& file, int ranks,
                            const std::string& transport) {
  // What distinguishes machines, how their threads are used, and where these run.
  nlohmann::json machine =
      members_of(file.machine, {"name", "device", "concurrency", "environment"});
  machine["topology"] = members_of(io::value_or(file.machine, "topology", nlohmann::json::object()),
                                   {"binding", "cores", "cpu_quota", "cpus", "numa_nodes"});
  return {{"deck", case_of(file.deck)},
          {"machine", std::move(machine)},
          {"build", file.build},
          {"ranks", ranks},
          {"transport", transport}};
}

DeckRun read_deck_run(const io::Deck& deck, const RunRequest& request, const Catalogue& catalogue) {
  DeckRun run;
  keys::check_deck(deck, study_form(catalogue), "run");
  comm::ParallelOptions parallel = read_parallel(deck);
  if (!request.transport.empty()) parallel.transport = request.transport;
  // A profile needs no check at run size: its fields and kernels are not counted.
  std::vector<std::unique_ptr<Case>> cases =
      make_cases(request.profile ? deck.with("measure.verify_at_size=false") : deck,
                 catalogue.families, comm::Parallel(comm::world(), parallel));
  const Patterns patterns =
      built(catalogue.variants,
            read_patterns(deck, cases.front()->family, {request.variants, request.exclude}));
  run.patterns = patterns.variants;
  StudyOptions& options = run.options;
  const RunKeys how = read_run(deck);
  options.warmup_s = how.warmup_s;
  options.repetitions = how.repetitions;
  run.roofs_bytes = how.roofs_bytes;
  run.file = begin_file(deck, request, how.redact);
  if (const std::string mpi = comm::mpi_version(); !mpi.empty()) run.file.build["mpi"] = mpi;
  io::FolderRequest folder;
  const bool writes = wants_folder(deck, request, run, folder);
  run.stored = read_stored_machine(deck, request.machine);
  if (deck.contains("measure.registers")) {
    options.registers =
        measure::read_kernel_resources(deck.get_path("measure.registers", kKernelResources));
  }
  run.counters = read_stored_counters(deck, request.counters);
  run.published = read_deck_published(deck);
  auto all = catalogue.variants.select(patterns.variants, patterns.exclude, kThisKind);
  sort_by_patterns(all, run.patterns);
  require(!all.empty(), "select.exclude and --exclude leave no variant");
  if (request.measures) {
    const std::string slow = results::warning_of_build(run.file.build);
    if (!slow.empty()) say(request.talk, "{}\n", slow);
  }
  warn_of_idle(request.exclude, catalogue.variants.select(patterns.variants, {}, kThisKind));
  for (std::unique_ptr<Case>& made : cases) {
    std::vector<Selected> selection = all;
    keep_what_computes(cases, *made, selection, run.patterns);
    require(!selection.empty(), "the selection leaves no variant that computes {}", made->stencil);
    std::string tiles = "configurations: as selected, not tuned";
    if (!request.tuned.empty()) {
      tiles = apply_tuned(read_tuned(request.tuned), winner_of(*made), selection);
      require(!selection.empty(),
              "{}: none of its winners is among the selected configurations for {}", request.tuned,
              made->stencil);
    }
    made->select(selection);
    if (request.measures) require_memory(*made);
    print_case(*made, selection, request.talk);
    say(request.talk, "{}\n", tiles);
    run.studies.push_back({nullptr, std::move(selection)});
  }
  for (std::size_t i = 0; i < cases.size(); ++i) run.studies[i].what = std::move(cases[i]);
  // Last: what is refused above leaves no folder.
  const std::string earlier = writes ? open_folder(run, request, std::move(folder)) : "";
  if (request.resume && !request.profile) take_finished(run, request, earlier);
  return run;
}

void measure_deck(DeckRun& run, const RunRequest& request, const Catalogue& catalogue,
                  Progress& progress) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  StudyOptions& options = run.options;
  if (request.budget_s) {
    options.deadline = begin + std::chrono::duration_cast<Clock::duration>(
                                   std::chrono::duration<double>(*request.budget_s));
  }
  const std::string region = first_region(*run.studies.front().what);
  if (take_whole(run, request, catalogue)) {
    finish_rows(run.file.results, run.counters, *run.file.roofline);
    if (run.published) attach_published(run.file.results, *run.published, region);
    run.others = append_missing(run.file.results, run.earlier.results);
    return;
  }
  run.folder.begin();
  find_roofs(run, request);
  const comm::Ranks& ranks = comm::world();
  options.seed = ranks.broadcast(fresh_seed());

  // Rows are written as they come.
  results::ResultFile& file = run.file;
  // A counter is one device's or one machine's, and its samples take as long as that rank likes.
  if (ranks.alone()) options.open_meter = measure::EnergyMeter::of_execution_space;
  options.save = [&](const StudyRows& rows) {
    if (run.folder.is_none()) return;
    results::ResultFile growing = file;
    append(growing.results, rows);
    finish_rows(growing.results, {}, *file.roofline);
    append_missing(growing.results, run.earlier.results);
    try {
      results::write_json(growing, run.folder.file(kResultName));
    } catch (const Error&) {
      // A copy for the case of a kill: where it cannot be written, the run continues without.
    }
  };
  for (Study& study : run.studies) {
    append(file.results,
           run_study(*study.what, study.selection, catalogue.variants, options, *file.streams,
                     [&](double part, const std::string& text) { progress.update(part, text); }));
    study.what.reset();  // with its fields
  }
  options.save = nullptr;
  progress.clear();
  finish_rows(file.results, run.counters, *file.roofline);
  if (run.published) attach_published(file.results, *run.published, region);
  run.others = append_missing(file.results, run.earlier.results);
  require_measured(run);
}

void write_outputs(const DeckRun& run) {
  if (run.folder.is_none()) return;
  results::write_json(run.file, run.folder.file(kResultName));
  results::write_csv(run.file, run.folder.file("result.csv"));
}

bool is_whole(const DeckRun& run) {
  const auto rows = run.rows();
  return std::none_of(rows.begin(), rows.end(), [](const results::Result& row) {
    return row.status == results::Status::unmeasured ||
           (row.status == results::Status::valid && !row.reason.empty());
  });
}

void check_rows(const DeckRun& run) {
  const comm::Ranks& ranks = comm::world();
  comm::together(ranks, [&] {
    if (!ranks.first()) return;  // who may not have found what is kept
    const auto rows = run.rows();
    for (const results::Result& row : rows) {
      require(row.status != results::Status::invalid, "{}:{} ({}) is invalid: {}", row.variant,
              row.configuration, row.decomposition, row.reason);
      require(row.status != results::Status::unsupported || !asked_by_name(run.patterns, row),
              "{}:{} ({}) was requested by name but is unsupported: {}", row.variant,
              row.configuration, row.decomposition, row.reason);
    }
    require(rows.empty() || std::any_of(rows.begin(), rows.end(),
                                        [](const results::Result& row) {
                                          return row.status != results::Status::unsupported;
                                        }),
            "none of the selected configurations can run here: {}", rows.front().reason);
  });
}

}  // namespace tessera
