// SPDX-License-Identifier: Apache-2.0
#include "program/cli/study_keys.hpp"

#include "base/case/case.hpp"
#include "base/support/console.hpp"
#include "program/measure/streams.hpp"
#include "program/measure/timing.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>

namespace tessera {
namespace {

/// A key and the check of its value.
struct PassedKey {
  const char* key;
  void (*check)(const io::Deck& deck, const char* key);
};

void check_text(const io::Deck& deck, const char* key) {
  static_cast<void>(deck.get<std::string>(key));
}
void check_texts(const io::Deck& deck, const char* key) {
  static_cast<void>(deck.get<std::vector<std::string>>(key));
}
void check_choice(const io::Deck& deck, const char* key) { static_cast<void>(deck.get<bool>(key)); }
void check_warmup(const io::Deck& deck, const char* key) {
  static_cast<void>(deck.get_in(key, 0.0, 3600.0));
}
void check_repetitions(const io::Deck& deck, const char* key) {
  static_cast<void>(deck.get_in(key, measure::kMinRepetitions, 1 << 20));
}
void check_roofs(const io::Deck& deck, const char* key) {
  static_cast<void>(deck.get_in(key, measure::kLeastRoofsBytes, measure::kMostRoofsBytes));
}
void check_parallel(const io::Deck& deck, const char* /*key*/) {
  static_cast<void>(read_parallel(deck));
}
void check_cells(const io::Deck& deck, const char* key) {
  static_cast<void>(deck.get_in<std::int64_t>(key, 1, 1 << 20));
}
void check_steps(const io::Deck& deck, const char* key) {
  static_cast<void>(deck.get_in<std::int64_t>(key, 1, std::int64_t{1} << 40));
}
void check_seed(const io::Deck& deck, const char* key) {
  static_cast<void>(deck.get<std::int64_t>(key));
}
void check_number(const io::Deck& deck, const char* key) {
  static_cast<void>(deck.get<double>(key));
}

const std::vector<PassedKey> kStudyKeys = {
    {"select.variants", check_texts},       {"select.exclude", check_texts},
    {"measure.warmup_s", check_warmup},     {"measure.repetitions", check_repetitions},
    {"measure.machine", check_text},        {"measure.counters", check_text},
    {"measure.registers", check_text},      {"measure.verify_at_size", check_choice},
    {"measure.roofs_bytes", check_roofs},   {"output.directory", check_text},
    {"output.csv", check_choice},           {"output.published", check_text},
    {"output.redact", check_choice},        {"parallel.ranks", check_parallel},
    {"parallel.transport", check_parallel}, {"parallel.overlap", check_parallel},
};

const std::vector<PassedKey> kGridKeys = {
    {"case.family", check_text},    {"case.stencil", check_texts},
    {"case.precision", check_text}, {"case.init", check_text},
    {"case.nx", check_cells},       {"case.ny", check_cells},
    {"case.nz", check_cells},       {"case.steps", check_steps},
    {"case.seed", check_seed},      {"case.duration_s", check_number},
    {"output.segy", check_choice},  {"output.segy_interval_ms", check_number},
};

void pass_over(const std::vector<PassedKey>& keys, const io::Deck& deck, const std::string& command,
               const std::vector<std::string>& used) {
  std::vector<std::string> idle;
  for (const auto& [key, check] : keys) {
    if (!deck.contains(key)) continue;  // which declares it
    check(deck, key);
    const bool is_set = deck.where(key).starts_with("--set ");
    if (is_set && std::find(used.begin(), used.end(), key) == used.end()) idle.emplace_back(key);
  }
  if (idle.empty()) return;
  warn(fmt::format("tessera {} ignores --set {}", command, fmt::join(idle, ", ")));
}

}  // namespace

void pass_over_study_keys(const io::Deck& deck, const std::string& command,
                          const std::vector<std::string>& used) {
  pass_over(kStudyKeys, deck, command, used);
}

void pass_over_grid_keys(const io::Deck& deck, const std::string& command,
                         const std::vector<std::string>& used) {
  pass_over(kGridKeys, deck, command, used);
}

}  // namespace tessera
