// SPDX-License-Identifier: Apache-2.0
// What a configuration is, and the plan of its launch.
#pragma once

#include "base/device/this_machine.hpp"
#include "base/grid/storage.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// True in builds that instantiate only a few configurations of each variant, to compile fast.
#if defined(TESSERA_FEW_CONFIGURATIONS)
inline constexpr bool kFewConfigurations = true;
#else
inline constexpr bool kFewConfigurations = false;
#endif

/// Who chose a configuration: one of the paper's rows, or added here.
enum class Origin { paper, ours };

/// The machines that a configuration runs on: its tile is a thread's on hosts, of threads on
/// devices.
enum class RunsOn { any, hosts, devices };

[[nodiscard]] constexpr bool runs_on(RunsOn wanted, MachineKind kind) {
  return wanted == RunsOn::any || (wanted == RunsOn::devices) == (kind == MachineKind::device);
}

/// A tile and its parameters as decks, tables and reports write it: the extents, x first ("full":
/// the region's own extent), then comma-separated key=value, e.g. "32x16,chunk=120".
struct Configuration {
  std::string text;
  Origin origin = Origin::ours;
  std::string note;  ///< e.g. which row of the paper it mirrors; may be empty
  RunsOn runs_on = RunsOn::any;
};

/// An array of a launch, for the traffic model: how far around a cell it is read.
struct ArrayUse {
  std::string name;
  int radius[3] = {0, 0, 0};  ///< cells read before and after a cell along x, y, z
  bool read = true;
  bool written = false;
  double share = 1;  ///< of the cells that use it, less for an array of boundary layers, times the
                     ///< part of an element that a value of it takes
  bool edges = false;  ///< read at (+-1, +-1) too: whole planes and rows, not a star
};

/// Per-thread traversal; it determines latency where no bandwidth limit applies. Counts are per
/// plane of the walk, or per thread where it walks none; with temporal blocking per plane of one
/// time step.
struct Walk {
  int width = 1;           ///< neighbouring cells along x that one access takes
  double trips = 1;        ///< to memory, each of which waits for the one before
  double barriers = 0;     ///< of its team
  double exchanges = 0;    ///< waits for all teams of the device, with what neighbours have made
  double level_waits = 1;  ///< of a plane of a time step, for the step before: less where a team
                           ///< makes several planes or steps from one wait to the next
  double more_planes = 0;  ///< that it walks beside its own, to fill and to drain
  int bound_threads = 0;   ///< of a multiprocessor, that the launch bound requests; 0: none
  int kept_words = 0;      ///< of 32 bits, that a thread keeps at once by its types: windows, sums,
                           ///< columns, vectors under way; 0: few
  int scratch_pitch = 0;   ///< elements from a row of scratch to the next; 0: whole lines
};

/// Words of 32 bits that so many values take.
template <class Real>
[[nodiscard]] constexpr int words_of(int values) {
  return values * static_cast<int>(sizeof(Real)) / 4;
}

/// How the velocities of 32 neighbouring cells along x relate, expected.
struct Neighbours {
  double different = 32;  ///< of them
  double unrelated = 1;   ///< 1: any columns of a table; 0: the same one, or one after the other
};

/// Where the coefficients lie that a thread reads by its own cell's velocity, so that neighbours
/// read different columns.
enum class TableHome { none, scratch, cache, l2 };

/// What it reads of them.
struct Gather {
  TableHome home = TableHome::none;
  double elements = 0;  ///< a cell: that many of the plan's loads or scratch loads
  double reads = 0;     ///< a cell: accesses that fetch them
  int width = 1;        ///< elements of one access
  int pitch = 1;        ///< elements from a column to the next
  int columns = 0;      ///< of the table
  double table_bytes = 0;
  double uses = 1;  ///< planes that read the same columns while L1 has them
  Neighbours neighbours;
};

/// What a host makes of a plan's loops.
struct HostLoops {
  bool vectorised = true;         ///< the loop along x
  double rows = 1;                ///< loops over a row of a tile, a plane of it
  double gathered = 0;            ///< elements a cell that are read one by one, by an index
  double copied = 0;              ///< elements a cell that windows copy in scratch
  double branched = 0;            ///< of the cells, those with a branch and a division
  bool streaming_stores = false;  ///< what is written is not read before
};

