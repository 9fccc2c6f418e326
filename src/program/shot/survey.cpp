// SPDX-License-Identifier: Apache-2.0
#include "program/shot/survey.hpp"

#include "base/comm/agree.hpp"
#include "base/comm/session.hpp"
#include "base/comm/work_queue.hpp"
#include "base/io/atomic_file.hpp"
#include "base/io/json_file.hpp"
#include "base/support/console.hpp"
#include "base/support/duration.hpp"
#include "base/support/error.hpp"
#include "base/support/interrupt.hpp"
#include "base/support/progress.hpp"
#include "program/cli/deck_options.hpp"
#include "program/results/result.hpp"
#include "program/seismic/segy.hpp"
#include "program/shot/identity.hpp"
#include "program/shot/places.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <set>
#include <utility>

namespace tessera::shot {
namespace {

/// Puts places on the grid, named `what` in errors.
class OnGrid {
 public:
  explicit OnGrid(const ShotCase& shot) : shot_(shot) {}

  [[nodiscard]] Station source(const io::Position& at, const std::string& what) {
    const Station station = station_at(shot_.setup, at, shot_.interpolation, what, moved_);
    require_below_surface(shot_.setup, station, what);
    return station;
  }
  [[nodiscard]] Station receiver(const io::Position& at, const std::string& what) {
    return station_at(shot_.setup, at, shot_.interpolation, what, moved_);
  }
  [[nodiscard]] double moved() const { return moved_; }

