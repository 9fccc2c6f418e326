// SPDX-License-Identifier: Apache-2.0
#include "program/shot/keys.hpp"

#include "base/case/deck_keys.hpp"
#include "program/cli/schemas.hpp"
#include "program/seismic/model_files.hpp"
#include "program/seismic/model_keys.hpp"
#include "program/seismic/segy.hpp"
#include "program/shot/places.hpp"
#include "variants/acoustic/case/case.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace tessera::shot {
namespace {

using keys::any, keys::at_least, keys::between, keys::fetched, keys::key, keys::one_of;

constexpr double kLargestNumber = 1e9;  // m, s or Hz: beyond it a number is a mistake
constexpr double kLowestPeak = 1e-8;    // Hz: t0, 1.2 periods, is then within kLargestNumber
constexpr double kMostSteps = static_cast<double>(std::int64_t{1} << 40);

/// [case] as a study has it, except for what a shot has no choice of.
keys::Table shot_case_table() {
  keys::Table table = shared_table("case");
  table.readers.clear();
  table.alternatives = {{"steps"}, {"duration_s"}};
  std::erase_if(table.keys, [](const keys::Key& one) { return one.name == "seed"; });
  const auto set = [&](const char* name, std::vector<std::string> choices) {
    for (keys::Key& one : table.keys) {
      one.readers.clear();
      if (one.name == "nx" || one.name == "ny" || one.name == "nz") {
        one.is_required = false;
        one.usual = "of a model from a file: what it covers, and the layers";
        one.in_words = true;
      }
      if (one.name != name) continue;
      one.usual = keys::usual_of(choices.front());
      one.in_words = false;
      one.entries = one.fewest = 0;
      one.values = one_of(std::move(choices));
    }
  };
  set("family", {"acoustic"});
  set("stencil", {"iso25", "acoustic/iso25"});
  set("init", {"zero"});
  set("precision", {"float", "double"});
  table.keys.push_back(
      fetched<double>("duration_s", between(0, kLargestNumber), "s",
                      "In place of steps: reached, and passed by what gather.sgy is resampled from")
          .key);
  return table;
}

/// [acoustic] without the medium and the source of a study; decomposition is one.
keys::Table shot_acoustic_table() {
  keys::Table table = acoustic::setup_keys().table();
  std::vector<std::string> names;
  for (const Decomposition kind : kDecompositions) names.emplace_back(to_string(kind));
  for (keys::Key& one : table.keys) {
    if (one.name == "v_max") one.usual = "the model's fastest";
    if (one.name == "f_max") one.usual = "2.5 times the highest f_peak";
    one.in_words = one.in_words || one.name == "v_max" || one.name == "f_max";
  }
  table.keys.push_back(keys::choice("decomposition", &acoustic::Setup::decomposition,
                                    {{"single", Decomposition::single},
                                     {"two", Decomposition::two},
                                     {"seven", Decomposition::seven},
                                     {"two_concurrent", Decomposition::two_concurrent},
                                     {"seven_concurrent", Decomposition::seven_concurrent}},
                                    "Regions of a step")
                           .key);
  return table;
}

/// Keys of a table of places.
std::vector<keys::KeyOf<keys::Nothing>> place_keys() {
  using Numbers = std::vector<double>;
  return {fetched<Numbers>("start", any(), "m", "[x, y] with a depth, or [x, y, z]").list_of(2, 3),
          fetched<Numbers>("end", any(), "m", "Likewise").list_of(2, 3),
          fetched<double>("depth", any(), "m", "Of start and end"),
          fetched<std::array<std::int64_t, 2>>(
              "count", between(1, static_cast<double>(kMostPlaces)), "",
              "Places from start to end, or along a well; [along x, along y]: an areal grid"),
          fetched<std::array<double, 2>>(
              "step", at_least(1e-6), "m",
              "Distance between them, in place of count; [along x, along y]: an areal grid"),
          fetched<Numbers>("x", any(), "m",
                           "Points, or with count or step those that a well goes through"),
          fetched<Numbers>("y", any(), "m", "Likewise; one number holds for all"),
          fetched<Numbers>("z", any(), "m", "Likewise"),
          fetched<std::string>("table", any(), "", "A file of lines x, y, z in m")};
}

const keys::KeyTable<keys::Nothing>& survey_keys() {
  std::vector<keys::KeyOf<keys::Nothing>> all = place_keys();
  all.push_back(
      fetched<std::string>("segy", any(), "", "A SEG-Y file whose headers are the geometry"));
  all.push_back(fetched<std::vector<double>>(
                    "origin", any(), "m",
                    "segy: x, y of the first inner cell in the file's coordinates", "[0, 0]")
                    .list_of(2));
  all.push_back(fetched<std::string>("spread", one_of({"fixed", "moving"}), "",
                                     "Receivers stay, or move with the source", "\"fixed\""));
  all.push_back(fetched<std::int64_t>("ranks_per_shot", between(1, 1 << 24), "",
                                      "Ranks that make a shot together, a divisor of the job's")
                    .usually("all of them"));
  static const keys::KeyTable<keys::Nothing> table(
      {.name = "survey",
       .meaning = "Where the sources of tessera survey are",
       .readers = "survey",
       .alternatives = {{"start"}, {"x", "y", "z"}, {"table"}, {"segy"}}},
      std::move(all));
  return table;
}

}  // namespace

