// SPDX-License-Identifier: Apache-2.0
// What the models know of a launch and of a machine. Constants that a machine's file lacks are
// those of a shipped machine of its kind, which predictions name.
#pragma once

#include "base/grid/extents.hpp"
#include "base/registry/plan.hpp"
#include "base/support/machine_limits.hpp"
#include "program/predict/occupancy.hpp"
#include "program/predict/traffic.hpp"
#include "program/results/machine_file.hpp"

#include <string>
#include <vector>

namespace tessera::model {

/// One launch of one region: from a variant's plan.
struct Kernel {
  Dims grid;              ///< cells of the region
  Dims tile;              ///< cells that a block covers
  int first_x = 0;        ///< of the region; cell 0 begins a line
  bool aligned = false;   ///< blocks begin on whole transfers whatever first_x
  int team = 1;           ///< threads of a block
  int chunk = 1;          ///< cells along z that a thread owns one after another: chunk_z
  int value_bytes = 8;    ///< sizeof(type)
  int depth = 1;          ///< time steps that the launch advances
  double loads = 0;       ///< elements a cell that a thread reads through the cache
  double misaligned = 0;  ///< those of them whose warps straddle lines
  double stores = 0;      ///< elements a cell written to device memory
  double scratch = 0;     ///< elements a cell read from and written to team scratch
  double table = 0;       ///< elements a cell of a table that only L2 caches
  std::vector<ArrayUse> arrays;
  int registers = 0;               ///< a thread; 0: not known
  std::int64_t scratch_bytes = 0;  ///< a block
  double flops = 0;                ///< a cell
  double conversions = 0;          ///< instructions a cell
  double scratch_loads = 0;        ///< of scratch
  std::int64_t league = 0;         ///< teams that the plan launches
  double valid_share = 1;          ///< of the cells it computes, those it stores
  double footprint_bytes = 0;      ///< of all arrays of the problem; 0: of this region's
  Walk walk;
  Gather gather, other_gather;
  HostLoops loops;

  /// Blocks that the region takes.
  [[nodiscard]] std::int64_t blocks() const;
  /// Whether blocks begin on multiples of so many elements.
  [[nodiscard]] bool begins_on(double elements) const;
  /// Cells of a whole block.
  [[nodiscard]] double tile_cells() const { return static_cast<double>(tile.product()); }
};

/// True if the plan says what its launch does to which arrays.
[[nodiscard]] bool describes_traffic(const Plan& plan);

/// The kernel of a region's plan, which must be supported and describe its traffic.
[[nodiscard]] Kernel kernel_of(const Plan& plan, const Box& box, int value_bytes,
                               int registers = 0);

/// A machine in the three roles of the model: storage next to the registers (SMX), the cache that
/// all share (L2), and memory (GM).
struct MachineModel {
  std::string name;
  std::string model = machine::kTrafficModel;  ///< which one is for it
  bool gpu = true;
  MachineLimits machine;           ///< as plans see it
  double units = 1;                ///< SMXs; cores
  double threads_per_unit = 1;     ///< resident at most
  double lanes = 32;               ///< threads of a warp
  double processors_per_unit = 0;  ///< streaming processors of an SMX; 0: not known
  OccupancyLimits limits;
  double smx_bytes = 0, smx_line_bytes = 0;  ///< of one unit
  double l2_bytes = 0, l2_line_bytes = 0;    ///< in all
  ByStage bandwidth;                         ///< bytes a second
  double scratch_bytes_per_s = 0;            ///< of team scratch; 0: not known
  double flop_per_s = 0;                     ///< peak, in the precision of the case; 0: not known
  double launch_s = 0;                       ///< of one of many launches
  double barrier_s = 0;                      ///< of the whole device; 0: not known
  double clock_hz = 0;                       ///< highest; 0: not known
  double update_bytes_per_s = 0;             ///< memory, two words read for one written
  double first_bytes = 0;                    ///< of a host, L1 of a core
  double first_line_bytes = 64;              ///< of a host's L1
  double memory_atom_bytes = 64;             ///< the least that memory delivers
  double loss_steepness = 6;                 ///< see lost_share() (machine_model.hpp)
  double lookups_per_s = 0;                  ///< lines that all units find; 0: taken not to limit
  std::vector<machine::CoreWidth> core;      ///< of a host, where measured
  machine::ModelConstants constants;
  std::string constants_of;  ///< the machine whose constants replace those that its own file lacks;
                             ///< or empty
};

/// The roles that a machine file's caches play. A GPU: L1, L2. A CPU: its private caches and the
/// one that all cores share (L2 and L3, or L1 and L2). Throws Error with missing_for_model().
[[nodiscard]] MachineModel machine_model_of(const machine::Machine& machine);

/// The first thing that a machine's file lacks of what every model takes, in a line that names the
/// machine; empty where it lacks nothing.
[[nodiscard]] std::string missing_for_model(const machine::Machine& machine);

/// What a machine's file says that plans request: its kind, units and limits.
[[nodiscard]] MachineLimits machine_limits(const machine::Machine& machine);

/// Occupancy of the kernel's blocks on a unit: what fits at once, as a fraction and in blocks.
struct Residency {
  double occupancy = 1;  ///< active warps over those that the unit can hold
  double highest = 1;    ///< the same with the block size that reaches most
  std::int64_t blocks_a_unit = 1;
  std::string limited_by;  ///< "registers", "scratch", ...: see occupancy.hpp
};
/// By the kernel's registers, scratch and threads and the machine's limits. Throws Error where not
/// one block fits a unit.
[[nodiscard]] Residency residency_of(const Kernel& kernel, const MachineModel& target);

/// The same; where registers are not known, by the values that a thread keeps, or with as many
/// registers as the launch bound allows.
[[nodiscard]] Residency bounded_residency(const Kernel& kernel, const MachineModel& target);

/// The model that a machine's file names. Where it names none: of a GPU the device model, of a CPU
/// whose ports and clock are known the host model, of another the traffic model.
[[nodiscard]] std::string model_of(const machine::Machine& machine);

/// Whose constants a machine is given, by its model. Device: H100. Traffic: A100, or of a CPU
/// KNL7250, whose are of bandwidths alone. Host: the Zen 4 host with vectors as wide.
[[nodiscard]] std::string lender_of(const machine::Machine& machine);

/// The constants of a shipped machine. Throws Error where its file is not found.
[[nodiscard]] machine::ModelConstants constants_of_machine(const std::string& name);

/// A machine's own constants and, for those it lacks, its lender's; of Su's formulas the K20's.
struct Constants {
  machine::ModelConstants values;
  std::string defaults_of;  ///< the lender, where something was missing
};
/// Throws Error where the file of the K20 or of the lender is not found.
[[nodiscard]] Constants completed_constants(const machine::Machine& machine);

}  // namespace tessera::model
