// SPDX-License-Identifier: Apache-2.0
// Machine files: one machine, measured by `tessera machine` or published, in the same fields.
#pragma once

#include "program/results/statistics.hpp"
#include "program/results/stream_rates.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tessera::machine {

/// Name and version of the machine file's layout.
inline constexpr const char* kMachineSchema = "tessera-machine-1";

using MaybeNumber = std::optional<double>;

/// A cache level, or the team scratch of a device (level "scratch"). Sizes are of one instance,
/// bandwidths of all together.
struct MachineCache {
  std::string level;
  MaybeNumber bytes, line_bytes, instances, gb_per_s;
};

/// What a core does in a cycle of clock_ghz with data in registers and L1, one vector width in one
/// precision; instructions, but for `gathers`.
struct CoreWidth {
  std::string precision;     ///< "float" or "double"
  MaybeNumber vector_bytes;  ///< of one element: no vectors
  MaybeNumber loads, stores, sums, products;
  MaybeNumber mixed;    ///< sums and products in turn, together
  MaybeNumber gathers;  ///< elements of a table in L1, read by an index
};

/// Constants of the traffic models, fitted by `tessera machine --calibrate` or published, and how
/// well the fit meets runs that it was not made from. Those of a file that has none are borrowed
/// (model/default_constants.hpp).
struct ModelConstants {
  MaybeNumber delta, epsilon, eta;  ///< of Su's formulas (8), (15) and (17)
  // Of the refined model (model/machine_model.hpp).
  MaybeNumber l2_share;           ///< of the L2, that holds what will be read again
  MaybeNumber dirty_share;        ///< of the L2, that waits to be written when a kernel ends
  MaybeNumber l2_scale;           ///< L2 bandwidth that kernels see over the one measured
  MaybeNumber overlap;            ///< exponent that joins the stages; a large one is their maximum
  MaybeNumber tail;               ///< of the last round's idle units, the share that costs time
  MaybeNumber team_ns;            ///< between the starts of two blocks on a unit
  MaybeNumber warp_us;            ///< a warp adds to its block's life
  MaybeNumber plane_us;           ///< a plane adds: one dependent trip to memory
  MaybeNumber lookups_per_cycle;  ///< lines that a unit\'s on-chip storage finds in a cycle
  MaybeNumber drift_planes;       ///< that blocks which walk side by side are apart
  MaybeNumber loss_steepness;     ///< of what a cache has lost, about what it holds
  MaybeNumber register_base;      ///< of a thread, beside those of the values that it keeps
  // Of the device model (model/device_model.hpp); cycles are of a multiprocessor's clock.
  MaybeNumber clock_share;        ///< of clock_ghz, at which kernels run
  MaybeNumber wavefront_load;     ///< cycles of the data path for a line that a warp reads
  MaybeNumber wavefront_fill;     ///< and for each read, lines that come in
  MaybeNumber wavefront_store;    ///< for a line that it writes
  MaybeNumber wavefront_scratch;  ///< for 128 bytes of scratch
  MaybeNumber wavefront_column;   ///< for a word of coefficients from L1
  MaybeNumber unrelated_columns;  ///< words more where neighbours read unrelated columns
  MaybeNumber table_share;        ///< of L1 that scratch leaves, what a table competes with
  MaybeNumber misses_per_cycle;   ///< scattered requests to L2 that a unit makes in a cycle
  MaybeNumber trip_cycles;        ///< a dependent trip to memory, arrays of a GB
  MaybeNumber translation;        ///< longer by this share for e times as large arrays
  MaybeNumber barrier_cycles;     ///< a barrier of a team
  MaybeNumber start_cycles;       ///< a block's life before its first plane
  MaybeNumber warp_cycles;        ///< a warp adds to its team's plane
  MaybeNumber own_work;           ///< of its wavefronts, that nothing overlaps
  MaybeNumber level_cycles;       ///< a plane of a time step of a temporally blocked stream
  MaybeNumber exchange_us;        ///< all teams wait for each other, and halos come through L2
  MaybeNumber halo_share;         ///< of temporal halos, what L2 has lost
  // Of the host model (model/host_model.hpp); cycles are of a core.
  MaybeNumber load_bytes, store_bytes;  ///< of a core to and from L1 in a cycle
  MaybeNumber vector_bytes;             ///< of a register
  MaybeNumber port_share;               ///< cycles of loads and stores over those of the ports
  MaybeNumber flop_cycles;              ///< a vector operation
  MaybeNumber gather_cycles;            ///< an element read by an index
  MaybeNumber row_cycles;               ///< a loop over a row begins and ends
  MaybeNumber layer_cycles;             ///< a cell with a branch and a division
  MaybeNumber scratch_cycles;           ///< an access of team scratch
  MaybeNumber scalar_cycles;            ///< an operation of a loop that is not vectorised
  MaybeNumber l1_share;                 ///< of L1, that holds rows until they are read again
  MaybeNumber first_uses;  ///< of scratch loads, those that do not find what a row or plane before
                           ///< has read
  MaybeNumber l2_bytes_per_cycle, l3_bytes_per_cycle;  ///< to a core
  MaybeNumber memory_scale;  ///< memory bandwidth that kernels see over the one measured
  MaybeNumber time_residual, volume_residual;  ///< mean |predicted / measured - 1|, runs not fitted
  MaybeNumber runs;                            ///< how many, fitted or not
};

