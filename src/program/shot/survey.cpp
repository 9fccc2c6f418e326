// SPDX-License-Identifier: Apache-2.0
#include "program/shot/survey.hpp"

#include "base/support/error.hpp"
#include "program/seismic/segy_survey.hpp"
#include "program/shot/places.hpp"

#include <algorithm>
#include <set>

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
  require(origin.size() == 2, "{}: two numbers x, y are required", table.where("origin"));
  require(!deck.contains("receivers"),
          "{}: the file says where the receivers are, and the deck has [[receivers]] too",
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

/// Whether a place lies in the inner region as seen from above, but for rounding.
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
  const bool moving = table.get_choice("spread", "fixed", {"fixed", "moving"}) == "moving";
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

}  // namespace tessera::shot