/// How a launch goes out.
enum class Launch {
  teams,     ///< a TeamPolicy
  cells,     ///< an MDRangePolicy: a call a cell
  rows,      ///< a RangePolicy: a call a row
  native,    ///< the device runtime's own launch (device/native_launch.hpp)
  resident,  ///< a league that stays resident, whose teams wait for each other
  library    ///< KokkosSparse's
};

/// As tables and result files write it: "TeamPolicy", "native", ...
[[nodiscard]] const char* to_string(Launch launch);

/// What a launch of one region needs and moves on one machine, which need not be this one; made on
/// the host, read by the launch itself, the models, the tests and `list`.
struct Plan {
  std::string unsupported;  ///< reason in one line; empty where it can run there
  Launch launch = Launch::teams;
  std::int64_t league = 0;         ///< teams
  int team = 0;                    ///< threads a team
  std::int64_t scratch_bytes = 0;  ///< team scratch
  std::int64_t cached_bytes = 0;   ///< of a team, what caches should hold between uses; 0: not said
  int registers = 0;               ///< of a thread, where the device was queried; else 0
  int resident = 0;                ///< teams on the whole device at once, likewise
  int tile[3] = {0, 0, 0};         ///< cells of a tile: nx, ny, nz (the streamed extent in 2.5D)
  std::int64_t halo_cells = 0;     ///< cells around a full tile that its team reads too
  int temporal_depth = 1;          ///< time steps a launch advances
  double barriers = 0;             ///< of the whole device, that a launch waits at
  double exchanged = 0;            ///< cells beside tiles, a tile's cell and launch, that teams
                                   ///< leave in device memory for each other: EBISU (18)
  double valid_share = 1;  ///< of the cells it computes, those it stores: 1 except with overlap
  double loads = 0;        ///< elements read from L1 or device memory, a cell
  double misaligned_loads = 0;   ///< those of them whose warps straddle lines: x +- 1 and so on
  double stores = 0;             ///< elements written to device memory, a cell
  double scratch_loads = 0;      ///< elements read from team scratch, a cell
  double scratch_stores = 0;     ///< elements written to team scratch, a cell
  double minimal_elements = 0;   ///< compulsory device-memory elements, a cell and step
  double moved_elements = 0;     ///< those of how this variant stores and blocks them; 0: as many
  double flops = 0;              ///< operations a cell by the paper's convention
  double conversions = 0;        ///< a device's instructions a cell, from a format and to it
  int planes_per_thread = 1;     ///< cells along z that a thread owns one after another
  std::vector<ArrayUse> arrays;  ///< empty: the traffic model knows no more than the minimum
  double l2_table = 0;           ///< of the loads, those from a table that only L2 caches
  bool aligned_tiles = false;    ///< along x, on whole cache lines wherever the region begins
  Walk walk;
  Gather gather, other_gather;  ///< a plan may have two tables, or one in two homes
  HostLoops loops;

  [[nodiscard]] bool supported() const { return unsupported.empty(); }
};

/// A plan that only says why the launch cannot run.
[[nodiscard]] inline Plan unsupported(std::string reason) {
  Plan plan;
  plan.unsupported = std::move(reason);
  return plan;
}

/// What a launch computes: one of its family's stencils, by its full name, on elements of
/// `value_bytes` bytes; and the machine that it is planned for.
struct Problem {
  std::string stencil;
  int value_bytes = 4;
  int columns = 0;         ///< of its coefficient table, where the family has one; 0: not known
  bool isotropic = false;  ///< that table makes no difference between the axes
  bool convolutional_layers = false;       ///< acoustic: acoustic.layers = "convolutional"
  Storage storage = Storage::plain;        ///< acoustic: of the wavefields
  VpStorage vp_beside = VpStorage::field;  ///< acoustic: of vp beside its field
  Neighbours neighbours = {};              ///< ete: their velocities
  MachineLimits machine = this_machine();
};

}  // namespace tessera