keys::Form shot_form(const Catalogue& catalogue) {
  keys::Form form{
      "shot",
      "Tessera shot deck",
      "A deck of tessera shot and survey, in TOML (docs/shot.md)",
      {shot_case_table(), shot_acoustic_table(), io::model_table(), source_keys().table(),
       receiver_keys().table(), survey_keys().table(), snapshot_keys().table(), shot_keys().table(),
       output_keys().table(), shared_table("parallel")}};
  for (const Family& family : catalogue.families) {
    for (const keys::Table& table : family.tables) {
      if (table.name == "fit") form.add(table);
    }
  }
  for (const char* table : {"select", "measure"}) form.add(keys::passed_over(table, "run"));
  if (form.find("fit") == nullptr) form.add(keys::passed_over("fit", "fit"));
  return form;
}

const keys::KeyTable<Wavelet>& source_keys() {
  static const keys::KeyTable<Wavelet> table(
      {.name = "source", .meaning = "A source", .is_list = true, .is_required = true},
      {fetched<double, Wavelet>("x", any(), "m", "Place; in a survey [survey] gives it"),
       fetched<double, Wavelet>("y", any(), "m", "Likewise"),
       fetched<double, Wavelet>("z", any(), "m", "Likewise"),
       keys::choice("wavelet", &Wavelet::kind,
                    {{"ricker", Wavelet::Kind::ricker},
                     {"paper", Wavelet::Kind::paper},
                     {"seed", Wavelet::Kind::paper},
                     {"file", Wavelet::Kind::file}},
                    "Ricker's, Sai's, or a file's. \"seed\" is the older word for \"paper\""),
       fetched<std::string, Wavelet>("file", any(), "",
                                     "Of wavelet \"file\": CSV, a line time_s,value each sample"),
       key("f_peak", &Wavelet::f_peak, between(kLowestPeak, kLargestNumber), "Hz",
           "Peak of the Ricker wavelet's spectrum")
           .usually("none; ricker requires it"),
       key("t0", &Wavelet::t0, between(-kLargestNumber, kLargestNumber), "s",
           "Time of the wavelet's peak")
           .usually("1.2 / f_peak"),
       key("amplitude", &Wavelet::amplitude, between(-1e38, 1e38), "Pa m",
           "Amplitude of the wavelet")});
  return table;
}

const keys::KeyTable<keys::Nothing>& receiver_keys() {
  static const keys::KeyTable<keys::Nothing> table(
      {.name = "receivers",
       .meaning = "Points, a line, an areal grid, a well, or a file of places",
       .is_list = true,
       .alternatives = {{"start"}, {"x", "y", "z"}, {"table"}}},
      place_keys());
  return table;
}