/// Takes the constants that `own` lacks from `others`; true where there was one to take.
bool fill_missing(ModelConstants& own, const ModelConstants& others);

/// What a machine can do. Absent numbers are not known; none is guessed. GB is 10^9 bytes. A unit
/// is a core of a CPU, a streaming multiprocessor or compute unit of a GPU.
struct Machine {
  std::string name;          ///< short, as in file names: "nvidia-a100"
  std::string kind;          ///< "cpu" or "gpu"
  std::string device;        ///< the vendor's name
  std::string source;        ///< where the numbers come from: a paper and its table, a measurement
  std::string precision;     ///< of the measured bandwidths, "float" or "double"; may be empty
  std::string architecture;  ///< of a GPU, as compilers name it: "sm_90", "gfx90a"; may be empty

  MaybeNumber units;
  MaybeNumber clock_ghz;
  // memory
  MaybeNumber memory_bytes, memory_atom_bytes, copy_gb_per_s, triad_gb_per_s, update_gb_per_s,
      copy_streaming_gb_per_s, theoretical_gb_per_s;
  // caches
  std::vector<MachineCache> caches;
  std::vector<CoreWidth> core;  ///< of a CPU, where measured
  // peak
  MaybeNumber float_gflop_per_s, double_gflop_per_s;
  // latency
  MaybeNumber launch_us, launch_fenced_us, barrier_us;
  MaybeNumber memory_cycles, scratch_cycles, fma_cycles;  ///< of one access, of a double's FMA
  // limits: what occupancy follows from
  MaybeNumber lanes, threads_per_unit, threads_per_team, teams_per_unit, registers_per_unit,
      registers_per_thread, scratch_bytes_per_unit, scratch_bytes_per_team, processors_per_unit;
  ModelConstants model;

  nlohmann::json metadata = nlohmann::json::object();  ///< anything; not interpreted
};

/// The machine as JSON; absent numbers are left out.
[[nodiscard]] nlohmann::json to_json(const Machine& machine);

/// Inverse of to_json. Throws Error, naming `where` and the key, on another schema, an unknown key,
/// a missing name, kind, device or source, a number outside of its range
/// (machine/number_range.hpp), or a file without any memory bandwidth.
[[nodiscard]] Machine machine_from_json(const nlohmann::json& json, const std::string& where);

/// Writes the file whole or not at all.
void write_machine(const Machine& machine, const std::filesystem::path& path);

/// Reads and checks a machine file. Throws Error where it is missing or wrong.
[[nodiscard]] Machine read_machine(const std::filesystem::path& path);

/// How far below its stored bandwidth a machine may be before shortfall() speaks.
inline constexpr double kHealthyFraction = 0.95;

/// A line for a warning where `now` is more than 5 % under the triad that the machine file stores
/// (its update bandwidth, where it has no triad); empty where it is not. `where` names the file.
/// Throws Error where the file stores neither.
[[nodiscard]] std::string shortfall(const Machine& stored, const StreamRates& now,
                                    const std::string& where);

}  // namespace tessera::machine
