// SPDX-License-Identifier: Apache-2.0
// Machine files: one machine, measured by `tessera machine` or published, in the same fields.
#pragma once

#include "program/results/statistics.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tessera::results {
class Fields;
}

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
/// precision; instructions, except for `gathers`.
struct CoreWidth {
  std::string precision;     ///< "float" or "double"
  MaybeNumber vector_bytes;  ///< of one element: no vectors
  MaybeNumber loads, stores, sums, products;
  MaybeNumber mixed;    ///< sums and products in turn, together
  MaybeNumber gathers;  ///< elements of a table in L1, read by an index
};

/// The models, as machine files and predictions name them (docs/model.md).
inline constexpr const char* kTrafficModel = "traffic model";
inline constexpr const char* kDeviceModel = "device model";
inline constexpr const char* kHostModel = "host model";

/// Constants of the traffic models, fitted by `tessera machine --calibrate` or published, and how
/// well the fit meets runs that it was not made from. Those of a file that has none are borrowed
/// (predict/kernel.hpp). What each means: machine_fields.cpp.
struct ModelConstants {
  // Of Su's formulas (8), (15) and (17).
  MaybeNumber delta, epsilon, eta;
  // Of the refined model (predict/machine_model.hpp).
  MaybeNumber l2_share, dirty_share, l2_scale, overlap, tail, team_ns, warp_us, plane_us,
      lookups_per_cycle, drift_planes, loss_steepness, register_base;
  // Of the device model (predict/device_model.hpp).
  MaybeNumber clock_share, wavefront_load, wavefront_fill, wavefront_store, wavefront_scratch,
      wavefront_column, unrelated_columns, table_share, misses_per_cycle, trip_cycles, translation,
      barrier_cycles, start_cycles, warp_cycles, own_work, level_cycles, exchange_us, halo_share;
  // Of the host model (predict/host_model.hpp).
  MaybeNumber load_bytes, store_bytes, vector_bytes, port_share, flop_cycles, gather_cycles,
      row_cycles, layer_cycles, scratch_cycles, scalar_cycles, l1_share, first_uses,
      l2_bytes_per_cycle, l3_bytes_per_cycle, memory_scale;
  // How well the fit meets runs that it was not made from.
  MaybeNumber time_residual, volume_residual, runs;
};

/// The fields of a machine file, and of its `model`.
[[nodiscard]] const results::Fields& machine_file_fields();
[[nodiscard]] const results::Fields& model_constants_fields();

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
  std::string predicted_by;  ///< which model is for it, one of those below; may be empty

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
/// (machine_fields.cpp), or a file without any memory bandwidth.
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
