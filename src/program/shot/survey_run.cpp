// SPDX-License-Identifier: Apache-2.0
#include "program/shot/survey_run.hpp"

#include "base/comm/agree.hpp"
#include "base/comm/session.hpp"
#include "base/io/atomic_file.hpp"
#include "base/io/json_file.hpp"
#include "base/support/console.hpp"
#include "base/support/duration.hpp"
#include "base/support/interrupt.hpp"
#include "program/cli/deck_options.hpp"
#include "program/measure/machine_info.hpp"
#include "program/results/result.hpp"
#include "program/shot/record.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <utility>

namespace tessera {

using shot::ShotOutcome;
using shot::ShotOutput;
using shot::Survey;
using shot::SurveyShot;

SurveyGroups read_groups(const io::Deck& deck) {
  const comm::Ranks& world = comm::world();
  const int ranks = deck.get_in("survey.ranks_per_shot", world.size(), 1, 1 << 24);
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

/// Where a shot is, but for rounding, in words that two records can be compared by.
std::string place_text(const SurveyShot& shot) {
  const io::Position& at = shot.source.at;
  return fmt::format("x {:.9g}, y {:.9g}, z {:.9g} m with {} receivers", at.x, at.y, at.z,
                     shot.receivers->size());
}

}  // namespace

nlohmann::json survey_identity(const shot::ShotCase& first, const ShotOutput& output,
                               const Survey& survey) {
  nlohmann::json identity;
  for (const auto& [name, value] : identity_of(first)) {
    if (name == "sources") continue;
    identity[name == "receivers" ? "list of the first shot's receivers" : name] = value;
  }
  const shot::Wavelet& w = first.sources.front().wavelet;
  const char* kind = w.kind == shot::Wavelet::Kind::ricker ? "ricker" : "paper";
  identity["wavelet"] =
      fmt::format("{}, f_peak {} Hz, t0 {} s, f_max {} Hz", kind, w.f_peak, w.t0, w.f_max);
  identity["amplitude"] = first.sources.front().wavelet.amplitude;
  identity["number of steps"] = first.steps;
  identity["outputs"] = outputs_text(first, output);
  for (const SurveyShot& shot : survey.shots) {
    identity["shot"][fmt::format("{}", shot.number)] = place_text(shot);
  }
  return identity;
}

SurveyRecord::SurveyRecord(nlohmann::json head, const Survey& survey, std::filesystem::path path)
    : json_(std::move(head)), path_(std::move(path)) {
  json_["schema"] = kSurveySchema;
  for (const SurveyShot& shot : survey.shots) {
    const io::Position& at = shot.source.at;
    json_["shots"].push_back({{"number", shot.number},
                              {"directory", Survey::name_of(shot)},
                              {"x_m", at.x},
                              {"y_m", at.y},
                              {"z_m", at.z},
                              {"receivers", shot.receivers->size()},
                              {"status", "waiting"}});
    if (shot.left_out > 0) json_["shots"].back()["receivers_left_out"] = shot.left_out;
  }
}

void SurveyRecord::note(std::size_t shot, const std::string& status, const nlohmann::json& more) {
  json_["shots"][shot]["status"] = status;
  if (more.is_object()) json_["shots"][shot].update(more);
  write();
}

void SurveyRecord::write() {
  json_["date"] = results::utc_now();
  io::write_atomically(path_, io::json_text(json_, 2) + "\n");
}

SurveyRun::SurveyRun(const Survey& survey, shot::ShotCase& shot, const ShotOutput& output,
                     ShotRun how, const SurveyGroups& groups, SurveyRecord* record)
    : survey_(survey),
      shot_(shot),
      output_(output),
      how_(std::move(how)),
      groups_(groups),
      record_(record),
      complete_(survey.shots.size(), false),
      progress_(stdout, kSecondsBetweenLines) {
  how_.last = false;
}

void SurveyRun::run() {
  const comm::Ranks& world = comm::world();
  std::vector<std::size_t> waiting;
  comm::together(world, [&] {
    if (world.first()) waiting = find_waiting();
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
  comm::together(world, [&] { require(unwritten_.empty(), "{}", unwritten_); });
}

std::vector<std::size_t> SurveyRun::find_waiting() {
  std::vector<std::size_t> waiting;
  for (std::size_t i = 0; i < survey_.shots.size(); ++i) {
    const auto record = io::read_run_record(output_.directory / Survey::name_of(survey_.shots[i]));
    complete_[i] = io::value_or(record, "state", std::string()) == "complete";
    if (complete_[i]) {
      record_->note(i, "complete", {});
    } else {
      waiting.push_back(i);
    }
  }
  return waiting;
}

void SurveyRun::shoot(std::size_t i, comm::WorkQueue& queue) {
  const SurveyShot& one = survey_.shots[i];
  shot::place(one, shot_);
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
    wanted.folder = (output_.directory / Survey::name_of(one)).string();
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
  nlohmann::json more = {{"seconds", seconds}};
  if (!reason.empty()) more["reason"] = reason;
  try {
    record_->note(i, status, more);
  } catch (const Error& error) {
    if (comm::world().alone()) throw;
    unwritten_ = error.what();  // told when no shot is under way
  }
  if (status == "failed") {
    ++failed_;
    warn(fmt::format("shot {} failed: {}", survey_.shots[i].number, reason));
  }
  say("shot {} of {} ({}): {}, {}\n", i + 1, survey_.shots.size(),
      Survey::name_of(survey_.shots[i]), status, duration_text(seconds));
  flush_output();
}

}  // namespace tessera
