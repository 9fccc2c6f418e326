// SPDX-License-Identifier: Apache-2.0
#include "study/suite.hpp"

#include "io/atomic_file.hpp"
#include "io/deck.hpp"
#include "results/result.hpp"
#include "study/output_files.hpp"
#include "support/error.hpp"

#include <fmt/core.h>

#include <set>
#include <utility>

namespace tessera {

namespace fs = std::filesystem;

Suite read_suite(const fs::path& path) {
  const io::Deck file = io::Deck::from_file(path);
  Suite suite;
  suite.path = path;
  suite.name = file.get("name", path.stem().string().c_str());
  std::set<std::string> names;
  for (const io::Deck& table : file.tables("run")) {
    SuiteRun run;
    run.deck = table.get<std::string>("deck");
    run.name = table.get("name", fs::path(run.deck).stem().string().c_str());
    run.set = table.get<std::vector<std::string>>("set", {});
    run.variants = table.get<std::vector<std::string>>("variants", {});
    run.exclude = table.get<std::vector<std::string>>("exclude", {});
    run.on = table.get_choice("on", "", {"", "gpu", "cpu"});
    require(!run.name.empty() && run.name == file_name_of(run.name),
            "{} = \"{}\": a result file's name has lower-case letters, digits, '-', '.' and '_'",
            table.where("name"), run.name);
    require(run.name != "machine" && run.name != "manifest",
            "{} = \"{}\": the study itself writes a file of that name", table.where("name"),
            run.name);
    require(names.insert(run.name).second, "{}: two runs are called \"{}\": give one a name",
            table.where("name"), run.name);
    suite.runs.push_back(std::move(run));
  }
  file.reject_unknown();
  require(!suite.runs.empty(), "{}: no [[run]] in it", path.string());
  return suite;
}

Manifest::Manifest(const Suite& suite, nlohmann::json head, fs::path path)
    : json_(std::move(head)), path_(std::move(path)) {
  json_["schema"] = kStudySchema;
  json_["suite"] = suite.name;
  json_["begun"] = measure::utc_now();
  json_["runs"] = nlohmann::json::array();
  for (const SuiteRun& run : suite.runs) {
    json_["runs"].push_back({{"name", run.name},
                             {"deck", run.deck},
                             {"set", run.set},
                             {"variants", run.variants},
                             {"exclude", run.exclude},
                             {"status", "waiting"}});
  }
}

void Manifest::note(std::size_t index, const std::string& status, const nlohmann::json& more) {
  nlohmann::json& run = json_["runs"].at(index);
  run["status"] = status;
  if (more.is_object()) run.update(more);
  json_["date"] = measure::utc_now();
  io::write_atomically(path_,
                       json_.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace tessera
