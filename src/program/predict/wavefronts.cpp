// SPDX-License-Identifier: Apache-2.0
#include "program/predict/wavefronts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace tessera::model {
namespace {

// What the hardware of every generation in question is: a wavefront is 128 bytes, 32 banks of a
// word of 4; a lane's access takes 16 bytes at most.
constexpr int kBanks = 32, kWordBytes = 4;
constexpr double kWavefrontBytes = 128, kWidestBytes = 16;

/// Words of a lane's access.
int words_of(double bytes) {
  return static_cast<int>(std::clamp(bytes, double{kWordBytes}, kWidestBytes)) / kWordBytes;
}

/// Accesses that a vector of a thread's cells is split into.
double splits(const Kernel& k) {
  return std::max(1.0, k.walk.width * k.value_bytes / kWidestBytes);
}

bool temporal(const Kernel& k) { return k.depth > 1; }

/// Wavefronts of one scratch access of a lane, and of one that reads unrelated columns.
double scratch_wavefronts(const Kernel& k, const MachineModel& target) {
  const int words = temporal(k) ? words_of(k.value_bytes) : words_of(k.walk.width * k.value_bytes);
  if (temporal(k)) return words;  // rows of whole warps
  const double pitch =
      k.walk.scratch_pitch > 0 ? k.walk.scratch_pitch : static_cast<double>(k.tile.x);
  const auto lanes = static_cast<int>(lanes_a_row(k, target));
  return words * conflict(lanes, words, static_cast<int>(pitch * k.value_bytes / kWordBytes));
}
double column_conflict(int words, double unrelated) {
  static const double kOne = largest_bin(32, 32), kTwo = largest_bin(16, 16),
                      kFour = largest_bin(8, 8);
  const double largest = words == 1 ? kOne : words == 2 ? kTwo : kFour;
  return 1 + (largest - 1) * unrelated;
}

/// Share of a table's reads that L1 does not have: it competes with what streams through, which is
/// given a part of what scratch leaves. Where that holds the table, planes that follow find the
/// columns of the ones before.
double table_misses(const Kernel& k, const Gather& g, const MachineModel& target,
                    double table_share) {
  const double scratch = static_cast<double>(bounded_residency(k, target).blocks_a_unit) *
                         static_cast<double>(k.scratch_bytes);
  const double room = table_share * std::max(target.smx_bytes - scratch, 0.0);
  const double uses = g.table_bytes < room ? g.uses : 1;
  return g.table_bytes / (g.table_bytes + room) / uses;
}

}  // namespace

double own_cells(const Kernel& k) {
  const double planes = temporal(k) ? static_cast<double>(k.tile.z) : k.chunk;
  return std::max(1.0, k.tile_cells() / (static_cast<double>(k.team) * planes));
}

double lanes_a_row(const Kernel& k, const MachineModel& target) {
  const double row = std::min(static_cast<double>(k.tile.x), static_cast<double>(k.grid.x));
  return std::clamp(std::floor(row / k.walk.width), 1.0, target.lanes);
}

double lines_of_a_warp(const Kernel& k, const MachineModel& target) {
  if (temporal(k)) return target.lanes * k.value_bytes / kWavefrontBytes;
  const double lanes = lanes_a_row(k, target);
  const double row_bytes = lanes * k.walk.width * k.value_bytes;
  return target.lanes / lanes * std::max(1.0, row_bytes / kWavefrontBytes);
}

double conflict(int lanes, int words, int pitch) {
  if (lanes >= kBanks) return 1;
  const int a_phase = std::max(1, kBanks / words);
  const int phases = kBanks / a_phase;
  double most = 0;
  for (int phase = 0; phase < phases; ++phase) {
    std::array<int, kBanks> bank{};
    for (int lane = phase * a_phase; lane < (phase + 1) * a_phase; ++lane) {
      const int first = lane / lanes * pitch + lane % lanes * words;
      for (int w = 0; w < words; ++w) ++bank[(first + w) % kBanks];
    }
    most += *std::max_element(bank.begin(), bank.end());
  }
  return most / phases;
}

double largest_bin(int balls, int bins) {
  // P(no bin has more than m) = balls! / bins^balls [x^balls] (sum_{k <= m} x^k / k!)^bins.
  double expected = 0;
  for (int m = 0; m < balls; ++m) {
    std::vector<double> ways(balls + 1, 0.0);
    ways[0] = 1;
    for (int bin = 0; bin < bins; ++bin) {
      std::vector<double> next(balls + 1, 0.0);
      for (int n = 0; n <= balls; ++n) {
        double chance = 1;  // of k balls of n in this one: n! / (k! (n - k)!) ways
        for (int k = 0; k <= std::min(m, n); ++k) {
          next[n] += ways[n - k] * chance;
          chance *= static_cast<double>(n - k) / (k + 1);
        }
      }
      ways = next;
    }
    expected += 1 - ways[balls] / std::pow(bins, balls);
  }
  return expected;
}

Accesses accesses_of(const Kernel& k) {
  const double own = own_cells(k);
  double loads = k.loads, scratch = k.scratch;
  for (const Gather& g : {k.gather, k.other_gather}) {
    if (g.home == TableHome::none) continue;
    (g.home == TableHome::scratch ? scratch : loads) -= g.elements;
  }
  if (temporal(k)) {
    const double computed = own * k.valid_share;
    return {loads * computed, k.stores * computed, scratch * computed};
  }
  const double vectors = own / k.walk.width;
  const double aligned = std::max(loads - k.misaligned, 0.0);
  return {aligned * splits(k) * vectors + k.misaligned * own, k.stores * splits(k) * vectors,
          std::max(scratch, 0.0) * vectors};
}

namespace {

/// A warp's reads of coefficients, of one table.
void add_gather(WarpWork& work, const Kernel& k, const Gather& g, const MachineModel& target,
                const machine::ModelConstants& c) {
  const double reads = g.reads * own_cells(k);
  const int words = words_of(g.width * k.value_bytes);
  const Neighbours& n = g.neighbours;
  double misses = 0;
  switch (g.home) {
    case TableHome::none:
      return;
    case TableHome::scratch:
      work.cycles += reads * *c.wavefront_scratch * words * column_conflict(words, n.unrelated);
      return;
    case TableHome::cache:
      misses = reads * (n.different - 1) * n.unrelated * table_misses(k, g, target, *c.table_share);
      work.cycles +=
          *c.wavefront_column * (reads * (words + *c.unrelated_columns * n.unrelated) + misses);
      break;
    case TableHome::l2:
      misses = reads * n.different;
      work.cycles += *c.wavefront_column * misses;
      break;
  }
  work.misses += misses;
}

}  // namespace

WarpWork warp_work(const Kernel& k, const MachineModel& target) {
  const machine::ModelConstants& c = target.constants;
  const Accesses a = accesses_of(k);
  const double lines = lines_of_a_warp(k, target);
  WarpWork work;
  work.cycles = a.loads * (*c.wavefront_load * lines + *c.wavefront_fill) +
                a.stores * *c.wavefront_store * lines +
                a.scratch * *c.wavefront_scratch * scratch_wavefronts(k, target);
  for (const Gather& g : {k.gather, k.other_gather}) add_gather(work, k, g, target, c);
  return work;
}

}  // namespace tessera::model
