// SPDX-License-Identifier: Apache-2.0
// A deck as `tessera run` and `tessera study` carry it out: read whole, then measured.
#pragma once

#include "base/case/catalogue.hpp"
#include "base/io/deck.hpp"
#include "base/io/run_folder.hpp"
#include "base/support/error.hpp"
#include "base/support/progress.hpp"
#include "program/predict/inputs.hpp"
#include "program/run/run.hpp"

#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tessera {

/// Options of the command line beside the deck. Empty texts and lists leave it to the deck.
struct RunRequest {
  std::vector<std::string> variants;  ///< instead of select.variants
  std::vector<std::string> exclude;   ///< besides select.exclude
  std::string folder;  ///< of the results; empty: the deck's, or out/DECK-PLATFORM-DATE
  std::string machine, counters, tuned;
  std::string platform;   ///< name of this machine in the file
  std::string transport;  ///< instead of parallel.transport
  std::string command_line;
  bool measures = true;            ///< memory must suffice, a folder is made; no for a dry run
  bool prints_json = false;        ///< a folder is made only where one is named or resumed
  bool profile = false;            ///< for a profiler: nothing is checked at run size
  bool stored_roofs = false;       ///< roofs of the machine file: nothing is measured for them
  bool resume = false;             ///< keep what an earlier run finished
  bool follows_own = false;        ///< one of ours came just before: the machine's load is ours
  std::optional<double> budget_s;  ///< begin nothing after these seconds
  std::FILE* talk = stdout;        ///< where lines for people go
};

/// A case of the deck and the configurations that run on it.
struct Study {
  std::unique_ptr<Case> what;
  std::vector<Selected> selection;
};

/// A deck that was read to its end, with nothing unknown left in it.
struct DeckRun {
  std::vector<Study> studies;
  std::vector<std::string> patterns;  ///< of the selection, in order
  StudyOptions options;
  std::int64_t roofs_bytes = 0;  ///< most that the streams' arrays take
  StoredMachine stored;
  StoredCounters counters;
  std::optional<results::Published> published;
  io::RunFolder folder;         ///< the first rank's, while it measures; none: no files
  results::ResultFile file;     ///< its head; no rows yet
  results::ResultFile earlier;  ///< the run that is resumed, where rows of it are kept
  std::size_t others = 0;       ///< rows of it that are not selected: they stay in the file

  /// The file's rows that are selected. They come first; the others are behind them.
  [[nodiscard]] std::span<const results::Result> rows() const {
    return std::span(file.results).first(file.results.size() - others);
  }
};

/// What must be equal in a run that is continued (run.json): deck (except for its selection, output
/// and number of repetitions), binary, machine, its threads and what they run on, ranks and
/// transport.
[[nodiscard]] nlohmann::json run_identity(const results::ResultFile& file, int ranks,
                                          const std::string& transport);

/// Thrown where the time budget was spent before the first sample: files are left as they were.
class NothingMeasured : public Error {
 public:
  using Error::Error;
};

/// Reads a deck for `request`: cases, selection, measurement, output; makes the folder. Prints a
/// line or two on each case. Throws Error for what is unknown, missing or cannot be had here.
[[nodiscard]] DeckRun read_deck_run(const io::Deck& deck, const RunRequest& request,
                                    const Catalogue& catalogue);

/// Measures: streams, then every case, whose fields are freed when it is done. Rows are kept in
/// `run.file` and, as they come, in the folder's result.json. Rows of an earlier run stay below
/// that run's roofs; where it has them all, its file stands and nothing is measured. Throws
/// Interrupted where nothing was measured before an interrupt, NothingMeasured where the time
/// budget was spent before.
void measure_deck(DeckRun& run, const RunRequest& request, const Catalogue& catalogue,
                  Progress& progress);

/// Writes result.json and result.csv, where there is a folder.
void write_outputs(const DeckRun& run);

/// Whether all selected rows are there with all repetitions.
[[nodiscard]] bool is_whole(const DeckRun& run);

/// Throws Error where a selected row is invalid, where one that was requested by its whole name
/// cannot run here, or where none can.
void check_rows(const DeckRun& run);

}  // namespace tessera
