// SPDX-License-Identifier: Apache-2.0
#include "program/predict/paper_table.hpp"

#include "base/support/bytes.hpp"
#include "program/predict/machine_model.hpp"
#include "program/predict/paper_model.hpp"
#include "program/predict/predict.hpp"
#include "program/results/result_table.hpp"

#include <fmt/format.h>

namespace tessera {

std::string explained(const Case& c, const Selected& how, const std::string& decomposition,
                      const model::MachineModel& target,
                      const std::vector<measure::KernelResources>& registers) {
  std::string out;
  for (const Region& region : c.regions(decomposition)) {
    const Plan plan = how.variant->plan(how.configuration, region, problem_on(c, target));
    if (!plan.supported() || !model::describes_traffic(plan)) continue;
    const int used =
        registers_of(registers, how, how.variant->configuration(how.configuration).text,
                     c.precision, c.stencil, region);
    const model::Kernel kernel = model::kernel_of(plan, region.box, c.problem().value_bytes, used);
    const model::PaperPrediction paper = model::predict_by_paper(kernel, target);
    out += fmt::format("\n{} {}, region {}, as the paper's Table 2 (units are binary):\n",
                       how.full_name(), decomposition, region.name);
    std::vector<std::vector<std::string>> rows = {{"", "model parameter", "source", "value"}};
    for (const model::ExplainedRow& row : model::explain(kernel, target, paper)) {
      rows.push_back({std::to_string(rows.size()), row.parameter, row.source, row.value});
    }
    out += results::layout_table(rows, 3, 1);
    out += fmt::format(
        "(2)   {:.4g} ms = max(V_GM {:.4g}, V_L2 {:.4g}, V_SMX {:.4g} ms): {} binds\n"
        "(18)  {:.4g} ms = {:.4g} (1 + 1 / {}) / ({:.4g} / {:.4g})\n",
        1e3 * paper.bound_s, 1e3 * paper.seconds.gm, 1e3 * paper.seconds.l2,
        1e3 * paper.seconds.smx, paper.binding, 1e3 * paper.adjusted_s, 1e3 * paper.bound_s,
        paper.groups, paper.residency.occupancy, paper.residency.highest);
    if (target.model != machine::kTrafficModel) continue;
    const model::RefinedPrediction refined = model::predict_refined(kernel, target);
    out += fmt::format(
        "refined model: V_GM {:.2f} MiB ({:.1f} % of the y halo and {:.1f} % of the z halo loaded "
        "again), V_L2 {:.2f} MiB, V_SMX {:.2f} MiB; {:.4g} ms\n",
        refined.volume.gm / kBytesPerMiB, 100 * refined.reloaded_y, 100 * refined.reloaded_z,
        refined.volume.l2 / kBytesPerMiB, refined.volume.smx / kBytesPerMiB, 1e3 * refined.total_s);
  }
  return out;
}

}  // namespace tessera
