// SPDX-License-Identifier: Apache-2.0
// The data path of L1 and scratch: how many wavefronts, each a cycle of it, a warp's accesses take.
// Ernst et al. 2023 count lines and bank conflicts of address expressions lane by lane; plans say
// how many accesses there are, how wide, and how far rows of lanes are apart, from which the same
// counts follow in closed form. Every number is a warp's, of the cells that its threads own in one
// plane of their walk.
#pragma once

#include "program/predict/kernel.hpp"

namespace tessera::model {

/// Lanes of a warp in one row of a tile, each with `Walk::width` cells.
[[nodiscard]] double lanes_a_row(const Kernel& kernel, const MachineModel& target);

/// Lines of 128 bytes that one access of a warp touches: a row of lanes begins a line of its own,
/// since rows are padded to whole lines and meet in the same banks.
[[nodiscard]] double lines_of_a_warp(const Kernel& kernel, const MachineModel& target);

/// Wavefronts of a scratch access of `words` 4-byte words a lane over those without conflicts:
/// the lanes of a phase, 128 bytes of words, `lanes` of them in a row, rows `pitch` words apart,
/// and the bank that most words fall into.
[[nodiscard]] double conflict(int lanes, int words, int pitch);

/// Expected words in the fullest of `bins` banks, of as many balls thrown at random: exact, by the
/// distribution of the largest of a multinomial.
[[nodiscard]] double largest_bin(int balls, int bins);

/// Accesses of a thread to one plane of its own cells.
struct Accesses {
  double loads = 0, stores = 0, scratch = 0;
};
[[nodiscard]] Accesses accesses_of(const Kernel& kernel);

/// Cells of a plane that a thread owns.
[[nodiscard]] double own_cells(const Kernel& kernel);

/// What a warp's plane takes: cycles of the data path, and scattered requests that go to L2.
struct WarpWork {
  double cycles = 0, misses = 0;
};
/// By the device's constants; in temporal blocking of a plane of one time step.
[[nodiscard]] WarpWork warp_work(const Kernel& kernel, const MachineModel& target);

}  // namespace tessera::model
