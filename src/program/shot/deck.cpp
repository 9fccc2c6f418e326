// SPDX-License-Identifier: Apache-2.0
#include "program/shot/deck.hpp"

#include "base/case/deck_keys.hpp"
#include "base/comm/agree.hpp"
#include "base/grid/decomposition.hpp"
#include "base/grid/field.hpp"
#include "base/support/duration.hpp"
#include "base/support/error.hpp"
#include "program/seismic/model_files.hpp"
#include "program/shot/identity.hpp"
#include "program/shot/keys.hpp"
#include "program/shot/output.hpp"
#include "program/shot/places.hpp"
#include "program/shot/ranks.hpp"
#include "program/shot/shot.hpp"
#include "variants/acoustic/case/case.hpp"
#include "variants/acoustic/formula.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::shot {
namespace {

constexpr double kLongest = 1e9;  // m, s or Hz: beyond it a number is a mistake

void read_receivers(const io::Deck& deck, ShotCase& shot) {
  for (const io::Deck& table : deck.tables("receivers")) {
    const NamedPlaces places = read_places(table);
    constexpr std::size_t kMost = 1 << 22;
    require(shot.receivers.size() + places.at.size() <= kMost, "{}: more than {} receivers",
            places.where, kMost);
    for (const io::Position& at : places.at) {
      shot.receivers.push_back(
          station_at(shot.setup, at, shot.interpolation, places.where, shot.moved_m));
    }
  }
}

/// Where a wish of `metres` along an axis (0: z, 1: y, 2: x) lies, in cells from the first of the
/// inner region. Throws Error, beginning with `what`, where that is outside, apart from rounding.
double cells_along(const acoustic::Setup& s, double metres, int axis,
                   acoustic::Interpolation interpolation, const std::string& what) {
  const Box inner = inner_box(s.n, s.layers());
  const int cells[3] = {inner.nz(), inner.ny(), inner.nx()};
  const double h = s.h[static_cast<std::size_t>(2 - axis)];
  const double at =
      interpolation == acoustic::Interpolation::nearest ? std::round(metres / h) : metres / h;
  const double last = cells[axis] - 1;
  require(at >= -kPlaceTie && at <= last + kPlaceTie,
          "{}: {} = {} m lies outside the inner region, which reaches from 0 to {:.12g} m", what,
          "zyx"[axis], metres, last * h);
  return at;
}

/// The wavelets of all sources, whose places come later.
std::vector<ShotSource> read_wavelets(const io::Deck& deck) {
  std::vector<ShotSource> sources;
  for (const io::Deck& table : deck.tables("source")) sources.push_back({{}, read_wavelet(table)});
  require(!sources.empty(), "{}: a shot needs at least one [[source]]", deck.name());
  return sources;
}

/// The deck with a size for each axis: of the grid that fills the model, its layers outside.
io::Deck with_size(io::Deck deck, const io::ModelSource& model, const acoustic::Setup& s) {
  const std::int64_t samples[3] = {model.shape.nx, model.shape.ny, model.shape.nz};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string key = fmt::format("case.n{}", "xyz"[axis]);
    if (deck.contains(key)) continue;
    require(samples[axis] > 1, "{}: {} is missing, and the model has no size along {}: give it",
            deck.name(), key, "xyz"[axis]);
    const double step = model.spacing[axis] > 0 ? model.spacing[axis] : s.h[axis];
    const double length = static_cast<double>(samples[axis] - 1) * step - model.origin[axis];
    require(length >= 0, "{}: the model ends {:g} m before the grid begins: lower it",
            deck.where(fmt::format("model.{}0", "xyz"[axis])), -length);
    const double cells = std::min(std::floor(length / s.h[axis] * (1 + 1e-9)) + 1, 1e9);
    const int layers = axis == 2 && s.free_surface ? 1 : 2;
    deck = deck.with(
        fmt::format("{}={}", key, static_cast<std::int64_t>(cells) + layers * s.pml_cells));
  }
  return deck;
}

void read_sources(const io::Deck& deck, PlacesOf places, ShotCase& shot) {
  const auto tables = deck.tables("source");
  const acoustic::Setup& s = shot.setup;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const io::Deck& table = tables[i];
    ShotSource& source = shot.sources[i];
    source.wavelet.f_max = s.f_max;
    if (places == PlacesOf::survey) continue;
    const io::Position wish{table.get<double>("x"), table.get<double>("y"), table.get<double>("z")};
    const auto key = [&table](const char* axis) { return table.where(axis) + " (source)"; };
    // station_at() has one name for all axes.
    static_cast<void>(cells_along(s, wish.z, 0, shot.interpolation, key("z")));
    static_cast<void>(cells_along(s, wish.y, 1, shot.interpolation, key("y")));
    static_cast<void>(cells_along(s, wish.x, 2, shot.interpolation, key("x")));
    source.station = station_at(s, wish, shot.interpolation, key("x"), shot.moved_m);
    require_below_surface(s, source.station, key("z"));
  }
}

