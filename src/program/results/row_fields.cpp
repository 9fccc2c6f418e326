// SPDX-License-Identifier: Apache-2.0
// What a row of a result file holds: the one place where its fields are declared.
#include "program/results/file_fields.hpp"
#include "program/results/result.hpp"

namespace tessera::results {
namespace {

using machine::Rate;

Type count() { return whole(0); }
Type derived() { return maybe(number(kDerived)); }

// Where a field shows: a column of CSV, of `run --wide`, of the table of counters.
Shown csv(const char* column) { return {column}; }
Shown label(const char* heading) { return {nullptr, heading}; }
Shown wide(const char* column, const char* heading, int digits, double scale = 1) {
  return {column, heading, digits, Shown::Table::wide, scale};
}
Shown volumes(const char* heading, int digits = 1) {
  return {nullptr, heading, digits, Shown::Table::volumes};
}

const Fields kGcell = {
    {"min", number(kUpdates), "", &Rate::min, csv("gcell_per_s_min")},
    {"median", number(kUpdates), "", &Rate::median, wide("gcell_per_s_median", "GCell/s", 3)},
    {"max", number(kUpdates), "", &Rate::max, csv("gcell_per_s_max")},
};

const Fields kResources = {
    {"launch?",
     text({"TeamPolicy", "MDRangePolicy", "RangePolicy", "native", "resident", "KokkosSparse"}),
     "docs/kokkos.md"},
    {"league?", count(), "teams"},
    {"team?", count(), "threads"},
    {"scratch_bytes?", count()},
    {"tile?", list(count(), 3, 3), "along x, y, z"},
    {"default_tile?", list(count(), 3, 3), "what Kokkos chose, of the first region"},
    {"halo_cells?", count()},
    {"loads_per_cell?", number(0)},
    {"stores_per_cell?", number(0)},
    {"scratch_loads_per_cell?", number(0)},
    {"scratch_stores_per_cell?", number(0)},
    {"cached_bytes?", number(0), "that a thread's caches hold between two uses; 0: not known"},
    {"minimal_elements_per_cell?", number(0), "of the plain formula"},
    {"moved_elements_per_cell?", number(0), "as the variant stores and blocks its fields"},
    {"flops_per_cell?", number(0), "", {}, label("flop/cell")},
    {"temporal_depth?", count()},
    {"verify_seed?", count(), "`tessera verify --seed` repeats the check"},
    {"storage_error?",
     number(0),
     "relative L2 error of the field after the run's steps, at a reduced size, against fields that "
     "are kept as they are",
     {},
     wide("storage_error", "storage error", 6)},
    {"verify_worst_of_bound?", number(0), "largest error, as a share of its bound"},
};

const Fields kStages = {
    {"gm", number(0), "device memory", {}, volumes("predicted")},
    {"l2", number(0), "L2", {}, volumes("predicted L2")},
    {"smx", number(0), "L1 and scratch"},
};
const Fields kStageSeconds = {
    {"gm", number(0), "device memory"},
    {"l2", number(0), "L2"},
    {"smx", number(0), "L1 and scratch"},
};
const Fields kPaper = {
    {"volume_bytes_per_cell", object(kStageSeconds)},
    {"volume_without_misses", object(kStageSeconds)},
    {"step_s", number(0)},
    {"step_s_without_misses", number(0)},
    {"adjusted_s", number(0)},
};
const Fields kPredicted = {
    {"model?", maybe(text()), "null where no model applies"},
    {"machine?", text()},
    {"constants_of?", text(), "the machine that lent constants which the machine's file lacks"},
    {"ports?", text({"measured", "constants"}), "of the host model: where a core's rates are from"},
    {"bytes_per_cell?", number(0), "minimal traffic", {}, volumes("least B/cell")},
    {"least_step_s?", maybe(number(0)), "at the copy bandwidth"},
    {"step_s?", maybe(number(0)), "", {}, csv("predicted_step_s")},
    {"gcell_per_s?", number(0), "", {}, wide("predicted_gcell_per_s", "predicted", 3)},
    {"deviation?",
     maybe(number(-1)),
     "predicted over measured time, less 1",
     {},
     wide("predicted_deviation", "dev. %", 1)},
    {"attainable_gcell_per_s?", number(0), "EBISU's P, of temporal blocking"},
    {"valid_share?", number(0), "of the computed cells, those stored"},
    {"barriers?", number(0), "of the whole device, a launch"},
    {"barrier_share?", maybe(number(0)), "of the time, by EBISU (11)"},
    {"binding?", text(), "the stage that takes longest"},
    {"fraction_of_attainable?",
     number(0),
     "measured",
     {},
     wide("fraction_of_attainable", "% of attainable", 1)},
    {"volume_bytes_per_cell?", object(kStages)},
    {"stage_s?", object(kStageSeconds)},
    {"counted_gm_bytes_per_cell?", number(0), "what a counter of one kernel sees"},
    {"paper?", object(kPaper), "by Su's printed formulas"},
};

const Fields kKernel = all_of({
    {{"name", text()}, {"launches?", whole(0)}},
    fields({"dram_bytes?",
            "dram_read_bytes?",
            "dram_write_bytes?",
            "l2_bytes?",
            "l2_read_bytes?",
            "l2_write_bytes?",
            "l1_bytes?",
            "l1_read_bytes?",
            "l1_write_bytes?",
            "scratch_loads?",
            "scratch_stores?",
            "scratch_instructions?",
            "waves?",
            "seconds?",
            "registers?",
            "achieved_warps?",
            "achieved_occupancy?",
            "dram_busy?",
            "l2_busy?",
            "l1_busy?",
            "issue_busy?"},
           number(0)),
});

const Fields kCounters = {
    {"profiler?", text(), "what counted"},
    {"nx?", count(), "of the case that was counted: it may be a smaller one"},
    {"ny?", count()},
    {"nz?", count()},
    {"steps?", count()},
    {"dram_bytes_per_cell?",
     number(0),
     "device memory (a host's memory)",
     {},
     volumes("DRAM B/cell")},
    {"dram_read_bytes_per_cell?", number(0)},
    {"dram_write_bytes_per_cell?", number(0)},
    {"achieved_gb_per_s?",
     number(0),
     "device-memory bytes over the row's own time",
     {},
     volumes("GB/s achieved")},
    {"read_write_ratio?",
     number(0),
     "device-memory bytes read over written",
     {},
     volumes("R/W", 3)},
    {"dram_flop_per_byte?", number(0), "intensity by counted bytes", {}, volumes("DRAM flop/B", 2)},
    {"dram_roofline_gflop_per_s?", number(0), "attainable there", {}, label("DRAM roof GFLOP/s")},
    {"dram_fraction_of_roofline?", number(0), "of it", {}, volumes("% of DRAM roof")},
    {"l2_bytes_per_cell?",
     number(0),
     "between L2 and the caches above: sectors of 32 B (CUDA), requests of 64 B (HIP)",
     {},
     volumes("L2 B/cell")},
    {"l2_read_bytes_per_cell?", number(0), "", {}, label("L2 read B/cell")},
    {"l2_write_bytes_per_cell?", number(0), "", {}, label("L2 write B/cell")},
    {"l2_flop_per_byte?", number(0), "", {}, volumes("L2 flop/B", 2)},
    {"l2_roofline_gflop_per_s?", number(0), "needs a machine file", {}, label("L2 roof GFLOP/s")},
    {"l2_fraction_of_roofline?", number(0), "", {}, volumes("% of L2 roof")},
    {"l1_bytes_per_cell?",
     number(0),
     "between registers and L1: sectors of 32 B (CUDA)",
     {},
     label("L1 B/cell")},
    {"l1_read_bytes_per_cell?", number(0)},
    {"l1_write_bytes_per_cell?", number(0)},
    {"l1_flop_per_byte?", number(0)},
    {"l1_roofline_gflop_per_s?", number(0)},
    {"l1_fraction_of_roofline?", number(0)},
    {"scratch_instructions_per_wave?",
     number(0),
     "of a warp or wave on team scratch, all kernels of a step; without asynchronous copies",
     {},
     label("LDS inst/wave")},
    {"step_s?", number(0), "at the profiler's clocks: not a result"},
    {"registers?", number(0), "of the kernel that takes longest"},
    {"achieved_warps?", number(0), "of that kernel", {}, label("achieved warps")},
    {"achieved_occupancy?", number(0), "of that kernel", {}, label("achieved %")},
    {"dram_busy?", number(0), "of that kernel: share of the peak rate of device memory (CUDA)"},
    {"l2_busy?", number(0), "of L2"},
    {"l1_busy?", number(0), "of the data path of L1 and scratch"},
    {"issue_busy?", number(0), "of the instruction schedulers"},
    {"kernels?", list(object(kKernel)), "by functor"},
};

const Fields kColumn = {
    {"title", text()},
    {"device", text()},
    {"quantity", text(), "the field of a row that it stands beside"},
    {"label", text()},
    {"value", number()},
};
const Fields kPublished = {
    {"source?", text()},
    {"columns?", list(object(kColumn))},
};

const Fields kEnergy = {
    {"source?", text(),
     "`nvml`, `nvml-power`, `rocm-smi`, `rocm-smi-power`, `rapl-package`, "
     "`rapl-package+dram`"},
    {"period_s?", number(0), "between two values of the counter"},
    {"samples?", count(), "how many were counted"},
    {"joules?",
     number(0),
     "of one sample, the mean; absent where `error` exceeds 0.2",
     {},
     csv("joules")},
    {"seconds?", number(0), "of that sample"},
    {"watts?", number(0), "", {}, wide("watts", "W", 1)},
    {"cells_per_joule?",
     number(0),
     "cell updates",
     {},
     wide("cells_per_joule", "MCell/J", 1, 1e-6)},
    {"error?", number(0), "the largest, `period_s` over `seconds`", {}, csv("energy_error")},
    {"reason?", text()},
};

Type by_rank() { return list(number(0)); }
const Fields kParallel = {
    {"ranks?", whole(2, 1 << 24)},
    {"rank_grid?", list(whole(1, 1 << 24), 3, 3), "along x, y, z"},
    {"transport?", text({"mpi", "nccl", "staged"})},
    {"overlap?", flag(), "whether exchanges ran beside computation"},
    {"steps_per_exchange?", whole(1, 1LL << 40)},
    {"compute_s?", by_rank(), "of each rank, a step without exchange"},
    {"pack_s?", by_rank(), "packing and unpacking alone"},
    {"exchange_s?", by_rank(), "exchanges alone, packing included"},
    {"exchange_hidden_s?", by_rank(), "of them, beside computation"},
    {"exchange_exposed_s?", number(0),
     "what a step takes longer than the busiest rank's computation"},
    {"imbalance?", number(-1), "the busiest rank's computation over the mean, less 1"},
    {"bytes_sent?", by_rank(), "an exchange"},
    {"messages_sent?", by_rank(), "an exchange"},
};

const Fields kRow = {
    {"family", text(), "", &Result::family, csv("family")},
    {"stencil", text(), "", &Result::stencil, csv("stencil")},
    {"variant", text(), "`acoustic/gmem`", &Result::variant, csv("variant")},
    {"configuration", text(), "what follows the colon", &Result::configuration,
     csv("configuration")},
    {"decomposition", text(), "regions (acoustic), layout of rows (directional), else empty",
     &Result::decomposition, csv("decomposition")},
    {"precision", precision(), "", &Result::precision, csv("precision")},
    {"model?", text(), "kind of model where a stencil has several (ete)", &Result::model,
     csv("model")},
    {"details?", text(),
     "what else identifies the problem: `pml_cells=27`, then keys of the deck that are not as "
     "usual, as `seed=2`; empty in older files",
     &Result::details, csv("details")},
    {"nx", number(kCells), "", &Result::nx, csv("nx")},
    {"ny", number(kCells), "", &Result::ny, csv("ny")},
    {"nz", number(kCells), "", &Result::nz, csv("nz")},
    {"steps", number(kSteps), "of a sample, from the initial data", &Result::steps, csv("steps")},
    {"status", text({"valid", "invalid", "unsupported", "unverified", "unmeasured"}),
     "`valid`: equals the reference within the bound; `unverified`: ran for a profiler; "
     "`unmeasured`: interrupted, or out of time",
     &Result::status, csv("status")},
    {"reason", text(), "why it is not valid, or a remark", &Result::reason, csv("reason")},
    {"baseline?", flag(), "whether it is what its family's others are compared with",
     &Result::baseline},
    {"samples_s", list(number(kSeconds)), "seconds a *step*, one a repetition", &Result::samples_s},
    {"steps_per_sample", number(kStepsOfSample), "timed together", &Result::steps_per_sample,
     csv("steps_per_sample")},
    {"temporal_depth", whole(1, 65536), "steps that one pass over memory advances",
     &Result::temporal_depth, csv("temporal_depth")},
    {"iqr_s", derived(), "inter-quartile range of the samples", &Result::iqr_s, csv("iqr_s")},
    {"noisy", flag(), "whether it exceeds 3 % of the median", &Result::noisy, csv("noisy")},
    {"gcell_per_s", maybe(object(kGcell)), "null unless valid",
     Member(&Result::gcell_per_s, kGcell)},
    {"effective_gb_per_s?", derived(), "compulsory bytes of a step over the median time",
     &Result::effective_gb_per_s, wide("effective_gb_per_s", "GB/s effective", 1)},
    {"fraction_of_copy?", derived(), "of this run's stream", &Result::fraction_of_copy,
     wide("fraction_of_copy", "% of copy", 1)},
    {"fraction_of_update?", derived(), "of this run's stream", &Result::fraction_of_update,
     wide("fraction_of_update", "% of update", 1)},
    {"gflop_per_s?", derived(), "by the flop convention (docs/numerics.md)", &Result::gflop_per_s,
     wide("gflop_per_s", "GFLOP/s", 1)},
    {"flop_per_byte?", derived(), "intensity by compulsory bytes", &Result::flop_per_byte,
     wide("flop_per_byte", "flop/B", 2)},
    {"roofline_gflop_per_s?", derived(), "attainable at that intensity",
     &Result::roofline_gflop_per_s, csv("roofline_gflop_per_s")},
    {"fraction_of_roofline?", derived(),
     "of it; two steps a pass may exceed 1, least traffic being that of single steps",
     &Result::fraction_of_roofline, wide("fraction_of_roofline", "% of roof", 1)},
    {"moved_bytes_per_cell?", derived(), "as the variant stores and blocks its fields",
     &Result::moved_bytes_per_cell, wide("moved_bytes_per_cell", "moved B/cell", 1)},
    {"fraction_at_moved?", derived(), "of what is attainable at these bytes",
     &Result::fraction_at_moved, wide("fraction_at_moved", "% at moved", 1)},
    {"u_min?", maybe(number()), "of the final field", &Result::u_min, csv("u_min")},
    {"u_max?", maybe(number()), "to compare with another code's", &Result::u_max, csv("u_max")},
    {"resources", object(kResources), "the plan of the launch", &Result::resources},
    {"predicted", object(kPredicted), "by the model (docs/model.md)", &Result::predicted},
    {"counters", object(kCounters), "imported by `tools/counters.py`", &Result::counters},
    {"published?", object(kPublished), "what a paper printed of it", &Result::published},
    {"energy?", object(kEnergy), "of the samples, where the machine measures it", &Result::energy},
    {"parallel?", object(kParallel), "of a row that ran on several ranks", &Result::parallel},
};

void append_row_fields(const Fields& fields, const std::string& prefix,
                       std::vector<RowField>& all) {
  for (const Field& field : fields.entries) {
    all.push_back({prefix + field.name, &field});
    if (field.type.fields != nullptr && !field.type.list) {
      append_row_fields(*field.type.fields, all.back().path + ".", all);
    }
  }
}

}  // namespace

const Fields& row_fields() { return kRow; }
const Fields& resources_fields() { return kResources; }
const Fields& predicted_fields() { return kPredicted; }
const Fields& published_fields() { return kPublished; }
const Fields& parallel_fields() { return kParallel; }

const std::vector<RowField>& all_row_fields() {
  static const std::vector<RowField> kAll = [] {
    std::vector<RowField> all;
    append_row_fields(kRow, "", all);
    return all;
  }();
  return kAll;
}

json value_at(const json& row, std::string_view path) {
  const json* at = &row;
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    const auto found = at->find(std::string(path.substr(0, dot)));
    if (found == at->end()) return nullptr;
    at = &*found;
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return at->is_object() && at->contains("median") ? at->at("median") : *at;
}

}  // namespace tessera::results