 private:
  const ShotCase& shot_;
  double moved_ = 0;
};

std::vector<SurveyShot> of_segy(const io::Deck& deck, const io::Deck& table, const ShotCase& shot) {
  const std::filesystem::path path = table.get_path("segy");
  const auto origin = table.get<std::vector<double>>("origin", {0.0, 0.0});
  require(!deck.contains("receivers"),
          "{}: the file gives the receivers: remove [[receivers]] from the deck",
          table.where("segy"));
  const auto moved = [&](const io::Position& at) {
    return io::Position{at.x - origin[0], at.y - origin[1], at.z};
  };
  std::vector<SurveyShot> shots;
  for (const io::SegyShot& one : io::read_segy_geometry(path)) {
    OnGrid grid(shot);
    std::vector<Station> receivers;
    SurveyShot made{one.number,
                    grid.source(moved(one.source),
                                fmt::format("{}, shot {}, its source", path.string(), one.number)),
                    nullptr};
    const std::string what = fmt::format("{}, shot {}, a receiver", path.string(), one.number);
    for (const io::Position& at : one.receivers) {
      receivers.push_back(grid.receiver(moved(at), what));
    }
    made.receivers = std::make_shared<std::vector<Station>>(std::move(receivers));
    made.moved_m = grid.moved();
    shots.push_back(std::move(made));
  }
  return shots;
}

/// Whether a place lies in the inner region as seen from above, apart from rounding.
bool is_inside(const acoustic::Setup& s, const io::Position& at) {
  const Box inner = inner_box(s.n, s.layers());
  const auto fits = [](double cell, int cells) {
    return cell >= -kPlaceTie && cell <= cells - 1 + kPlaceTie;
  };
  return fits(at.x / s.h[0], inner.nx()) && fits(at.y / s.h[1], inner.ny());
}

std::vector<SurveyShot> of_places(const io::Deck& deck, const io::Deck& table,
                                  const ShotCase& shot) {
  std::vector<NamedPlaces> spread;
  for (const io::Deck& line : deck.tables("receivers")) spread.push_back(read_places(line));
  const NamedPlaces sources = read_places(table);
  const bool moving = table.get("spread", "fixed") == std::string("moving");
  require(sources.at.size() < 1000000, "{}: more than 999,999 shots", sources.where);
  // What lies where a source is, "moving", or everywhere.
  const auto receivers_at = [&](const io::Position* source, OnGrid& grid) {
    auto receivers = std::make_shared<std::vector<Station>>();
    for (const NamedPlaces& line : spread) {
      for (io::Position at : line.at) {
        if (source != nullptr) {
          at.x += source->x;
          at.y += source->y;
          if (!is_inside(shot.setup, at)) continue;
        }
        receivers->push_back(grid.receiver(at, line.where));
      }
    }
    return receivers;
  };
  std::size_t places = 0;
  for (const NamedPlaces& line : spread) places += line.at.size();
  constexpr std::size_t kMost = 1 << 24;
  require(!moving || places * sources.at.size() <= kMost,
          "{}: {} shots with {} moving receivers are more than {} places", sources.where,
          sources.at.size(), places, kMost);
  OnGrid everywhere(shot);
  const auto fixed = moving ? nullptr : receivers_at(nullptr, everywhere);
  std::vector<SurveyShot> shots;
  for (const io::Position& source : sources.at) {
    OnGrid grid(shot);
    SurveyShot made{static_cast<int>(shots.size()) + 1, grid.source(source, sources.where),
                    moving ? receivers_at(&source, grid) : fixed};
    made.moved_m = std::max(grid.moved(), everywhere.moved());
    made.left_out = places - made.receivers->size();
    shots.push_back(std::move(made));
  }
  return shots;
}

}  // namespace

std::string Survey::name_of(const SurveyShot& shot) {
  return fmt::format("shot-{:04}", shot.number);
}

Survey read_survey(const io::Deck& deck, const ShotCase& shot) {
  const std::vector<io::Deck> tables = deck.tables("survey");
  require(tables.size() == 1, "{}: a survey requires one table [survey]", deck.name());
  require(shot.sources.size() == 1,
          "{}: a survey requires one [[source]], whose wavelet all shots have", deck.name());
  const io::Deck& table = tables.front();
  Survey survey{table.contains("segy") ? of_segy(deck, table, shot) : of_places(deck, table, shot)};
  std::set<int> numbers;
  for (const SurveyShot& one : survey.shots) {
    require(!one.receivers->empty() || shot.snapshot_every > 0, "{}: shot {} records nothing",
            deck.name(), one.number);
    require(numbers.insert(one.number).second,
            "{}: two shots have the number {}: another source place under one field record",
            deck.name(), one.number);
  }
  return survey;
}

void place(const SurveyShot& where, ShotCase& shot) {
  shot.number = where.number;
  shot.sources.front().station = where.source;
  shot.receivers = *where.receivers;
  shot.moved_m = where.moved_m;
}

SurveyGroups read_groups(const io::Deck& deck) {
  const comm::Ranks& world = comm::world();
  const int ranks = deck.get("survey.ranks_per_shot", world.size());
  require(world.size() % ranks == 0, "{} = {}: there {} {} rank{}, no multiple of it",
          deck.where("survey.ranks_per_shot"), ranks, world.alone() ? "is" : "are", world.size(),
          world.alone() ? "" : "s");
  SurveyGroups groups;
  groups.count = world.size() / ranks;
  groups.mine = groups.count == 1 ? world : world.split(world.rank() / ranks);
  groups.leaders = world.split(groups.mine.first() ? 0 : 1);
  return groups;
}

namespace {

/// Where a shot is, apart from rounding, in words that two records can be compared by.
std::string place_text(const SurveyShot& shot) {
  const io::Position& at = shot.source.at;
  return fmt::format("x {:.9g}, y {:.9g}, z {:.9g} m with {} receivers", at.x, at.y, at.z,
                     shot.receivers->size());
}

}  // namespace

nlohmann::json survey_identity(const ShotCase& first, const ShotOutput& output,
                               const Survey& survey) {
  nlohmann::json identity;
  for (const auto& [name, value] : identity_of(first)) {
    if (name == "sources") continue;
    identity[name == "receivers" ? "list of the first shot's receivers" : name] = value;
  }
  const Wavelet& w = first.sources.front().wavelet;
  identity["wavelet"] =
      fmt::format("{}, f_peak {} Hz, t0 {} s, f_max {} Hz", w.name(), w.f_peak, w.t0, w.f_max);
  if (w.samples) identity["samples of the wavelet"] = fmt::format("{:016x}", w.samples->hash);
  identity["amplitude"] = first.sources.front().wavelet.amplitude;
  identity["number of steps"] = first.steps;
  identity["outputs"] = outputs_text(first, output);
  for (const SurveyShot& shot : survey.shots) {
    identity["shot"][fmt::format("{}", shot.number)] = place_text(shot);
  }
  return identity;
}

namespace {

class SurveyRun {
 public:
  SurveyRun(const Survey& survey, ShotCase& shot, const ShotOutput& output, ShotRun how,
            const SurveyGroups& groups, nlohmann::json record)
      : survey_(survey),
        shot_(shot),
        output_(output),
        how_(std::move(how)),
        groups_(groups),
        record_(std::move(record)),
        complete_(survey.shots.size(), false),
        progress_(stdout, kSecondsBetweenLines) {
    how_.last = false;
    record_["schema"] = "tessera-survey-1";
    for (const SurveyShot& one : survey.shots) {
      const io::Position& at = one.source.at;
      record_["shots"].push_back({{"number", one.number},
                                  {"directory", Survey::name_of(one)},
                                  {"x_m", at.x},
                                  {"y_m", at.y},
                                  {"z_m", at.z},
                                  {"receivers", one.receivers->size()},
                                  {"status", "waiting"}});
      if (one.left_out > 0) record_["shots"].back()["receivers_left_out"] = one.left_out;
    }
  }

