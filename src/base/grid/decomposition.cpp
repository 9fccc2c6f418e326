// SPDX-License-Identifier: Apache-2.0
#include "base/grid/decomposition.hpp"

#include "base/support/error.hpp"

#include <algorithm>

namespace tessera {

std::int64_t Region::pml_cells() const {
  if (update == Update::inner) return 0;
  return box.cells() - intersect(box, hole).cells();
}

std::int64_t Region::inner_cells() const {
  if (update == Update::inner) return box.cells();
  return update == Update::branched ? intersect(box, hole).cells() : 0;
}

Box inner_box(const Extents& n, const Layers& layers) {
  const int w = layers.width;
  return {layers.top(), n.nz - w, w, n.ny - w, w, n.nx - w};
}

std::vector<Region> decompose(const Extents& n, const Layers& layers, Decomposition kind,
                              int align) {
  require(layers.width >= 0, "pml_cells = {} is negative", layers.width);
  const auto check_axis = [&](const char* axis, int cells, int faces) {
    const int fewest = faces * layers.width + 1;
    require(cells >= fewest,
            "case.{} = {} leaves no inner region: it needs at least {}pml_cells + 1 = {} cells",
            axis, cells, faces == 2 ? "2 * " : "", fewest);
  };
  check_axis("nx", n.nx, 2);
  check_axis("ny", n.ny, 2);
  check_axis("nz", n.nz, layers.free_top ? 1 : 2);

  const Box all = whole(n);
  const Box in = inner_box(n, layers);
  const Region inner{"inner", Update::inner, in, {}};
  if (layers.width == 0) return {inner};
  switch (kind) {
    case Decomposition::single:
      return {{"whole", Update::branched, all, in}};
    case Decomposition::two:
    case Decomposition::two_concurrent:
      return {inner, {"shell", Update::shell, all, in}};
    case Decomposition::seven:
    case Decomposition::seven_concurrent:
      break;
  }
  Box core = in;
  core.x0 = std::min((in.x0 + align - 1) / align * align, n.nx);
  core.x1 = std::max(in.x1 / align * align, core.x0);
  const auto beside = [&](std::string_view name, int x0, int x1) {
    const Box box{in.z0, in.z1, in.y0, in.y1, x0, x1};
    return align == 1 ? Region{name, Update::pml, box, {}}
                      : Region{name, Update::branched, box, in};
  };
  std::vector<Region> regions;
  if (!core.empty()) regions.push_back({"inner", Update::inner, core, {}});
  if (in.z0 > 0) regions.push_back({"top", Update::pml, {0, in.z0, 0, n.ny, 0, n.nx}, {}});
  const Region others[] = {{"bottom", Update::pml, {in.z1, n.nz, 0, n.ny, 0, n.nx}, {}},
                           {"front", Update::pml, {in.z0, in.z1, 0, in.y0, 0, n.nx}, {}},
                           {"back", Update::pml, {in.z0, in.z1, in.y1, n.ny, 0, n.nx}, {}},
                           beside("left", 0, core.x0),
                           beside("right", core.x1, n.nx)};
  for (const Region& region : others) {
    if (!region.box.empty()) regions.push_back(region);
  }
  return regions;
}

std::string_view to_string(Decomposition kind) {
  switch (kind) {
    case Decomposition::single:
      return "single";
    case Decomposition::two:
      return "two";
    case Decomposition::seven:
      return "seven";
    case Decomposition::two_concurrent:
      return "two_concurrent";
    case Decomposition::seven_concurrent:
      return "seven_concurrent";
  }
  return "?";
}

std::string_view to_string(Update update) {
  switch (update) {
    case Update::inner:
      return "inner";
    case Update::pml:
      return "pml";
    case Update::branched:
      return "branched";
    case Update::shell:
      return "shell";
  }
  return "?";
}

Decomposition parse_decomposition(std::string_view text) {
  std::string names;
  for (const Decomposition kind : kDecompositions) {
    if (text == to_string(kind)) return kind;
    names.append(names.empty() ? "" : ", ").append(to_string(kind));
  }
  fail("decomposition \"{}\" does not exist; one of {}", text, names);
}

}  // namespace tessera
