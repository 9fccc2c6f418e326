// SPDX-License-Identifier: Apache-2.0
// Files besides the deck that `tessera run` sets its results against: a machine file, counters of
// an earlier run, a published table.
#pragma once

#include "base/io/deck.hpp"
#include "program/predict/kernel.hpp"
#include "program/results/machine_file.hpp"
#include "program/results/published.hpp"
#include "program/results/result.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// A machine file and what it says; no path: none was named.
struct StoredMachine {
  std::string path;
  machine::Machine machine;

  /// Its update bandwidth, else its triad, else its copy; 0 where no file was named.
  [[nodiscard]] double bandwidth_gb_per_s() const {
    return machine.update_gb_per_s.value_or(
        machine.triad_gb_per_s.value_or(machine.copy_gb_per_s.value_or(0)));
  }
};

/// The kind of this machine in files: "cpu" or "gpu".
[[nodiscard]] const char* kind_here();

/// Throws Error where a file that says what this machine is or does is of the other kind. Old
/// files without a kind (`kind` empty) are accepted.
void require_kind_here(const std::string& kind, const std::string& path);

/// The machine file of the option, else of the deck's measure.machine. Throws Error where it is of
/// the other kind of machine.
[[nodiscard]] StoredMachine read_stored_machine(const io::Deck& deck, const std::string& option);

/// This machine as the traffic model needs it: its file with today's copy bandwidth, or else what a
/// second of measuring gives.
[[nodiscard]] model::MachineModel model_of_this_machine(const StoredMachine& stored,
                                                        const machine::StreamRates& now);

/// One line on stderr where this machine's memory is slower today than its file says.
void warn_of_shortfall(const StoredMachine& stored, const machine::StreamRates& now);

/// An earlier result file whose counters are taken over; no path: none was named.
struct StoredCounters {
  std::string path;
  std::vector<results::Result> rows;
};

/// The result file of the option, else of the deck's measure.counters. Throws Error where it holds
/// no counters or is of the other kind of machine.
[[nodiscard]] StoredCounters read_stored_counters(const io::Deck& deck, const std::string& option);

/// Counters of the same configurations of the same problem (stencil, model, details) in another
/// run, also of another size: volumes a cell are the kernel's, not the run's. One line on stderr
/// where a file is named and no valid row finds its counters there.
void take_counters(std::vector<results::Result>& results, const StoredCounters& stored);

/// The published table of the deck's output.published, if it names one.
[[nodiscard]] std::optional<results::Published> read_deck_published(const io::Deck& deck);

/// A roofline whose peak is not set: the streams' best, and the machine file's L2 cache.
[[nodiscard]] results::Roofline roofline_of(const machine::StreamRates& streams,
                                            const StoredMachine& stored,
                                            const std::string& precision);

}  // namespace tessera
