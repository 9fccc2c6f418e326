// SPDX-License-Identifier: Apache-2.0
#include "study/suite.hpp"

#include "io/atomic_file.hpp"
#include "io/deck.hpp"
#include "io/json_file.hpp"
#include "results/result.hpp"
#include "study/output_files.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

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
  require(resumed, "{} holds a study that began {}: --resume goes on with it, -o keeps it apart",
          path.parent_path().string(), io::value_or(earlier, "begun", std::string("earlier")));
  return earlier;
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
  for (const SuiteRun& run : suite.runs) {
    nlohmann::json entry = {{"name", run.name},       {"deck", run.deck},
                            {"set", run.set},         {"variants", run.variants},
                            {"exclude", run.exclude}, {"status", "waiting"}};
    for (const nlohmann::json& old :
         earlier.is_null() ? nlohmann::json::array() : earlier["runs"]) {
      if (io::value_or(old, "name", std::string()) == run.name) entry = old;
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
