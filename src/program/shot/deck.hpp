// SPDX-License-Identifier: Apache-2.0
// What the deck of a shot says: grid, sources, receivers, snapshots and velocity model.
// The keys: keys.cpp. Places are in m from the first cell of the inner region, z downward.
#pragma once

#include "base/comm/parallel.hpp"
#include "base/io/deck.hpp"
#include "base/registry/registry.hpp"
#include "program/seismic/segy.hpp"
#include "program/seismic/snapshots.hpp"
#include "program/seismic/velocity_model.hpp"
#include "program/shot/inner_operator.hpp"
#include "program/shot/wavelet.hpp"
#include "variants/acoustic/case/setup.hpp"
#include "variants/acoustic/case/spread.hpp"
#include "variants/acoustic/case/stored_waves.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera::shot {

/// A source or receiver on the grid.
struct Station {
  std::array<int, 3> cell{0, 0, 0};  ///< z, y, x of the nearest cell, layers included
  io::Position at;                   ///< m from the first inner cell; "nearest": the cell's
  std::array<double, 3> in_cells{};  ///< the same place, z, y, x from cell 0 of the grid
};

struct ShotSource {
  Station station;
  Wavelet wavelet;
};

/// When a shot writes a checkpoint: every so many steps, or so many seconds; never where both are
/// 0.
struct CheckpointEvery {
  std::int64_t steps = 0;
  double seconds = 0;
  [[nodiscard]] bool wanted() const { return steps > 0 || seconds > 0; }
};

/// How far outside the inner region a place may lie, in cells: rounding.
inline constexpr double kPlaceTie = 1e-9;

/// Everything that a shot needs before its fields are allocated.
struct ShotCase {
  comm::Parallel parallel;  ///< one rank if it is not set
  acoustic::Setup setup;
  int number = 1;  ///< in headers
  std::string precision = "float";
  std::int64_t steps = 0;  ///< set by load_velocity where the deck gives a duration
  std::optional<double> duration_s;
  bool v_max_from_model = false;
  io::ModelSource source_file;   ///< of the model
  io::VelocityModel model;       ///< of this rank's cells; empty until load_velocity
  io::VelocityRange v;           ///< of the whole model
  std::uint64_t model_hash = 0;  ///< of the whole model: hash_of()
  std::vector<ShotSource> sources;
  std::vector<Station> receivers;
  acoustic::Interpolation interpolation = acoustic::Interpolation::sinc;
  double moved_m = 0;               ///< farthest that a place was moved to its cell
  std::int64_t snapshot_every = 0;  ///< steps; 0: no snapshots
  io::SampledAxis snapshot_z, snapshot_y, snapshot_x;
  bool snapshot_half = false;  ///< in IEEE half
  Selected how;                ///< the one configuration that updates all regions
  std::shared_ptr<const InnerOperatorDeck> inner;  ///< updates the inner region; null: `how` does
  std::int64_t check_every = 10;  ///< steps between searches for values that are not finite
  CheckpointEvery checkpoint_every;
  std::int64_t accuracy_steps = 0;  ///< of the shots that are compared first; 0: none

  /// Whether its numbers are those of a format that rounds: measure_accuracy() says by how much.
  [[nodiscard]] bool rounds() const {
    return setup.storage != Storage::plain || setup.vp_storage == VpStorage::linear;
  }
  /// What u reaches at most near its sources, all in one place.
  [[nodiscard]] double expected_peak() const;
  /// What values in 16 bits are times those of the equations.
  [[nodiscard]] double storage_scale() const {
    return acoustic::storage_scale(expected_peak(), setup.storage_scale);
  }

  [[nodiscard]] int value_bytes() const { return precision == "float" ? 4 : 8; }
  [[nodiscard]] std::int64_t snapshots() const {
    return snapshot_every == 0 ? 0 : steps / snapshot_every;
  }
  /// Lowest peak frequency of the sources, Hz: its wavelength is the longest that matters.
  [[nodiscard]] double lowest_peak() const;
  /// Highest frequency that the traces hold, Hz: f_max, or more where a Ricker wavelet reaches it.
  [[nodiscard]] double highest_frequency() const;
  /// Grid points on the shortest wavelength, v_min / f_max, along the coarsest axis.
  [[nodiscard]] double points_per_wavelength() const;
  /// Width of the thinnest PML layer in wavelengths of lowest_peak() at the fastest velocity.
  [[nodiscard]] double pml_wavelengths() const;
  /// Time step over the largest stable one for the model.
  [[nodiscard]] double cfl_fraction() const;
};

/// Bytes that a shot needs, on this rank.
struct ShotMemory {
  std::int64_t fields = 0;   ///< where kernels run: five fields, receiver and snapshot buffers
  std::int64_t staging = 0;  ///< on the host: the velocity model, its file, copies on their way
  std::int64_t file = 0;     ///< of staging: the model file's values
  std::int64_t plans = 0;    ///< of staging: steps of the snapshots, and their places in the file
};

/// The cells that represent a source or receiver of a shot, and their weights.
[[nodiscard]] acoustic::Spread spread_of(const ShotCase& shot, const Station& station);

/// Puts a place, m from the first inner cell, on the grid. `what` names it in errors: a place
/// outside the inner region, or too near to the grid's edge for its spread. `moved` becomes the
/// farthest, m, that a place was moved.
[[nodiscard]] Station station_at(const acoustic::Setup& setup, const io::Position& place,
                                 acoustic::Interpolation interpolation, const std::string& what,
                                 double& moved);

/// Whether a place is on the free surface: within a millionth of a cell, where u is nearly 0.
[[nodiscard]] bool on_surface(const acoustic::Setup& setup, const Station& place);

/// Throws Error, beginning with `what`, for a source on a free surface.
void require_below_surface(const acoustic::Setup& setup, const Station& source,
                           const std::string& what);

/// Who says where sources and receivers are: the deck's own tables, or shot/survey.hpp.
enum class PlacesOf { deck, survey };

/// Reads everything but the velocity model and, of a survey, the places; variants come from
/// `registry`. Throws Error for bad keys, a source or receiver outside the inner region, and a
/// variant that cannot run here.
[[nodiscard]] ShotCase read_shot(const io::Deck& deck, const Registry& registry,
                                 PlacesOf places = PlacesOf::deck);

/// Memory that the shot will take on this rank; needs no model.
[[nodiscard]] ShotMemory memory_of(const ShotCase& shot);

/// Loads the model and sets what follows from it: v_max, time step, steps. Collective; each rank
/// reads the part of the model that its cells require. Throws Error for a bad model, an unstable
/// time step, and a duration of less than one step.
void load_velocity(const io::Deck& deck, ShotCase& shot);

}  // namespace tessera::shot