  SurveyOutcome run();

 private:
  [[nodiscard]] std::vector<std::size_t> find_waiting();
  void shoot(std::size_t shot, comm::WorkQueue& queue);
  void note(std::size_t shot, const std::string& report);
  void write_gathers();
  void write_record();
  [[nodiscard]] std::filesystem::path folder_of(std::size_t shot) const {
    return output_.directory / Survey::name_of(survey_.shots[shot]);
  }

  const Survey& survey_;
  ShotCase& shot_;
  const ShotOutput& output_;
  ShotRun how_;
  const SurveyGroups& groups_;
  nlohmann::json record_;  // survey.json
  std::vector<bool> complete_;
  std::size_t waiting_ = 0, done_ = 0;
  int failed_ = 0;
  std::string unwritten_;  // why the record could not be written
  Progress progress_;
};

void SurveyRun::write_record() {
  record_["date"] = results::utc_now();
  io::write_atomically(output_.directory / "survey.json", io::json_text(record_, 2) + "\n");
}

/// The gathers of all complete shots in one file.
void SurveyRun::write_gathers() {
  std::vector<std::filesystem::path> gathers;
  for (std::size_t i = 0; i < survey_.shots.size(); ++i) {
    if (!complete_[i] || survey_.shots[i].receivers->empty()) continue;
    gathers.push_back(folder_of(i) / "gather.sgy");
  }
  if (gathers.empty() || !output_.segy) return;
  io::merge_segy(output_.directory / "survey.sgy", gathers);
  record_["files"] = {"survey.sgy"};
  write_record();
}

SurveyOutcome SurveyRun::run() {
  const comm::Ranks& world = comm::world();
  std::vector<std::size_t> waiting;
  comm::together(world, [&] {
    if (!world.first()) return;
    waiting = find_waiting();
    write_record();
  });
  waiting_ = waiting.size();
  if (waiting_ < complete_.size()) {
    say("{} of {} shots are complete already\n", complete_.size() - waiting_, complete_.size());
  }
  const comm::Ranks& group = groups_.mine;
  comm::WorkQueue queue(group.first() ? groups_.leaders : comm::Ranks(), std::move(waiting),
                        [&](std::size_t shot, const std::string& report) { note(shot, report); });
  for (;;) {
    constexpr std::uint64_t kNone = UINT64_MAX;
    std::uint64_t next = kNone;
    if (group.first()) {
      if (const auto taken = queue.take()) next = *taken;
    }
    next = group.broadcast(next);
    if (next == kNone) break;
    shoot(next, queue);
  }
  progress_.clear();
  comm::together(world, [&] {
    require(unwritten_.empty(), "{}", unwritten_);
    if (world.first()) write_gathers();
  });
  const auto complete = std::count(complete_.begin(), complete_.end(), true);
  return {static_cast<std::size_t>(complete), failed_};
}

std::vector<std::size_t> SurveyRun::find_waiting() {
  std::vector<std::size_t> waiting;
  for (std::size_t i = 0; i < survey_.shots.size(); ++i) {
    const auto stored = io::read_run_record(folder_of(i));
    complete_[i] = io::value_or(stored, "state", std::string()) == "complete";
    if (complete_[i]) record_["shots"][i]["status"] = "complete";
    if (!complete_[i]) waiting.push_back(i);
  }
  return waiting;
}

void SurveyRun::shoot(std::size_t i, comm::WorkQueue& queue) {
  const SurveyShot& one = survey_.shots[i];
  place(one, shot_);
  how_.progress = [&](double part, const std::string& text) {
    queue.serve();
    // The shots of other groups count when they are complete.
    progress_.update((static_cast<double>(done_) + part) / static_cast<double>(waiting_),
                     fmt::format("shot {} of {}  {}", i + 1, survey_.shots.size(), text));
  };
  if (!comm::world().first()) how_.progress = [](double, const std::string&) {};
  const auto begin = std::chrono::steady_clock::now();
  nlohmann::json report = {{"status", "failed"}, {"reason", ""}};
  try {
    ShotOutput output = output_;
    io::FolderRequest wanted;
    wanted.folder = folder_of(i).string();
    wanted.command = "shot";
    wanted.deck = how_.deck->name();
    wanted.command_line = how_.command_line;
    wanted.resume = true;
    io::RunFolder folder = open_shot_folder(shot_, output, std::move(wanted));
    const ShotOutcome outcome = run_shot(shot_, output, how_, folder).outcome;
    report["status"] = to_string(outcome.status);
    report["reason"] = outcome.reason;
  } catch (const comm::AgreedError& error) {  // of this shot: the disk
    report["reason"] = error.what();
  } catch (const std::exception& error) {
    if (!groups_.mine.alone()) throw;  // the others of the group wait for this rank
    report["reason"] = error.what();
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  report["seconds"] = seconds.count();
  if (groups_.mine.first())
    queue.finish(i, report.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
  if (interrupted()) throw Interrupted{};
}

/// On the first rank, of any group's shot.
void SurveyRun::note(std::size_t i, const std::string& text) {
  const nlohmann::json report = nlohmann::json::parse(text);
  const auto status = report.at("status").get<std::string>();
  const auto reason = report.at("reason").get<std::string>();
  const auto seconds = report.at("seconds").get<double>();
  complete_[i] = status == "complete";
  ++done_;
  progress_.clear();
  nlohmann::json& stored = record_["shots"][i];
  stored["status"] = status;
  stored["seconds"] = seconds;
  if (!reason.empty()) stored["reason"] = reason;
  try {
    write_record();
  } catch (const Error& error) {
    if (comm::world().alone()) throw;
    unwritten_ = error.what();  // reported when no shot is under way
  }
  if (status == "failed") {
    ++failed_;
    warn(fmt::format("shot {} failed: {}", survey_.shots[i].number, reason));
  }
  say("shot {} of {} ({}): {}, {}\n", i + 1, survey_.shots.size(),
      Survey::name_of(survey_.shots[i]), status, duration_text(seconds));
  flush_output();
}

}  // namespace

SurveyOutcome run_survey(const Survey& survey, ShotCase& shot, const ShotOutput& output,
                         ShotRun how, const SurveyGroups& groups, nlohmann::json record) {
  return SurveyRun(survey, shot, output, std::move(how), groups, std::move(record)).run();
}

}  // namespace tessera::shot
