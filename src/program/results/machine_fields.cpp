// SPDX-License-Identifier: Apache-2.0
// What a machine file holds: wide enough for machines to come, narrow enough for models, which
// divide by it, make a whole number of it or loop over it.
#include "program/results/file_fields.hpp"
#include "program/results/machine_file.hpp"

namespace tessera::machine {
namespace {

using results::Fields;
using results::list;
using results::Member;
using results::number;
using results::NumberRange;
using results::object;
using results::text;
using M = ModelConstants;

constexpr NumberRange kUnits{1, 1e6, true};
constexpr NumberRange kLanes{1, 1024, true};
constexpr NumberRange kThreads{1, 65536, true};
constexpr NumberRange kTeams{1, 4096, true};
constexpr NumberRange kProcessors{1, 65536, true};
constexpr NumberRange kRegistersOfUnit{1024, 1e7, true};
constexpr NumberRange kRegistersOfThread{1, 65536, true};
constexpr NumberRange kScratch{1, 1e9, true};
constexpr NumberRange kLine{1, 65536, true};
constexpr NumberRange kBytes{1, 1e15, true};
constexpr NumberRange kClock{1e-3, 100};           ///< GHz
constexpr NumberRange kBandwidth{1e-3, 1e6};       ///< GB/s of memory
constexpr NumberRange kCacheBandwidth{1e-3, 1e8};  ///< GB/s of all instances together
constexpr NumberRange kRate{1e-3, 1e9};            ///< GFLOP/s
constexpr NumberRange kLatency{1e-6, 1e6};         ///< cycles or microseconds
constexpr NumberRange kInACycle{1e-6, 1e6};        ///< instructions or elements

/// A constant of a model may be 0: the effect is not there.
constexpr NumberRange kEffect{0, 1e6};
constexpr NumberRange kShare{0, 100};
constexpr NumberRange kRegisterBase{0, 1024};
// What models divide by.
constexpr NumberRange kDivisor{1e-6, 1e6};
constexpr NumberRange kScale{1e-2, 100};
constexpr NumberRange kBytesInACycle{1e-2, 1e6};
/// An exponent: times of nanoseconds to its power are numbers yet.
constexpr NumberRange kExponent{0.5, 32};

const Fields kMemory = {
    {"bytes?", number(kBytes), "", &Machine::memory_bytes},
    {"atom_bytes?", number(kLine), "the least that memory delivers", &Machine::memory_atom_bytes},
    {"copy_gb_per_s?", number(kBandwidth), "b = a", &Machine::copy_gb_per_s},
    {"triad_gb_per_s?", number(kBandwidth), "c = a + s b", &Machine::triad_gb_per_s},
    {"update_gb_per_s?", number(kBandwidth), "b = a + q b", &Machine::update_gb_per_s},
    {"copy_streaming_gb_per_s?", number(kBandwidth), "non-temporal stores",
     &Machine::copy_streaming_gb_per_s},
    {"theoretical_gb_per_s?", number(kBandwidth), "", &Machine::theoretical_gb_per_s},
};
const Fields kPeak = {
    {"float_gflop_per_s?", number(kRate), "", &Machine::float_gflop_per_s},
    {"double_gflop_per_s?", number(kRate), "", &Machine::double_gflop_per_s},
};
const Fields kLatencies = {
    {"launch_us?", number(kLatency), "one of many launches", &Machine::launch_us},
    {"launch_fenced_us?", number(kLatency), "launch and wait", &Machine::launch_fenced_us},
    {"barrier_us?", number(kLatency),
     "of all teams: one a multiprocessor; of all threads of a host", &Machine::barrier_us},
    {"memory_cycles?", number(kLatency), "one load, in cycles of clock_ghz",
     &Machine::memory_cycles},
    {"scratch_cycles?", number(kLatency), "one load", &Machine::scratch_cycles},
    {"fma_cycles?", number(kLatency), "a dependent multiply-add of doubles", &Machine::fma_cycles},
};
const Fields kLimits = {
    {"lanes?", number(kLanes), "", &Machine::lanes},
    {"threads_per_unit?", number(kThreads), "", &Machine::threads_per_unit},
    {"threads_per_team?", number(kThreads), "", &Machine::threads_per_team},
    {"teams_per_unit?", number(kTeams), "", &Machine::teams_per_unit},
    {"registers_per_unit?", number(kRegistersOfUnit), "", &Machine::registers_per_unit},
    {"registers_per_thread?", number(kRegistersOfThread), "", &Machine::registers_per_thread},
    {"scratch_bytes_per_unit?", number(kScratch), "", &Machine::scratch_bytes_per_unit},
    {"scratch_bytes_per_team?", number(kScratch), "", &Machine::scratch_bytes_per_team},
    {"processors_per_unit?", number(kProcessors), "", &Machine::processors_per_unit},
};
const Fields kCacheLevel = {
    {"level", text(), "L1, L2, L3 or scratch", &MachineCache::level},
    {"bytes?", number(kBytes), "of one instance", &MachineCache::bytes},
    {"line_bytes?", number(kLine), "", &MachineCache::line_bytes},
    {"instances?", number(kUnits), "", &MachineCache::instances},
    {"gb_per_s?", number(kCacheBandwidth), "of all instances", &MachineCache::gb_per_s},
};
const Fields kCore = {
    {"precision", results::precision(), "", &CoreWidth::precision},
    {"vector_bytes", number(kLine), "of one element: no vectors", &CoreWidth::vector_bytes},
    {"loads?", number(kInACycle), "whole vectors", &CoreWidth::loads},
    {"stores?", number(kInACycle), "", &CoreWidth::stores},
    {"sums?", number(kInACycle), "", &CoreWidth::sums},
    {"products?", number(kInACycle), "", &CoreWidth::products},
    {"mixed?", number(kInACycle), "sums and products in turn", &CoreWidth::mixed},
    {"gathers?", number(kInACycle), "elements of a table in L1, by an index", &CoreWidth::gathers},
};
const Fields kModel = {
    {"delta?", number(kEffect), "of Su's formulas (8), (15) and (17)", &M::delta},
    {"epsilon?", number(kEffect), "of Su's formulas (8), (15) and (17)", &M::epsilon},
    {"eta?", number(kEffect), "of Su's formulas (8), (15) and (17)", &M::eta},
    {"l2_share?", number(kShare), "of the L2, that holds what will be read again", &M::l2_share},
    {"dirty_share?", number(kShare), "of the L2, that waits to be written when a kernel ends",
     &M::dirty_share},
    {"l2_scale?", number(kScale), "L2 bandwidth that kernels see over the one measured",
     &M::l2_scale},
    {"overlap?", number(kExponent), "exponent that joins the stages; a large one is their maximum",
     &M::overlap},
    {"tail?", number(kShare), "of the last round's idle units, the share that costs time",
     &M::tail},
    {"team_ns?", number(kEffect), "between the starts of two blocks on a unit", &M::team_ns},
    {"warp_us?", number(kEffect), "a warp adds to its block's life", &M::warp_us},
    {"plane_us?", number(kEffect), "a plane adds: one dependent trip to memory", &M::plane_us},
    {"lookups_per_cycle?", number(kDivisor), "lines that a unit's on-chip storage finds in a cycle",
     &M::lookups_per_cycle},
    {"drift_planes?", number(kEffect), "that blocks which walk side by side are apart",
     &M::drift_planes},
    {"loss_steepness?", number(0, 1000), "of what a cache has lost, about what it holds",
     &M::loss_steepness},
    {"register_base?", number(kRegisterBase),
     "of a thread, beside those of the values that it keeps", &M::register_base},
    {"clock_share?", number(kScale), "of clock_ghz, at which kernels run", &M::clock_share},
    {"wavefront_load?", number(kEffect), "cycles of the data path for a line that a warp reads",
     &M::wavefront_load},
    {"wavefront_fill?", number(kEffect), "and for each read, lines that come in",
     &M::wavefront_fill},
    {"wavefront_store?", number(kEffect), "for a line that it writes", &M::wavefront_store},
    {"wavefront_scratch?", number(kEffect), "for 128 bytes of scratch", &M::wavefront_scratch},
    {"wavefront_column?", number(kEffect), "for a word of coefficients from L1",
     &M::wavefront_column},
    {"unrelated_columns?", number(kEffect), "words more where neighbours read unrelated columns",
     &M::unrelated_columns},
    {"table_share?", number(kShare), "of L1 that scratch leaves, what a table competes with",
     &M::table_share},
    {"misses_per_cycle?", number(kDivisor), "scattered requests to L2 that a unit makes in a cycle",
     &M::misses_per_cycle},
    {"trip_cycles?", number(kEffect), "a dependent trip to memory, arrays of a GB",
     &M::trip_cycles},
    {"translation?", number(kEffect), "longer by this share for e times as large arrays",
     &M::translation},
    {"barrier_cycles?", number(kEffect), "a barrier of a team", &M::barrier_cycles},
    {"start_cycles?", number(kEffect), "a block's life before its first plane", &M::start_cycles},
    {"warp_cycles?", number(kEffect), "a warp adds to its team's plane", &M::warp_cycles},
    {"own_work?", number(kShare), "of its wavefronts, that nothing overlaps", &M::own_work},
    {"level_cycles?", number(kEffect), "a plane of a time step of a temporally blocked stream",
     &M::level_cycles},
    {"exchange_us?", number(kEffect), "all teams wait for each other, and halos come through L2",
     &M::exchange_us},
    {"halo_share?", number(kShare), "of temporal halos, what L2 has lost", &M::halo_share},
    {"load_bytes?", number(kBytesInACycle), "of a core to and from L1 in a cycle", &M::load_bytes},
    {"store_bytes?", number(kBytesInACycle), "of a core to and from L1 in a cycle",
     &M::store_bytes},
    {"vector_bytes?", number(kBytesInACycle), "of a register", &M::vector_bytes},
    {"port_share?", number(kEffect), "cycles of loads and stores over those of the ports",
     &M::port_share},
    {"flop_cycles?", number(kEffect), "a vector operation", &M::flop_cycles},
    {"gather_cycles?", number(kEffect), "an element read by an index", &M::gather_cycles},
    {"row_cycles?", number(kEffect), "a loop over a row begins and ends", &M::row_cycles},
    {"layer_cycles?", number(kEffect), "a cell with a branch and a division", &M::layer_cycles},
    {"scratch_cycles?", number(kEffect), "an access of team scratch", &M::scratch_cycles},
    {"scalar_cycles?", number(kEffect), "an operation of a loop that is not vectorised",
     &M::scalar_cycles},
    {"l1_share?", number(kShare), "of L1, that holds rows until they are read again", &M::l1_share},
    {"first_uses?", number(kShare),
     "of scratch loads, those that do not find what a row or plane before has read",
     &M::first_uses},
    {"l2_bytes_per_cycle?", number(kBytesInACycle), "to a core", &M::l2_bytes_per_cycle},
    {"l3_bytes_per_cycle?", number(kBytesInACycle), "to a core", &M::l3_bytes_per_cycle},
    {"memory_scale?", number(kScale), "memory bandwidth that kernels see over the one measured",
     &M::memory_scale},
    {"time_residual?", number(kEffect), "mean |predicted / measured - 1|, runs not fitted",
     &M::time_residual},
    {"volume_residual?", number(kEffect), "mean |predicted / measured - 1|, runs not fitted",
     &M::volume_residual},
    {"runs?", number(kEffect), "how many, fitted or not", &M::runs},
};
const Fields kFile = {
    {"schema", text({kMachineSchema})},
    {"name", results::some_text(), "short, as in file names", &Machine::name},
    {"kind", text({"cpu", "gpu"}), "", &Machine::kind},
    {"device", results::some_text(), "the vendor's name", &Machine::device},
    {"source", results::some_text(), "where the numbers come from", &Machine::source},
    {"precision?", text({"", "float", "double"}), "of the measured bandwidths",
     &Machine::precision},
    {"architecture?", text(), "of a GPU, as compilers name it: sm_90, gfx90a",
     &Machine::architecture},
    {"predicted_by?", text({"", kTrafficModel, kDeviceModel, kHostModel}),
     "the model that is for it (docs/model.md)", &Machine::predicted_by},
    {"units?", number(kUnits), "cores, multiprocessors, compute units", &Machine::units},
    {"clock_ghz?", number(kClock), "highest clock", &Machine::clock_ghz},
    {"memory", object(kMemory), "GB = 10^9 bytes; one of the bandwidths is required"},
    {"caches?", list(object(kCacheLevel)), "nearest first", Member(&Machine::caches, kCacheLevel)},
    {"core?", list(object(kCore)),
     "what a core does in a cycle of clock_ghz, data in registers and L1, one vector width each",
     Member(&Machine::core, kCore)},
    {"peak?", object(kPeak), "a fused multiply-add counts two"},
    {"latency?", object(kLatencies)},
    {"limits?", object(kLimits), "what occupancy follows from"},
    {"model?", object(kModel), "constants of the traffic models (docs/model.md)",
     Member(&Machine::model, kModel)},
    {"metadata?", results::any_object(), "kept, not interpreted", &Machine::metadata},
};

}  // namespace

const Fields& machine_file_fields() { return kFile; }
const Fields& model_constants_fields() { return kModel; }

}  // namespace tessera::machine
