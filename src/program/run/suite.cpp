// SPDX-License-Identifier: Apache-2.0
#include "program/run/suite.hpp"

#include "base/io/atomic_file.hpp"
#include "base/io/deck.hpp"
#include "base/io/json_file.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"
#include "program/results/result.hpp"
#include "program/run/json_difference.hpp"
#include "program/run/output_files.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

namespace tessera {

namespace fs = std::filesystem;

namespace {

/// The run's result file, its part file and those that they are written as have the name in theirs.
void require_name(const std::string& name, const std::string& where) {
  require(name == file_name_of(name, where),
          "{} = \"{}\": a result file's name has lower-case letters, digits, '-', '.' and '_'",
          where, name);
  require(!name.ends_with(".part"),
          "{} = \"{}\": names with .part are those of files that grow: name the run otherwise",
          where, name);
  require(name != "machine" && name != "manifest",
          "{} = \"{}\": the study itself writes a file of that name", where, name);
}

}  // namespace

Suite read_suite(const fs::path& path) {
  const io::Deck file = io::Deck::from_file(path);
  Suite suite;
  suite.path = path;
  suite.name = file.get("name", path.stem().string().c_str());
  std::set<std::string> names;
  for (const io::Deck& table : file.tables("run")) {
    SuiteRun run;
    run.deck = table.get<std::string>("deck");
    run.folder = path.parent_path();
    run.name = table.get("name", fs::path(run.deck).stem().string().c_str());
    run.set = table.get<std::vector<std::string>>("set", {});
    run.variants = table.get<std::vector<std::string>>("variants", {});
    require(!table.contains("variants") || !run.variants.empty(),
            "{}: an empty list selects no variant; without the key the deck's are run",
            table.where("variants"));
    run.exclude = table.get<std::vector<std::string>>("exclude", {});
    run.on = table.get("on", "");
    if (!run.on.empty()) run.on = table.get_choice("on", "", {"gpu", "cpu"});
    require_name(run.name, table.where("name"));
    require(names.insert(run.name).second, "{}: two runs are called \"{}\": give one a name",
            table.where("name"), run.name);
    suite.runs.push_back(std::move(run));
  }
  file.reject_unknown();
  require(!suite.runs.empty(), "{}: no [[run]] in it", path.string());
  return suite;
}

namespace {

/// Whether an entry of a manifest has what is read of it, in its type.
bool is_entry(const nlohmann::json& run) {
  return run.is_object() && run.contains("name") && run["name"].is_string() &&
         run.contains("status") && run["status"].is_string() &&
         (!run.contains("seconds") || run["seconds"].is_number());
}

/// The manifest of a study that is gone on with; null where there is none.
nlohmann::json read_manifest(const fs::path& path, bool resumed) {
  if (!path_exists(path)) return nullptr;
  nlohmann::json earlier = io::read_json_file(path);
  const bool whole = earlier.is_object() && earlier.contains("schema") &&
                     earlier["schema"] == kStudySchema && earlier.contains("runs") &&
                     earlier["runs"].is_array() && earlier.contains("begun") &&
                     earlier["begun"].is_string() &&
                     std::all_of(earlier["runs"].begin(), earlier["runs"].end(), is_entry);
  require(whole, "{}: is no manifest of a study", path.string());
  require(resumed, "{} holds a study that began {}: --resume continues it, -o keeps it apart",
          path.parent_path().string(), io::value_or(earlier, "begun", std::string("earlier")));
  return earlier;
}

/// Whether a run has left rows in the manifest's folder.
bool has_rows(const fs::path& manifest, const std::string& name) {
  const fs::path path = manifest.parent_path() / (name + ".json");
  return is_plain_file(path) || is_plain_file(io::part_path(path));
}

nlohmann::json entry_of(const SuiteRun& run) {
  return {{"name", run.name},         {"deck", run.deck},       {"set", run.set},
          {"variants", run.variants}, {"exclude", run.exclude}, {"status", "waiting"}};
}

/// What of an entry says how the run is measured.
nlohmann::json settings_of(const nlohmann::json& entry) {
  nlohmann::json out;
  for (const char* key : {"deck", "set", "variants", "exclude"}) {
    out[key] = entry.value(key, nlohmann::json::array());
  }
  return out;
}

/// Throws Error where the manifest at `path` would no longer tell what the rows beside it are:
/// `json` is what it becomes.
void require_same_study(const fs::path& path, const nlohmann::json& earlier,
                        const nlohmann::json& json) {
  const nlohmann::json& now = json["runs"];
  for (const nlohmann::json& old : earlier["runs"]) {
    const std::string name = old["name"];
    if (!has_rows(path, name)) continue;
    require(
        !earlier.contains("build") || !json.contains("build") || earlier["build"] == json["build"],
        "{} is of another binary: {}; -o keeps this study apart", path.string(),
        first_difference(earlier.value("build", nlohmann::json()),
                         json.value("build", nlohmann::json()), "build"));
    const auto same = std::find_if(now.begin(), now.end(),
                                   [&](const nlohmann::json& run) { return run["name"] == name; });
    require(same != now.end(),
            "{} has a run \"{}\" that the suite does not: -o keeps this study apart", path.string(),
            name);
    const std::string differs = first_difference(settings_of(old), settings_of(*same), name);
    require(differs.empty(), "{} is of another suite: {}; -o keeps this study apart", path.string(),
            differs);
  }
}

}  // namespace

Manifest::Manifest(const Suite& suite, nlohmann::json head, fs::path path, bool resumed)
    : json_(std::move(head)), path_(std::move(path)) {
  const nlohmann::json earlier = read_manifest(path_, resumed);
  json_["schema"] = kStudySchema;
  json_["suite"] = suite.name;
  json_["begun"] =
      earlier.is_null() ? results::utc_now() : io::value_or(earlier, "begun", std::string());
  json_["runs"] = nlohmann::json::array();
  for (const SuiteRun& run : suite.runs) json_["runs"].push_back(entry_of(run));
  if (earlier.is_null()) return;
  require_same_study(path_, earlier, json_);
  for (nlohmann::json& entry : json_["runs"]) {
    for (const nlohmann::json& old : earlier["runs"]) {
      const bool same = old["name"] == entry["name"] && settings_of(old) == settings_of(entry);
      if (same) entry = old;
    }
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
