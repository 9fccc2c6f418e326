// SPDX-License-Identifier: Apache-2.0
// Attainable performance of temporal blocking and what follows for its parameters: EBISU's
// equations (1) to (23), sections 5 and 6. Numbers in brackets are the paper's.
//
// Where the print differs from its own formulas, docs/errata.md says so; here the formulas hold:
// (8) and (9) have the factor 2 that their worked examples use.
#pragma once

#include "program/predict/kernel.hpp"
#include "program/results/machine_file.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tessera::model {

/// A stencil as the model sees it (Table 2).
struct TemporalStencil {
  std::string name;  ///< "j2d5pt"
  int dims = 2;
  int rad = 1;
  double flops = 0;     ///< a cell; Table 2's, but 50 for gaussian (printed 25)
  double a_sm = 0;      ///< scratch accesses a cell, without redundant register streaming
  double a_sm_rst = 0;  ///< and with it
  bool star = true;  ///< neighbours on the axes alone: none of a plane behind is another thread's
};

/// The nine stencils of Table 2.
[[nodiscard]] const std::vector<TemporalStencil>& temporal_stencils();

/// One of them by its name, with or without "jacobi/". Throws Error naming all.
[[nodiscard]] const TemporalStencil& temporal_stencil(const std::string& name);

/// Global memory accesses a cell: one read, one write.
inline constexpr double kAgm = 2;

/// What the equations need of a machine. Bytes, seconds, hertz.
struct BlockingMachine {
  std::string name;
  double units = 1;           ///< multiprocessors
  double gm_bytes_per_s = 0;  ///< B_gm
  double sm_bytes_per_s = 0;  ///< B_sm, all multiprocessors
  double flop_per_s = 0;      ///< THR_cmp
  double sync_s = 0;          ///< T_Dsync: a barrier of the whole device
  std::string sync_of;        ///< the machine whose barrier that is, where it is not this one's
  double scratch_bytes = 0;   ///< of one team, at most
  double registers_per_thread = 0;  ///< 0: not known, taken not to limit
  double register_base = 0;         ///< of these, beside those of the values that a thread keeps
  double clock_hz = 0;
  double threads_per_unit = 2048;
  // Latencies in cycles, for Little's law; 0: not known.
  double gm_cycles = 0, sm_cycles = 0, fma_cycles = 0;
};

/// From a machine file, for elements of 4 or 8 bytes: memory.theoretical or copy bandwidth,
/// whichever the file has measured; scratch or L1; peak; latency.barrier_us, else that of
/// `stand_in`. Throws Error naming what is missing.
[[nodiscard]] BlockingMachine blocking_machine(const machine::Machine& machine, int value_bytes,
                                               const machine::Machine* stand_in = nullptr);

// ---- 5.1: attainable performance -----------------------------------------------------------

/// Accesses and operations a cell, cells that memory, scratch and arithmetic see, steps, bytes.
struct BlockingWork {
  double a_gm = kAgm, a_sm = 0, a_cmp = 0;
  double d_gm = 0, d_sm = 0, d_cmp = 0, d_all = 0;
  double t = 1;
  double s_cell = 8;
};

struct Attainable {
  double t_gm = 0, t_sm = 0, t_cmp = 0;  ///< (2), (3), (4): seconds
  double t_stencil = 0;                  ///< (5)
  std::string bottleneck;                ///< (6): "device memory", "scratch" or "arithmetic"
  double cells_per_s = 0;                ///< (7)
};
[[nodiscard]] Attainable attainable(const BlockingMachine& machine, const BlockingWork& work);

/// The same of one launch that advances several steps, by its plan on a machine: D = 1 cell each,
/// except for what tiles exchange through memory (18); a_gm = 2, a_sm = the plan's scratch accesses
/// of a computed cell. Bandwidths are the machine's, of memory and of what lies next to the
/// registers; without a peak arithmetic does not bind.
[[nodiscard]] Attainable attainable_of(const Plan& plan, const MachineModel& target,
                                       int value_bytes);

/// (11) of such a launch over `cells` cells: the share of the time that its barriers leave, 1 where
/// it has none; nothing where it has and the machine's barrier is not known.
[[nodiscard]] std::optional<double> barrier_share_of(const Plan& plan, const MachineModel& target,
                                                     const Attainable& attainable, double cells);

// ---- 5.2: what overheads leave --------------------------------------------------------------

