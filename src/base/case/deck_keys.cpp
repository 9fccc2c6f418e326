// SPDX-License-Identifier: Apache-2.0
#include "base/case/deck_keys.hpp"

#include "base/case/case.hpp"
#include "base/support/error.hpp"

#include <algorithm>
#include <array>

namespace tessera {
namespace {

using keys::any, keys::at_least, keys::between, keys::fetched, keys::key, keys::one_of;

constexpr double kMostCells = 1 << 20;
constexpr double kLeastRoofsBytes = 3 * (64 << 20);
constexpr double kMostSteps = static_cast<double>(std::int64_t{1} << 40);

const keys::KeyTable<CaseKeys>& case_table() {
  using Whole = std::int64_t;
  const char* study = "run tune predict list";
  static const keys::KeyTable<CaseKeys> table(
      {.name = "case", .meaning = "The case", .is_required = true, .readers = study},
      {fetched<std::string, CaseKeys>("family", any(), "", "What is computed", "\"acoustic\"")
           .read_by(std::string(study) + " fit"),
       fetched<std::vector<std::string>, CaseKeys>(
           "stencil", any(), "",
           "The operator: iso25 (acoustic), x-r4, xyz-r8 ... (directional: directions x, y, z, xy, "
           "xyz, radius 1 to 8), 7pt-1, 7pt-2, 7pt-3, 19pt (low_order), 37pt, 73pt (ete), j2d5pt, "
           "j3d7pt ... (jacobi); or a list, to compare in one run")
           .usually("the family's first")
           .read_by(std::string(study) + " fit"),
       fetched<Whole, CaseKeys>("nx", between(1, kMostCells), "",
                                "Cells along x (contiguous), PML layers included, boundary values "
                                "not")
           .required(),
       fetched<Whole, CaseKeys>("ny", between(1, kMostCells), "", "Cells along y").required(),
       fetched<Whole, CaseKeys>("nz", between(1, kMostCells), "", "Cells along z (slowest)")
           .usually("1 in two dimensions"),
       fetched<Whole, CaseKeys>("steps", between(1, kMostSteps), "",
                                "Time steps of one repetition, from the initial data"),
       key("precision", &CaseKeys::precision, one_of({"float", "double"}), "",
           "Precision of all fields")
           .usually("float; low_order and jacobi: double"),
       key("init", &CaseKeys::init, one_of({"zero", "random", "constant"}), "",
           "Initial data: zero or random (acoustic, ete), random or constant (jacobi)")
           .usually("zero; ete and jacobi: random"),
       key("seed", &CaseKeys::seed, any(), "", "Seed of random initial data")});
  return table;
}

const keys::Table& select_table() {
  using Names = std::vector<std::string>;
  static const keys::KeyTable<keys::Nothing> table(
      {.name = "select",
       .meaning = "Which variants and configurations",
       .readers = "run tune predict"},
      {fetched<Names>("variants", any(), "",
                      "Globs over family/variant:configuration; without a colon all "
                      "configurations. -v replaces it")
           .usually("all of the family")
           .read_by("run tune predict list"),
       fetched<Names>("exclude", any(), "", "Globs to leave out. -x adds to it").or_none()});
  return table.table();
}

const keys::KeyTable<RunKeys>& measure_table() {
  static const keys::KeyTable<RunKeys> table(
      {.name = "measure", .meaning = "How it is measured", .readers = "run"},
      {key("warmup_s", &RunKeys::warmup_s, between(0, 3600), "s",
           "For each configuration, at least one step: longer than the clock's ramp")
           .read_by("run tune"),
       key("repetitions", &RunKeys::repetitions, between(5, 1 << 20), "",
           "Samples, taken in turn over all configurations"),
       key("roofs_bytes", &RunKeys::roofs_bytes,
           between(kLeastRoofsBytes, static_cast<double>(std::int64_t{1} << 50)), "B",
           "Of hosts: most memory for the three arrays that measure its bandwidth (each 4 times "
           "the last cache, at least 64 MiB)"),
       fetched<std::string, RunKeys>(
           "machine", any(), "",
           "Machine file of this machine: a warning where today's triad is more than 5 % under "
           "its. --machine replaces it"),
       fetched<std::string, RunKeys>(
           "counters", any(), "",
           "Result file whose rows tools/counters.py filled: volumes of the same configurations "
           "are taken over. --counters replaces it"),
       fetched<std::string, RunKeys>("registers", any(), "",
                                     "The device compiler's table (ci/resources.sh)"),
       fetched<bool, RunKeys>("verify_at_size", any(), "",
                              "Compare one step at this size before timing", "true")
           .read_by("run tune")});
  return table;
}

const keys::KeyTable<comm::ParallelOptions>& parallel_table() {
  using comm::ParallelOptions;
  static const keys::KeyTable<ParallelOptions> table(
      {.name = "parallel", .meaning = "Of several ranks (mpirun)", .readers = "run shot survey"},
      {fetched<std::vector<std::int64_t>, ParallelOptions>(
           "ranks", between(1, kMostCells), "",
           "Ranks along x, y and z, [1, 1, 4]; their product is the number that was started")
           .list_of(3)
           .usually("the cheapest grid"),
       key("transport", &ParallelOptions::transport, one_of(comm::transport_names()), "",
           "Transport of halos"),
       key("overlap", &ParallelOptions::overlap, any(), "",
           "Exchange halos while the cells that read none are computed")
           .read_by("run predict shot survey")});
  return table;
}

const keys::KeyTable<RunKeys>& output_table() {
  static const keys::KeyTable<RunKeys> table(
      {.name = "output", .meaning = "What is written", .readers = "run"},
      {fetched<std::string, RunKeys>(
           "directory", any(), "",
           "Folder of the results, which the run makes, relative to where the command runs. -o "
           "replaces it")
           .usually("out/DECK-PLATFORM-DATE")
           .read_by("run tune shot survey"),
       fetched<std::string, RunKeys>("json", any(), "", "").gone(kFolderInstead),
       fetched<std::string, RunKeys>("csv", any(), "", "").gone(kFolderInstead),
       fetched<std::string, RunKeys>(
           "published", any(), "",
           "Published table (inputs/published), whose columns are set beside the measured ones")
           .read_by("run predict list"),
       key("redact", &RunKeys::redact, any(), "", "Leave the host's name out")
           .read_by("run tune shot survey")});
  return table;
}

}  // namespace

const std::vector<keys::Table>& shared_tables() {
  static const std::vector<keys::Table> tables = {case_table().table(), select_table(),
                                                  measure_table().table(), parallel_table().table(),
                                                  output_table().table()};
  return tables;
}

const keys::Table& shared_table(const std::string& name) {
  return *std::find_if(shared_tables().begin(), shared_tables().end(),
                       [&](const keys::Table& table) { return table.name == name; });
}

std::string read_stencil(const io::Deck& deck, const std::vector<std::string>& stencils) {
  const std::string& first = stencils.front();
  const std::string family = first.substr(0, first.find('/') + 1);
  std::vector<std::string> names = stencils;
  for (const std::string& full : stencils) names.push_back(full.substr(family.size()));
  keys::check_value(deck, "case.stencil", {.name = "stencil", .values = one_of(names)});
  const auto name = deck.get<std::string>("case.stencil", first);
  return name.find('/') == std::string::npos ? family + name : name;
}

CaseKeys read_case(const io::Deck& deck, const CaseDefaults& usual) {
  CaseKeys made;
  made.precision = usual.precision;
  if (!usual.inits.empty()) made.init = usual.inits.front();
  case_table().read(deck, made);
  made.stencil = read_stencil(deck, usual.stencils);
  require(!usual.inits.empty() || !deck.contains("case.init"),
          "{}: the initial data of {} is always random", deck.where("case.init"), made.stencil);
  keys::check_value(deck, "case.init", {.name = "init", .values = one_of(usual.inits)});
  made.verify_at_size = deck.get("measure.verify_at_size", true);
  return made;
}

RunKeys read_run(const io::Deck& deck) {
  RunKeys made;
  measure_table().read(deck, made);
  output_table().read(deck, made);
  return made;
}

comm::ParallelOptions read_parallel(const io::Deck& deck) {
  comm::ParallelOptions options;
  parallel_table().read(deck, options);
  if (!deck.contains("parallel.ranks")) return options;
  const auto parts = deck.get<std::vector<std::int64_t>>("parallel.ranks");
  options.parts.emplace();
  for (std::size_t a = 0; a < 3; ++a) (*options.parts)[a] = static_cast<int>(parts[a]);
  return options;
}

Extents read_extents(const io::Deck& deck, int dims) {
  CaseKeys checked;
  case_table().read(deck, checked);
  const auto cells = [&](const char* key) { return static_cast<int>(deck.get<std::int64_t>(key)); };
  const int nz = dims == 2 && !deck.contains("case.nz") ? 1 : cells("case.nz");
  return {nz, cells("case.ny"), cells("case.nx")};
}

}  // namespace tessera
