// SPDX-License-Identifier: Apache-2.0
#include "program/run/suite.hpp"

#include "base/io/atomic_file.hpp"
#include "base/io/deck.hpp"
#include "base/io/json_file.hpp"
#include "base/io/run_folder.hpp"
#include "base/keys/table.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"
#include "program/cli/schemas.hpp"
#include "program/results/result.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

namespace tessera {

namespace fs = std::filesystem;

namespace {

/// The run's folder has the name.
void require_name(const std::string& name, const std::string& where) {
  require(name == io::file_name_of(name, where),
          "{} = \"{}\": a name has lower-case letters, digits, '-', '.' and '_'", where, name);
  for (const char* own : {"machine.json", "manifest.json", "run.json", "log.txt"}) {
    require(name != own, "{} = \"{}\": the study itself writes a file of that name", where, name);
  }
}

}  // namespace

namespace {

const keys::KeyTable<SuiteRun>& run_keys() {
  using keys::any, keys::key, keys::one_of;
  static const keys::KeyTable<SuiteRun> table(
      {.name = "run", .meaning = "A deck of the study", .is_list = true, .is_required = true},
      {key("deck", &SuiteRun::deck, any(), "", "Beside the suite or among the inputs").required(),
       key("name", &SuiteRun::name, any(), "", "Name of its folder").usually("the deck's"),
       key("set", &SuiteRun::set, any(), "", "Overrides, as --set").or_none(),
       key("variants", &SuiteRun::variants, any(), "", "As -v").usually("the deck's"),
       key("exclude", &SuiteRun::exclude, any(), "", "As -x").or_none(),
       key("on", &SuiteRun::on, one_of({"gpu", "cpu"}), "", "Run only on this kind of machine")});
  return table;
}

const keys::Form& suite_form() {
  static const keys::Form form{
      "suite",
      "Tessera suite",
      "The decks of one study: tessera study SUITE, in TOML (docs/studies.md)",
      {{.name = "",
        .keys = {keys::fetched<std::string>("name", {}, "",
                                            "Name of the study, and of its usual folder")
                     .usually("the file's")
                     .key}},
       run_keys().table()}};
  return form;
}

}  // namespace

nlohmann::ordered_json suite_schema(const Catalogue& /*catalogue*/) {
  return keys::schema_of(suite_form());
}

Suite read_suite(const fs::path& path) {
  const io::Deck file = io::Deck::from_file(path);
  keys::check_deck(file, suite_form(), "study");
  Suite suite;
  suite.path = path;
  suite.name = file.get("name", path.stem().string().c_str());
  std::set<std::string> names;
  for (const io::Deck& table : file.tables("run")) {
    SuiteRun run;
    run_keys().read(table, run);
    run.folder = path.parent_path();
    if (!table.contains("name")) run.name = fs::path(run.deck).stem().string();
    require_name(run.name, table.where("name"));
    require(names.insert(run.name).second, "{}: two runs are called \"{}\": give one a name",
            table.where("name"), run.name);
    suite.runs.push_back(std::move(run));
  }
  require(!suite.runs.empty(), "{}: no [[run]] in it", path.string());
  return suite;
}

namespace {

nlohmann::json entry_of(const SuiteRun& run) {
  return {{"name", run.name},         {"deck", run.deck},       {"set", run.set},
          {"variants", run.variants}, {"exclude", run.exclude}, {"status", "waiting"}};
}

/// What of an entry says which run it is and how it is measured.
nlohmann::json settings_of(const nlohmann::json& entry) {
  nlohmann::json out;
  for (const char* key : {"name", "deck", "set", "variants", "exclude"}) {
    out[key] = entry.value(key, nlohmann::json());
  }
  return out;
}

/// The manifest of an earlier part of the study; null where there is none that can be read.
nlohmann::json read_earlier(const fs::path& path) {
  if (!path_exists(path)) return nullptr;
  const nlohmann::json earlier = io::read_json_file(path);
  const nlohmann::json runs = io::value_or(earlier, "runs", nlohmann::json::array());
  const bool whole = io::value_or(earlier, "schema", std::string()) == kStudySchema &&
                     std::all_of(runs.begin(), runs.end(), [](const nlohmann::json& run) {
                       return !io::value_or(run, "status", std::string()).empty();
                     });
  require(whole, "{}: not the manifest of a study ({})", path.string(), kStudySchema);
  return earlier;
}

}  // namespace

Manifest::Manifest(const Suite& suite, nlohmann::json head, fs::path path)
    : json_(std::move(head)), path_(std::move(path)) {
  const nlohmann::json earlier = read_earlier(path_);
  json_["schema"] = kStudySchema;
  json_["suite"] = suite.name;
  json_["begun"] = io::value_or(earlier, "begun", results::utc_now());
  json_["runs"] = nlohmann::json::array();
  for (const SuiteRun& run : suite.runs) {
    nlohmann::json entry = entry_of(run);
    for (const nlohmann::json& old : io::value_or(earlier, "runs", nlohmann::json::array())) {
      if (settings_of(old) == settings_of(entry)) entry = old;
    }
    json_["runs"].push_back(std::move(entry));
  }
}

std::string Manifest::status(std::size_t index) const {
  return json_["runs"].at(index).at("status").get<std::string>();
}

double Manifest::seconds(std::size_t index) const {
  return io::value_or(json_["runs"].at(index), "seconds", 0.0);
}

void Manifest::note(std::size_t index, const std::string& status, const nlohmann::json& more) {
  nlohmann::json& run = json_["runs"].at(index);
  run.erase("reason");
  run["status"] = status;
  if (more.is_object()) run.update(more);
  json_["date"] = results::utc_now();
  io::write_atomically(path_, io::json_text(json_, 2) + "\n");
}

}  // namespace tessera
