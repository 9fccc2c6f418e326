// SPDX-License-Identifier: Apache-2.0
#include "program/compare/collection.hpp"

#include "base/support/error.hpp"
#include "base/support/files.hpp"
#include "base/support/text.hpp"
#include "program/compare/sources.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace tessera::compare {
namespace {

namespace fs = std::filesystem;

/// Older files and published tables do not tell a case's details. Where all that do agree, the
/// others are taken for the same; where they differ those are a problem of their own.
void unify_details(Collection& all) {
  std::map<Problem, std::set<std::string>> known;
  const auto without = [](Problem problem) {
    problem.details.clear();
    return problem;
  };
  for (const Point& p : all.points) {
    if (!p.problem.details.empty()) known[without(p.problem)].insert(p.problem.details);
  }
  for (Point& p : all.points) {
    const auto found = known.find(without(p.problem));
    if (p.problem.details.empty() && found != known.end() && found->second.size() == 1) {
      p.problem.details = *found->second.begin();
    }
  }
}

/// Leaves of rows that a platform has more than once the newest, one of `tune` only where there is
/// no other: its few steps are no figure of a platform.
void keep_newest(Collection& all) {
  using Key = std::tuple<std::size_t, Problem, Size, std::string>;
  std::map<Key, std::size_t> newest;
  std::size_t tuned = 0;  // rows of `tune` that give way
  for (std::size_t i = 0; i < all.points.size(); ++i) {
    const Point& p = all.points[i];
    const auto [at, fresh] = newest.insert({{p.platform, p.problem, p.size, p.full_name()}, i});
    if (fresh) continue;
    const Point& other = all.points[at->second];
    if (p.of_tune != other.of_tune) ++tuned;
    if (std::pair(!p.of_tune, p.date) >= std::pair(!other.of_tune, other.date)) at->second = i;
  }
  const std::size_t before = all.points.size();
  std::vector<std::size_t> kept;
  for (const auto& [key, index] : newest) kept.push_back(index);
  std::sort(kept.begin(), kept.end());
  std::vector<Point> points;
  for (const std::size_t i : kept) points.push_back(std::move(all.points[i]));
  all.points = std::move(points);
  if (before > all.points.size()) {
    all.remarks.push_back(fmt::format("{} rows are there more than once: of each the newest counts",
                                      before - all.points.size()));
    if (tuned > 0) {
      all.remarks.back() += fmt::format("; {} of tune give way to those of run", tuned);
    }
  }
}

/// Published rates become shares of a bound by the least traffic of measured rows alike, on the
/// published machine: that traffic is the stencil's, not the machine's.
void set_published_shares(Collection& all, const std::vector<Roofs>& roofs) {
  for (Point& p : all.points) {
    if (p.share_of_bound || !p.gcell_per_s || !roofs[p.platform].gb_per_s) continue;
    if (!p.bytes_per_cell || !p.flop_per_byte) {
      const auto alike = std::find_if(all.points.begin(), all.points.end(), [&](const Point& q) {
        return q.problem == p.problem && q.bytes_per_cell && q.flop_per_byte;
      });
      if (alike != all.points.end()) {
        p.bytes_per_cell = alike->bytes_per_cell;
        p.flop_per_byte = alike->flop_per_byte;
      }
    }
    p.share_of_bound = roofs[p.platform].share(p);
  }
}

/// "; name its folders: results/a results/b" where there are some.
std::string folders_hint(const fs::path& folder) {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (is_folder(entry.path())) found.push_back(entry.path().string());
  }
  if (found.empty()) return "";
  std::sort(found.begin(), found.end());
  return fmt::format("; name its folders: {}", fmt::join(found, " "));
}

}  // namespace

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string extension = entry.path().extension().string();
    // A run that was killed leaves NAME.part.json: --resume goes on with it.
    const bool part = entry.path().stem().extension() == ".part";
    if (is_plain_file(entry.path()) && !part && (extension == ".json" || extension == ".toml")) {
      found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string to_string(Origin origin) {
  if (origin == Origin::measured) return "measured";
  return origin == Origin::published ? "published" : "predicted";
}

std::string Problem::text() const {
  std::string out = stencil;
  for (const std::string& part : {decomposition, precision, model, details}) {
    if (!part.empty()) out += " " + part;
  }
  return out;
}

std::string Size::grid_text() const {
  if (nx == 0) return "unknown grid";
  return fmt::format("{} x {} x {}", nx, ny, nz);
}

NamedInput split_input(const std::string& input) {
  const std::size_t equals = input.find('=');
  if (equals == std::string::npos || path_exists(input)) return {"", input};
  std::string name = input.substr(0, equals);
  require(!trimmed(name).empty(), "{}: no name before the = ; NAME=PATH gives a platform a name",
          input);
  return {std::move(name), input.substr(equals + 1)};
}

Collection collect(const std::vector<std::string>& inputs, const FindMachine& find_machine) {
  Reader reader(find_machine);
  for (const std::string& input : inputs) {
    const auto [name, path] = split_input(input);
    require(path_exists(path), "{}: there is no such file or folder", path.string());
    if (!is_folder(path)) {
      require(reader.read(path, name),
              "{}: neither a result file, nor a prediction, nor a published table of rates{}",
              path.string(),
              path.extension() == ".toml"
                  ? "; of a deck compare the result: tessera run " + path.string() + " -o FILE"
                  : "");
      continue;
    }
    int taken = 0;
    for (const fs::path& file : files_in(path)) taken += reader.read(file, name) ? 1 : 0;
    require(taken > 0, "{}: no result file, prediction or published table of rates in it{}",
            path.string(), folders_hint(path));
  }
  Collection all = std::move(reader.collection);
  require(!all.points.empty(), "there is nothing to compare: no row in {}",
          fmt::join(inputs, ", "));
  unify_details(all);
  keep_newest(all);
  set_published_shares(all, reader.roofs);
  return all;
}

}  // namespace tessera::compare
