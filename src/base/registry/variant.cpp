// SPDX-License-Identifier: Apache-2.0
#include "base/registry/variant.hpp"

#include "base/support/precision.hpp"

namespace tessera {

const char* to_string(Launch launch) {
  switch (launch) {
    case Launch::teams:
      return "TeamPolicy";
    case Launch::cells:
      return "MDRangePolicy";
    case Launch::rows:
      return "RangePolicy";
    case Launch::native:
      return "native";
    case Launch::resident:
      return "resident";
    case Launch::library:
      break;
  }
  return "KokkosSparse";
}

Plan Variant::plan(std::size_t configuration, const Region& region, const Problem& problem) const {
  if (!computes(problem.stencil)) return unsupported("does not compute " + problem.stencil);
  if (!precision_is_built(problem.value_bytes)) {
    return unsupported("this binary was built without that precision");
  }
  if (!runs_on(this->configuration(configuration).runs_on, problem.machine.kind)) {
    return unsupported(problem.machine.on_device() ? "a host's tile" : "a device's tile");
  }
  return make_plan(configuration, region, problem);
}

std::vector<Region> Variant::examples(const std::string& /*stencil_name*/) const {
  return {{"inner", Update::inner, {0, 512, 0, 512, 0, 512}, {}}};
}

}  // namespace tessera