void read_snapshots(const io::Deck& deck, ShotCase& shot) {
  const acoustic::Setup& s = shot.setup;
  const bool wanted = deck.contains("snapshots");
  if (wanted) snapshot_keys().read(deck, shot);
  // Without snapshots: of the model alone (`--model`).
  const auto stride = deck.get<std::int64_t>("snapshots.stride", wanted ? 4 : 1);
  const Box inner = inner_box(s.n, s.layers());
  shot.snapshot_z = io::sample_axis(inner.z0, inner.z1, stride);
  shot.snapshot_y = io::sample_axis(inner.y0, inner.y1, stride);
  shot.snapshot_x = io::sample_axis(inner.x0, inner.x1, stride);
}

void read_variant(const io::Deck& deck, const Registry& registry, ShotCase& shot) {
  const std::string pattern = deck.get(
      "shot.variant", kOnDevice ? "acoustic/st_reg_fixed:32x16" : "acoustic/gmem:fullx16xfull");
  const auto selection = registry.select({pattern});
  require(selection.size() == 1,
          "shot.variant = \"{}\" matches {} configurations; name one, such "
          "as \"{}\"",
          pattern, selection.size(), selection.front().full_name());
  shot.how = selection.front();
  require(shot.how.variant->family == "acoustic", "shot.variant = \"{}\" is not of family acoustic",
          pattern);
  const acoustic::Setup& s = shot.setup;
  Problem problem{"acoustic/iso25", shot.value_bytes()};
  s.describe(problem);
  for (const Region& region : s.regions(s.decomposition)) {
    const Plan plan = shot.how.variant->plan(shot.how.configuration, region, problem);
    require(plan.supported(), "shot.variant = \"{}\" cannot run here: {}", pattern,
            plan.unsupported);
  }
}

void read_operator(const io::Deck& deck, const Registry& registry, ShotCase& shot) {
  if (deck.get("shot.operator", "fd") == "fd") {
    check_ete_keys(deck, registry);
    return;
  }
  const acoustic::Setup& s = shot.setup;
  require(
      s.storage == Storage::plain,
      "shot.operator = \"ete\" reads u as it is: acoustic.storage must be \"plain\", not \"{}\"",
      to_string(s.storage));
  const auto kind = s.decomposition;
  require(kind == Decomposition::two || kind == Decomposition::seven,
          "shot.operator = \"ete\" updates the inner region alone: acoustic.decomposition must be "
          "\"two\" or \"seven\", not \"{}\"",
          to_string(kind));
  const Region inner = decompose(s.n, s.layers(), kind).front();
  shot.inner = read_ete_operator(deck, inner, shot.value_bytes(), registry);
}

CheckpointEvery read_checkpoint_every(const io::Deck& deck) {
  CheckpointEvery every;
  const char* key = "shot.checkpoint_every";
  if (deck.is_text(key)) {
    every.seconds = parse_duration(deck.get<std::string>(key), deck.where(key));
  } else {
    every.steps = deck.get<std::int64_t>(key, 0);
  }
  require(!every.wanted() || io::have_hdf5(),
          "{}: this build has no HDF5 support, which checkpoints need", deck.where(key));
  return every;
}

io::ModelGrid model_grid(const acoustic::Setup& s) {
  return {s.n.nx, s.n.ny, s.n.nz, s.h[0], s.h[1], s.h[2], s.pml_cells, s.free_surface};
}

}  // namespace

double ShotCase::lowest_peak() const {
  double lowest = sources.front().wavelet.peak_frequency();
  for (const auto& source : sources) lowest = std::min(lowest, source.wavelet.peak_frequency());
  return lowest;
}

double ShotCase::highest_frequency() const {
  double highest = setup.f_max;
  for (const ShotSource& source : sources) {
    const Wavelet& w = source.wavelet;
    highest = std::max(highest, w.highest_frequency());
  }
  return highest;
}

double ShotCase::points_per_wavelength() const {
  return v.minimum / setup.f_max / *std::max_element(setup.h.begin(), setup.h.end());
}

double ShotCase::pml_wavelengths() const {
  const double width = setup.pml_cells * *std::min_element(setup.h.begin(), setup.h.end());
  return width * lowest_peak() / v.maximum;
}

