// SPDX-License-Identifier: Apache-2.0
#include "program/predict/predict.hpp"

#include <fmt/format.h>
#include "base/io/json_file.hpp"
#include "program/measure/machine_info.hpp"
#include "program/predict/host_model.hpp"
#include "program/predict/plans.hpp"
#include "program/results/file_fields.hpp"

#include <algorithm>
#include <utility>

namespace tessera {
namespace {

void add(model::ByStage& sum, const model::ByStage& more) {
  sum.gm += more.gm, sum.l2 += more.l2, sum.smx += more.smx;
}

nlohmann::json by_stage(const model::ByStage& value, double factor) {
  return {{"gm", value.gm * factor}, {"l2", value.l2 * factor}, {"smx", value.smx * factor}};
}

}  // namespace

int registers_of(const std::vector<measure::KernelResources>& table, const Selected& how,
                 const std::string& configuration, const std::string& precision,
                 const std::string& stencil, const Region& region) {
  // A family with several stencils has their short names in the table's column of formulas.
  const std::string name = stencil.substr(stencil.find('/') + 1);
  for (const std::string& formula : {name, std::string(to_string(region.update))}) {
    const auto kernel = measure::find_kernel(table, how.variant->full_name(), configuration,
                                             precision, formula, stencil);
    if (kernel) return kernel->registers;
  }
  return 0;
}

Problem problem_on(const Case& c, const model::MachineModel& target) {
  Problem problem = c.problem();
  problem.machine = target.machine;
  return problem;
}

namespace {

/// One region by the model that the machine's file has constants for. `longest_s`: of the regions
/// so far.
void add_region(TrafficPrediction& sum, const model::Kernel& kernel,
                const model::MachineModel& target, double& longest_s) {
  const auto add_a_step = [&](model::ByStage& all, const model::ByStage& launch) {
    add(all, {launch.gm / kernel.depth, launch.l2 / kernel.depth, launch.smx / kernel.depth});
  };
  const model::LaunchPrediction p = model::predict_launch(kernel, target);
  add_a_step(sum.volume, p.volume);
  add_a_step(sum.seconds, p.seconds);
  sum.counted_gm += p.counted_gm / kernel.depth;
  sum.step_s += p.total_s / kernel.depth;
  sum.model = target.model;
  if (p.total_s > longest_s) longest_s = p.total_s, sum.binding = p.binding;
  if (target.model == machine::kTrafficModel) sum.binding = model::binding_stage(sum.seconds);
  if (target.model == machine::kHostModel) {
    sum.ports =
        model::measured_core(target, kernel.value_bytes) != nullptr ? "measured" : "constants";
  }
  if (kernel.depth > 1) return;
  const model::PaperPrediction paper = model::predict_by_paper(kernel, target);
  add(sum.paper_volume, paper.volume);
  add(sum.paper_net_volume, paper.net_volume);
  sum.paper_s += paper.bound_s;
  sum.paper_net_s += paper.net_bound_s;
  sum.paper_adjusted_s += paper.adjusted_s;
}

}  // namespace

RegionKernels kernels_of(const Selected& how, const std::vector<Region>& regions,
                         const Problem& problem, double cells, const RegistersOf& registers) {
  RegionKernels all;
  for (const Region& region : regions) {
    const Plan plan = how.variant->plan(how.configuration, region, problem);
    const bool temporal = plan.temporal_depth > 1;
    all.unsupported = plan.unsupported;
    if (temporal && how.variant->family != "jacobi") {
      all.unsupported = "makes several steps at once: the models have no equation for its layers";
    } else if (!temporal && plan.supported() && !model::describes_traffic(plan)) {
      all.unsupported = "its plan does not describe traffic";
    }
    if (!all.unsupported.empty()) return all;
    all.kernels.push_back(
        model::kernel_of(plan, region.box, problem.value_bytes, registers(region)));
    // Rows of a plane are what passes of several steps stream in two dimensions.
    model::Dims& grid = all.kernels.back().grid;
    if (temporal && grid.z == 1) std::swap(grid.y, grid.z);
    const double arrays = std::max<double>(2, static_cast<double>(plan.arrays.size()));
    all.kernels.back().footprint_bytes = cells * arrays * problem.value_bytes;
  }
  return all;
}

TrafficPrediction predict_regions(const Selected& how, const std::vector<Region>& regions,
                                  const Problem& problem, double cells,
                                  const model::MachineModel& target, const RegistersOf& registers) {
  TrafficPrediction sum;
  const RegionKernels all = kernels_of(how, regions, problem, cells, registers);
  sum.unsupported = all.unsupported;
  if (!all.unsupported.empty()) return sum;
  const bool lives = target.model != machine::kTrafficModel;
  if (all.kernels.front().depth > 1) {
    const Plan plan = how.variant->plan(how.configuration, regions.front(), problem);
    sum.attainable = model::attainable_of(plan, target, problem.value_bytes);
    sum.valid_share = plan.valid_share;
    sum.barriers = plan.barriers;
    sum.barrier_share = model::barrier_share_of(plan, target, *sum.attainable,
                                                static_cast<double>(regions.front().box.cells()));
    if (!lives) {
      sum.remark = fmt::format(
          "blocks in time: attainable {:.4g} GCell/s ({} binds), valid {:.1f} %",
          sum.attainable->cells_per_s / 1e9, sum.attainable->bottleneck, 100 * plan.valid_share);
      if (plan.barriers > 0 && sum.barrier_share) {
        sum.remark += fmt::format(", barriers leave {:.1f} %", 100 * *sum.barrier_share);
      } else if (plan.barriers > 0) {
        sum.remark += ", its barriers not counted: no latency.barrier_us";
      }
      return sum;
    }
  }
  try {
    double longest_s = 0;
    for (const model::Kernel& kernel : all.kernels) add_region(sum, kernel, target, longest_s);
  } catch (const Error& e) {  // not one team fits
    sum.unsupported = e.what();
  }
  return sum;
}

TrafficPrediction predict_traffic(const Case& c, const Selected& how,
                                  const std::string& decomposition,
                                  const model::MachineModel& target,
                                  const std::vector<measure::KernelResources>& registers) {
  return predict_regions(c, how, c.regions(decomposition), static_cast<double>(c.n.cells()), target,
                         registers);
}

TrafficPrediction predict_regions(const Case& c, const Selected& how,
                                  const std::vector<Region>& regions, double cells,
                                  const model::MachineModel& target,
                                  const std::vector<measure::KernelResources>& registers) {
  const std::string& text = how.variant->configuration(how.configuration).text;
  const auto registers_in = [&](const Region& region) {
    return registers_of(registers, how, text, c.precision, c.stencil, region);
  };
  return predict_regions(how, regions, problem_on(c, target), cells, target, registers_in);
}

double blocked_step_s(const TrafficPrediction& p, double cells) {
  if (p.step_s > 0) return p.step_s;
  return cells / (p.attainable->cells_per_s * (p.valid_share * p.barrier_share.value_or(1)));
}

nlohmann::json predicted_json(const TrafficPrediction& p, const StepWork& work,
                              const model::MachineModel& target) {
  nlohmann::json out = {{"bytes_per_cell", work.minimal_bytes / work.cells},
                        {"machine", target.name}};
  if (!target.constants_of.empty()) out["constants_of"] = target.constants_of;
  if (!p.ports.empty()) out["ports"] = p.ports;
  const double least_s = work.minimal_bytes / target.bandwidth.gm;
  out["least_step_s"] = least_s;
  if (p.attainable) {
    out["model"] = "attainable performance (docs/model.md)";
    out["attainable_gcell_per_s"] = p.attainable->cells_per_s / 1e9;
    out["valid_share"] = p.valid_share;
    if (p.barriers > 0) {
      out["barriers"] = p.barriers;
      out["barrier_share"] =
          p.barrier_share ? nlohmann::json(*p.barrier_share) : nlohmann::json(nullptr);
    }
    out["binding"] = p.attainable->bottleneck;
    out["step_s"] = blocked_step_s(p, work.cells);
    out["gcell_per_s"] = work.cells / out["step_s"].get<double>() / 1e9;
    if (p.step_s > 0) {
      out["model"] = p.model + " (docs/model.md)";
      out["counted_gm_bytes_per_cell"] = p.counted_gm / work.cells;
    }
    return out;
  }
  const bool known = p.unsupported.empty();
  if (!known) {
    out["model"] = nullptr;  // a bound is no prediction
    return out;
  }
  out["model"] = p.model + " (docs/model.md)";
  out["step_s"] = p.step_s;
  out["gcell_per_s"] = work.cells / p.step_s / 1e9;
  out["volume_bytes_per_cell"] = by_stage(p.volume, 1 / work.cells);
  out["counted_gm_bytes_per_cell"] = p.counted_gm / work.cells;
  out["stage_s"] = by_stage(p.seconds, 1);
  out["binding"] = p.binding;
  out["paper"] = {{"volume_bytes_per_cell", by_stage(p.paper_volume, 1 / work.cells)},
                  {"volume_without_misses", by_stage(p.paper_net_volume, 1 / work.cells)},
                  {"step_s", p.paper_s},
                  {"step_s_without_misses", p.paper_net_s},
                  {"adjusted_s", p.paper_adjusted_s}};
  return out;
}

model::MachineModel model_for(const machine::Machine& machine, const std::string& precision) {
  model::MachineModel model = model::machine_model_of(machine);
  const auto& peak = precision == "float" ? machine.float_gflop_per_s : machine.double_gflop_per_s;
  model.flop_per_s = 1e9 * peak.value_or(0);
  return model;
}

model::MachineModel model_for(const machine::Machine& machine, const Case& c) {
  return model_for(machine, c.precision);
}

std::vector<PredictedRow> predict_rows(const Case& c, const std::vector<Selected>& selection,
                                       const model::MachineModel& target,
                                       const std::vector<measure::KernelResources>& registers) {
  std::vector<PredictedRow> rows;
  for (const auto& decomposition : c.decompositions) {
    for (const Selected& how : selection) {
      if (!how.variant->computes(c.stencil)) continue;
      PredictedRow row{
          how, decomposition, predict_traffic(c, how, decomposition, target, registers), {}};
      row.json = predicted_json(row.prediction, c.work(), target);
      row.json["name"] = how.full_name();
      row.json["stencil"] = c.stencil;
      row.json["decomposition"] = decomposition;
      row.json["unsupported"] = row.prediction.unsupported;
      if (!row.prediction.remark.empty()) row.json["remark"] = row.prediction.remark;
      const Plan plan = plan_of_regions(how, c.regions(decomposition), problem_on(c, target));
      if (plan.supported()) row.json["resources"] = to_json(plan);
      rows.push_back(std::move(row));
    }
  }
  require(!rows.empty(), "the selection leaves no variant that computes {}", c.stencil);
  return rows;
}

void set_published(std::vector<PredictedRow>& rows, const Case& c,
                   const results::Published& published) {
  for (PredictedRow& row : rows) {
    const results::PublishedRow* printed =
        find_row(published, row.how.full_name(), "", c.stencil, c.precision);
    if (printed != nullptr) row.json["published"] = to_json(published, *printed);
  }
}

std::optional<double> predicted_quantity(const std::string& quantity, const nlohmann::json& row,
                                         const StepWork& work, const model::MachineModel& target) {
  const double rate = row.value("gcell_per_s", 0.0);
  if (rate <= 0) return std::nullopt;
  const double flops = work.flops / work.cells, bytes = work.minimal_bytes / work.cells;
  if (quantity == "gcell_per_s") return rate;
  if (quantity == "gflop_per_s") return rate * flops;
  if (quantity == "effective_gb_per_s") return rate * bytes;
  if (quantity == "flop_per_byte") return flops / bytes;
  if (quantity == "resources.flops_per_cell") return flops;
  // Volumes, and roofs at their intensities: of what counters see of memory, of L2, of L1.
  const std::string prefix = "counters.";
  if (quantity.compare(0, prefix.size(), prefix) != 0) return std::nullopt;
  const std::string counter = quantity.substr(prefix.size());
  const auto volume = [&](const char* level) {
    return row.value(nlohmann::json::json_pointer(std::string("/volume_bytes_per_cell/") + level),
                     0.0);
  };
  const double dram = row.value("counted_gm_bytes_per_cell", 0.0);
  if (counter == "achieved_gb_per_s" && dram > 0) return rate * dram;
  struct Level {
    std::string name;
    double bytes, bandwidth;
  };
  for (const Level& level :
       {Level{"dram", dram, target.bandwidth.gm}, Level{"l2", volume("l2"), target.bandwidth.l2},
        Level{"l1", volume("smx"), target.bandwidth.smx}}) {
    if (level.bytes <= 0) continue;
    if (counter == level.name + "_bytes_per_cell") return level.bytes;
    if (counter == level.name + "_flop_per_byte") return flops / level.bytes;
    double roof = flops / level.bytes * level.bandwidth / 1e9;
    if (target.flop_per_s > 0) roof = std::min(roof, target.flop_per_s / 1e9);
    if (counter == level.name + "_roofline_gflop_per_s") return roof;
    if (counter == level.name + "_fraction_of_roofline") return rate * flops / roof;
  }
  return std::nullopt;
}

nlohmann::json predicted_case_json(const Case& c, const std::vector<PredictedRow>& predicted) {
  nlohmann::json rows = nlohmann::json::array();
  for (const PredictedRow& row : predicted) rows.push_back(row.json);
  return {{"family", c.family}, {"stencil", c.stencil}, {"precision", c.precision},
          {"model", c.model},   {"details", c.details}, {"nx", c.n.nx},
          {"ny", c.n.ny},       {"nz", c.n.nz},         {"steps", c.steps},
          {"rows", rows}};
}

std::string prediction_file_text(const machine::Machine& machine, const nlohmann::json& cases) {
  const nlohmann::json file = {{"schema", results::kPredictionSchema},
                               {"date", results::utc_now()},
                               {"machine",
                                {{"name", machine.name},
                                 {"kind", machine.kind},
                                 {"device", machine.device},
                                 {"source", machine.source}}},
                               {"build", measure::build_metadata()},
                               {"cases", cases}};
  constexpr int kLevels = 4;  // a row of a case a line
  return io::json_lines(file, kLevels) + "\n";
}

}  // namespace tessera