const keys::KeyTable<ShotCase>& snapshot_keys() {
  static const keys::KeyTable<ShotCase> table(
      {.name = "snapshots", .meaning = "Decimated fields over time"},
      {key("every", &ShotCase::snapshot_every, between(0, kMostSteps), "steps",
           "Time between snapshots; 0: none")
           .required(),
       fetched<std::int64_t, ShotCase>("stride", between(1, 1 << 20), "cells",
                                       "Distance of the cells that are kept, along each axis", "4"),
       keys::choice("format", &ShotCase::snapshot_half, {{"float", false}, {"half", true}},
                    "Of pressures in snapshots.h5: float32, or IEEE half of half the bytes, times "
                    "a power of two that the attribute scale_factor takes back, without XDMF")});
  return table;
}

const keys::KeyTable<ShotCase>& shot_keys() {
  using acoustic::Interpolation;
  static const keys::KeyTable<ShotCase> table(
      {.name = "shot", .meaning = "How the shot runs"},
      {fetched<std::string, ShotCase>("variant", any(), "", "One configuration of tessera list")
           .usually("acoustic/st_reg_fixed:32x16; on a host acoustic/gmem:fullx16xfull"),
       keys::choice("interpolation", &ShotCase::interpolation,
                    {{"sinc", Interpolation::sinc}, {"nearest", Interpolation::nearest}},
                    "Places between the cells: by a windowed sinc, or moved to the nearest cell"),
       fetched<std::int64_t, ShotCase>(
           "checkpoint_every", between(0, kMostSteps), "steps",
           "Time between checkpoints, in steps or such as \"10 min\"; 0: none", "0")
           .or_text(),
       key("accuracy", &ShotCase::accuracy_steps, between(0, kMostSteps), "steps",
           "Of a shot that rounds to 16 bits: its first steps are made as they are, then rounded, "
           "and their traces compared, before it runs; 0: not, or all with --accuracy"),
       key("check_every", &ShotCase::check_every, between(1, kMostSteps), "steps",
           "Time between checks that all values are finite"),
       fetched<std::string, ShotCase>("operator", one_of({"fd", "ete"}), "",
                                      "Inner region: finite differences or an ete stencil",
                                      "\"fd\""),
       fetched<std::string, ShotCase>("ete_stencil", one_of({"37pt", "73pt"}), "",
                                      "Stencil of the operator ete", "\"73pt\""),
       fetched<std::string, ShotCase>("ete_variant", any(), "", "A configuration of family ete")
           .usually("ete/base_simd:32x8x1; on a host ete/base_simd_blocked:fullx16xfull"),
       fetched<std::int64_t, ShotCase>("velocities", between(1, 65536), "", "Bins of the ete table",
                                       "902")});
  return table;
}

const keys::KeyTable<ShotOutput>& output_keys() {
  static const keys::KeyTable<ShotOutput> table(
      {.name = "output", .meaning = "What is written"},
      {fetched<std::string, ShotOutput>(
           "directory", any(), "", "Folder of the shot or survey, which it makes. -o replaces it")
           .usually("out/DECK-PLATFORM-DATE"),
       fetched<std::string, ShotOutput>("json", any(), "", "").gone(kFolderInstead),
       key("csv", &ShotOutput::csv, any(), "", "Write gather.csv"),
       key("segy", &ShotOutput::segy, any(), "", "Write gather.sgy")
           .usually("true where the build has SEG-Y"),
       fetched<double, ShotOutput>("segy_interval_ms",
                                   between(1e-3, io::SegyWriter::kMaxField / 1000.0), "ms",
                                   "Between the samples of gather.sgy, in whole microseconds")
           .usually("4, 2 or 1, the coarsest that holds the wavelet"),
       fetched<bool, ShotOutput>("redact", any(), "", "Leave the host's name out", "false")});
  return table;
}

void check_shot_deck(const io::Deck& deck, const Catalogue& catalogue, const std::string& command) {
  keys::check_deck(deck, shot_form(catalogue), command);
}

}  // namespace tessera::shot

namespace tessera {

nlohmann::ordered_json shot_schema(const Catalogue& catalogue) {
  return keys::schema_of(shot::shot_form(catalogue));
}

}  // namespace tessera