double ShotCase::expected_peak() const {
  const auto& h = setup.h;
  double strength = 0;
  for (const ShotSource& source : sources) strength += source.wavelet.strength();
  return acoustic::expected_peak(strength / (h[0] * h[1] * h[2]),
                                 *std::max_element(h.begin(), h.end()),
                                 1);  // (V dt)^2 is in what a source adds, too
}

double ShotCase::cfl_fraction() const { return v.maximum / setup.largest_stable_velocity(); }

Station station_at(const acoustic::Setup& s, const io::Position& place,
                   acoustic::Interpolation interpolation, const std::string& what, double& moved) {
  const Box inner = inner_box(s.n, s.layers());
  const double wish[3] = {place.z, place.y, place.x};
  const int first[3] = {inner.z0, inner.y0, inner.x0};
  std::array<double, 3> at{}, m{};
  Station station;
  for (int d = 0; d < 3; ++d) {
    const double h = s.h[2 - d];
    const double i = cells_along(s, wish[d], d, interpolation, what);
    at[d] = first[d] + i;
    station.cell[d] = static_cast<int>(std::round(at[d]));
    m[d] = i * h;
    moved = std::max(moved, std::abs(m[d] - wish[d]));
  }
  station.at = {m[2], m[1], m[0]};
  station.in_cells = at;
  static_cast<void>(spread_of(s, at, interpolation, what));  // it fits into the grid
  return station;
}

acoustic::Spread spread_of(const ShotCase& shot, const Station& station) {
  return spread_of(shot.setup, station.in_cells, shot.interpolation, "a place");
}

bool on_surface(const acoustic::Setup& s, const Station& place) {
  constexpr double kOnSurface = 1e-6;  // of a cell
  return s.free_surface && place.at.z < kOnSurface * s.h[2];
}

void require_below_surface(const acoustic::Setup& s, const Station& source,
                           const std::string& what) {
  require(!on_surface(s, source),
          "{}: z = {:g} m is on the free surface, where a source radiates nothing", what,
          source.at.z);
}

ShotCase read_shot(const io::Deck& given, const Registry& registry, PlacesOf places) {
  ShotCase shot;
  shot.source_file = io::model_source(given);
  shot.sources = read_wavelets(given);
  double highest = 0;
  for (const ShotSource& source : shot.sources) {
    highest = std::max(highest, source.wavelet.highest_frequency());
  }
  // The layers' width, and with it size and places, depends on the highest frequency.
  shot.setup = acoustic::read_physics(given, highest);
  const io::Deck deck = with_size(given, shot.source_file, shot.setup);
  acoustic::read_grid(deck, shot.setup);
  shot.precision = read_case(deck, {{"acoustic/iso25"}, "float", {"zero"}}).precision;
  require(deck.contains("case.steps") != deck.contains("case.duration_s"),
          "{}: [case] takes either steps or duration_s", deck.name());
  if (deck.contains("case.steps")) {
    shot.steps = deck.get<std::int64_t>("case.steps");
  } else {
    shot.duration_s = deck.get<double>("case.duration_s");
    require(*shot.duration_s >= 0 && *shot.duration_s <= kLongest,
            "{} = {} s is not between 0 and {}", deck.where("case.duration_s"), *shot.duration_s,
            kLongest);
  }
  shot.setup.decomposition = parse_decomposition(deck.get("acoustic.decomposition", "seven"));
  shot.v_max_from_model = !deck.contains("acoustic.v_max");
  shot_keys().read(deck, shot);
  read_sources(deck, places, shot);
  if (places == PlacesOf::deck) read_receivers(deck, shot);
  read_snapshots(deck, shot);
  require(!shot.receivers.empty() || shot.snapshot_every > 0 || places == PlacesOf::survey,
          "{}: neither [[receivers]] nor [snapshots]: nothing would be recorded", deck.name());
  read_variant(deck, registry, shot);
  read_operator(deck, registry, shot);
  shot.checkpoint_every = read_checkpoint_every(deck);
  const Storage storage = shot.setup.storage;
  require(
      !shot.checkpoint_every.wanted() || bytes_beside(storage) == 0,
      "shot.checkpoint_every: a checkpoint has no room for what acoustic.storage = \"{}\" keeps "
      "beside 16 bits; leave it out or choose \"half_difference\"",
      to_string(storage));
  return shot;
}

