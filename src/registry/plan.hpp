// SPDX-License-Identifier: Apache-2.0
// What a configuration is, and the plan of its launch.
#pragma once

#include "device/this_machine.hpp"

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
  double share = 1;    ///< of the cells that use it: less for an array of boundary layers
  bool edges = false;  ///< read at (+-1, +-1) too: whole planes and rows, not a star
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
  std::int64_t cached_bytes = 0;   ///< of a team, what caches shall hold between uses; 0: not said
  int registers = 0;               ///< of a thread, where the device was asked; else 0
  int resident = 0;                ///< teams on the whole device at once, likewise
  int tile[3] = {0, 0, 0};         ///< cells of a tile: nx, ny, nz (the streamed extent in 2.5D)
  std::int64_t halo_cells = 0;     ///< cells around a full tile that its team reads too
  int temporal_depth = 1;          ///< time steps a launch advances
  double barriers = 0;             ///< of the whole device, that a launch waits at
  double exchanged = 0;            ///< cells beside tiles, a tile's cell and launch, that teams
                                   ///< leave in device memory for each other: EBISU (18)
  double valid_share = 1;          ///< of the cells it computes, those it stores: 1 but for overlap
  double loads = 0;                ///< elements read from L1 or device memory, a cell
  double misaligned_loads = 0;     ///< those of them whose warps straddle lines: x +- 1 and so on
  double stores = 0;               ///< elements written to device memory, a cell
  double scratch_loads = 0;        ///< elements read from team scratch, a cell
  double scratch_stores = 0;       ///< elements written to team scratch, a cell
  double minimal_elements = 0;     ///< compulsory device-memory elements, a cell and step
  double moved_elements = 0;       ///< those of how this variant stores and blocks them; 0: as many
  double flops = 0;                ///< operations a cell by the paper's convention
  int planes_per_thread = 1;       ///< cells along z that a thread owns one after another
  std::vector<ArrayUse> arrays;    ///< empty: the traffic model knows no more than the minimum
  double l2_table = 0;             ///< of the loads, those from a table that only L2 caches
  bool aligned_tiles = false;      ///< along x, on whole cache lines wherever the region begins

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
  int columns = 0;          ///< of its coefficient table, where the family has one; 0: not known
  bool isotropic = false;   ///< that table makes no difference between the axes
  bool indexed_vp = false;  ///< acoustic: vp by a 16-bit index into the model's values
  MachineLimits machine = this_machine();
};

}  // namespace tessera
