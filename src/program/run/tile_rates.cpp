// SPDX-License-Identifier: Apache-2.0
#include "program/run/tile_rates.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
void sort_by_rate(std::vector<results::Result>& results) {
  std::stable_sort(results.begin(), results.end(), [](const auto& a, const auto& b) {
    const auto rate = [](const results::Result& r) {
      return r.gcell_per_s ? r.gcell_per_s->median : 0;
    };
    return rate(a) > rate(b);
  });
}

std::string tile_rates(const std::vector<results::Result>& results) {
  std::string out = fmt::format("\n{:<48} {:<16} {:>10}  {}\n", "variant:configuration", "regions",
                                "GCell/s", "remark");
  for (const results::Result& row : results) {
    out += fmt::format("{:<48} {:<16} {:>10}  {}\n", full_name(row), row.decomposition,
                       row.gcell_per_s ? fmt::format("{:.4g}", row.gcell_per_s->median) : "-",
                       row.reason);
  }
  return out;
}

}  // namespace tessera