ShotMemory memory_of(const ShotCase& shot) {
  const Domain own = domain_of(shot);
  const bool first = shot.parallel.ranks.first();
  const bool alone = shot.parallel.ranks.alone();
  const std::int64_t field = field_bytes(own.n(), acoustic::kR, shot.value_bytes());
  const std::int64_t snapshot = shot.snapshot_every == 0 ? 0 : 4 * snapshot_box_of(shot).cells();
  const bool is_float = shot.value_bytes() == 4;
  const auto receivers = static_cast<std::int64_t>(shot.receivers.size());
  // As if this rank had all receivers, and all cells of those that several have.
  const auto crossing = static_cast<std::int64_t>(split_receivers(shot).size());
  const std::int64_t places = receivers + crossing * SplitReceivers<float>::kCells;
  const std::int64_t sums =
      (is_float ? SplitReceivers<float>::memory_bytes : SplitReceivers<double>::memory_bytes)(
          first ? crossing : 0, kReceiverChunk);
  const std::int64_t buffers = snapshot + places * kReceiverChunk * shot.value_bytes() + sums +
                               (is_float ? acoustic::Receivers<float>::memory_bytes
                                         : acoustic::Receivers<double>::memory_bytes)(places);
  ShotMemory memory;
  const auto of_solver = [&](const acoustic::Setup& setup) {
    return is_float ? acoustic::Solver<float>::memory_bytes(setup, shot.parallel)
                    : acoustic::Solver<double>::memory_bytes(setup, shot.parallel);
  };
  acoustic::Setup exact = shot.setup;  // of the shot that is compared with
  if (shot.accuracy_steps > 0) exact.storage = Storage::plain;
  memory.fields = std::max(of_solver(shot.setup), of_solver(exact)) +
                  (alone ? acoustic::fields_of_passes({shot.how}) * field : 0) + buffers +
                  (shot.inner ? shot.inner->memory_bytes(own.n()) : 0);
  // The velocity goes to the device through a host copy of its field.
  memory.file = shot.source_file.bytes_of(model_grid(shot.setup), cell_box(own.box));
  // A checkpoint holds all samples, and so does the first host until the shot is complete.
  constexpr double kMost = 1e18;  // of bytes: what a product of numbers of a deck may pass
  const std::int64_t recorded =
      first && shot.checkpoint_every.wanted()
          ? static_cast<std::int64_t>(std::min(
                kMost, 4.0 * static_cast<double>(shot.steps) * static_cast<double>(receivers)))
          : 0;
  memory.plans = 16 * shot.snapshots();
  // Of a receiver: on the first host samples of a chunk twice; the resampler's ring, a cell of the
  // table, and places in several lists.
  constexpr std::int64_t kListBytes = 420;
  const std::int64_t chunks = first ? 8 * static_cast<std::int64_t>(kReceiverChunk) : 0;
  const std::int64_t gather = receivers * (chunks + kListBytes);
  const std::int64_t compared_steps = std::min(shot.accuracy_steps, shot.steps);
  const std::int64_t compared =  // traces and a copy of the model
      8 * compared_steps * (first ? receivers : 0) + (compared_steps > 0 ? 4 * own.n().cells() : 0);
  memory.staging = gather + compared + memory.plans + 4 * own.n().cells() +
                   (shot.snapshot_half ? snapshot / 2 * 3 : snapshot) + sums + memory.file +
                   recorded + (kOnDevice ? field + buffers : 0);
  return memory;
}

void load_velocity(const io::Deck& deck, ShotCase& shot) {
  acoustic::Setup& s = shot.setup;
  const comm::Ranks& ranks = shot.parallel.ranks;
  const io::CellBox own = cell_box(domain_of(shot).box);
  comm::together(ranks, [&] {
    shot.model = io::load_model(deck, model_grid(s), own);
    shot.v = io::velocity_range(shot.model);
    shot.model_hash = hash_of(shot.model, s.n);
  });
  shot.v = {static_cast<float>(ranks.min(shot.v.minimum)),
            static_cast<float>(ranks.max(shot.v.maximum))};
  shot.model_hash = comm::wrapping_sum(ranks, shot.model_hash);
  if (shot.v_max_from_model) {
    require(shot.v.maximum <= kLongest, "{}: its fastest velocity, {:g} m/s, is beyond {:g} m/s",
            shot.source_file.file.empty() ? deck.where("model.kind") : shot.source_file.file,
            shot.v.maximum, kLongest);
    s.v_max = shot.v.maximum;
  }
  check_velocity(s, shot.v.maximum);
  if (shot.duration_s) {
    const double steps = std::ceil(*shot.duration_s / s.dt() * (1 - 1e-12));
    require(*shot.duration_s >= s.dt() && steps < 1e12,
            "{} = {:g} s is {:g} time steps of {:.4g} s; at least one is required",
            deck.where("case.duration_s"), *shot.duration_s, *shot.duration_s / s.dt(), s.dt());
    shot.steps = static_cast<std::int64_t>(steps) + steps_beyond(shot, read_shot_output(deck));
  }
}

}  // namespace tessera::shot