/// (8), with the factor 2 that 6.3.1's 95 % needs: (tile - 2 t rad) / tile.
[[nodiscard]] double valid_sm_tile(double tile_x, double t, double rad);
/// (9), likewise.
[[nodiscard]] double valid_sm_tile(double tile_x, double tile_y, double t, double rad);
/// (11): n barriers of the device.
[[nodiscard]] double valid_device_tile(double t_stencil, double t_sync, double n);
// ---- 6.1: minimum necessary parallelism -----------------------------------------------------

/// One kind of operation of Little's law (13), on one multiprocessor: threads x ILP that reach
/// `needed` saturate it (14) to (16).
struct Concurrency {
  std::string what;
  double cycles = 0;     ///< latency
  double per_cycle = 0;  ///< operations a cycle and multiprocessor
  double needed = 0;     ///< in flight, latency x rate
};
/// Global memory, scratch and multiply-add of elements of `value_bytes`, where latencies are known.
[[nodiscard]] std::vector<Concurrency> necessary_parallelism(const BlockingMachine& machine,
                                                             int value_bytes);

// ---- 6.2: desired depth ---------------------------------------------------------------------

/// (17) with D_sm = D_gm: the depth at which scratch becomes the bottleneck; fractional.
[[nodiscard]] double desired_depth(const BlockingMachine& machine, double a_sm);
/// (18): cells that memory sees of a device tile's team, halo included.
[[nodiscard]] double device_tile_cells(double tile_x, double tile_y, double t, double rad);
/// (19) for such a team; infinite where no depth is enough.
[[nodiscard]] double desired_depth_device(const BlockingMachine& machine, double a_sm,
                                          double tile_x, double tile_y, double rad);
/// Bytes on chip that a multi-queue of depth t takes, in scratch or registers: 2 rad t + 1 planes
/// of a tile and the cells around (6.2.2).
[[nodiscard]] double queue_bytes(double tile_x, double tile_y, double t, double rad, int dims,
                                 double s_cell);
/// The deepest whole t that fits in a team with redundant register streaming of values (4.3.3); at
/// least 0. Scratch holds what other threads read of a step. Three dimensions: of a star the plane
/// in the middle and rad more on their way to it, of a box all 2 rad + 1; and the plane from
/// memory. Two: a round makes four rows, rad rows behind the rows that the step before made a round
/// ago; a box keeps rad more. A thread keeps its own cells of rad + 1 planes, or of a round's 4 +
/// rad rows, in registers: all but those of addresses and of the arithmetic.
[[nodiscard]] int deepest(const BlockingMachine& machine, const TemporalStencil& stencil,
                          double tile_x, double tile_y, double s_cell);

// ---- the decisions --------------------------------------------------------------------------

/// One way to tile, and what it may reach.
struct Candidate {
  bool device_tiling = false;
  int tile_x = 0, tile_y = 1;  ///< cells of a team's tile
  int t = 1;
  Attainable p;
  double valid = 0;
  double practical_cells_per_s = 0;
};

/// SM tiling (6.3): tiles of (tile_x + 2 rad) loaded cells an axis, as in the paper's 34.
[[nodiscard]] Candidate sm_tiling(const BlockingMachine& machine, const TemporalStencil& stencil,
                                  double a_sm, int tile_x, int tile_y, int t, double s_cell);
/// Device tiling: one barrier a plane (lazy streaming between teams).
[[nodiscard]] Candidate device_tiling(const BlockingMachine& machine,
                                      const TemporalStencil& stencil, double a_sm, int tile_x,
                                      int tile_y, int t, double s_cell);

/// What the paper's rules give for a stencil on a machine (Table 1).
struct BlockingPlan {
  TemporalStencil stencil;
  std::vector<Concurrency> parallelism;
  int threads = 256, ilp = 4;
  double desired = 0;    ///< (17) or (19), fractional
  int deepest = 0;       ///< that fits in scratch
  Candidate sm, device;  ///< the best depth of each
  bool uses_device_tiling = false;
  int depth = 1;
  double wide_tile = 0;  ///< (23); three dimensions
  bool computed_addresses = false;
};
/// The decisions of EBISU 6 in its order, (13) to (23): parallelism, depth, SM or device tiling,
/// deeper or wider, addresses. Elements of 4 or 8 bytes. Rates are cells a second; what the
/// machine's description does not know (0) is taken not to limit.
[[nodiscard]] BlockingPlan plan_blocking(const BlockingMachine& machine,
                                         const TemporalStencil& stencil, int value_bytes);

}  // namespace tessera::model
