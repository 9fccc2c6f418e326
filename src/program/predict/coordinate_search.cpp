// SPDX-License-Identifier: Apache-2.0
#include "program/predict/coordinate_search.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace tessera::model {

void search(machine::ModelConstants& constants, const std::vector<Parameter>& parameters,
            const std::function<double(const machine::ModelConstants&)>& error, double factor,
            double gain) {
  double best = error(constants);
  while (factor > 1.005) {
    bool better = false;
    for (const Parameter& p : parameters) {
      for (const double by : {factor, 1 / factor}) {
        machine::ModelConstants tried = constants;
        tried.*p.member = std::clamp(*(constants.*p.member) * by, p.lowest, p.highest);
        const double found = error(tried);
        if (found >= best - gain) continue;
        best = found;
        constants = tried;
        better = true;
      }
    }
    if (!better) factor = std::sqrt(factor);
  }
}

double rounded(double value) { return std::stod(fmt::format("{:.3g}", value)); }

}  // namespace tessera::model
