// SPDX-License-Identifier: Apache-2.0
#include "registry/variant.hpp"

#include "support/precision.hpp"

namespace tessera {

Plan Variant::plan(std::size_t configuration, const Region& region, const Problem& problem) const {
  if (!computes(problem.stencil)) return unsupported("does not compute " + problem.stencil);
  if (!precision_is_built(problem.value_bytes)) {
    return unsupported("this binary was built without that precision");
  }
  return make_plan(configuration, region, problem);
}

std::vector<Region> Variant::examples(const std::string& /*stencil_name*/) const {
  return {{"inner", Update::inner, {0, 512, 0, 512, 0, 512}, {}}};
}

}  // namespace tessera
