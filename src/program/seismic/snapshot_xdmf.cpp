// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/snapshot_xdmf.hpp"

#include <fmt/format.h>

namespace tessera::io {

std::array<double, 3> snapshot_origin(const SnapshotOptions& o) {
  return {static_cast<double>(o.z.first - (o.free_surface ? 0 : o.pml_cells)) * o.dz,
          static_cast<double>(o.y.first - o.pml_cells) * o.dy,
          static_cast<double>(o.x.first - o.pml_cells) * o.dx};
}

std::array<double, 3> snapshot_spacing(const SnapshotOptions& o) {
  return {static_cast<double>(o.z.stride) * o.dz, static_cast<double>(o.y.stride) * o.dy,
          static_cast<double>(o.x.stride) * o.dx};
}

std::string snapshot_dataset(std::int64_t step) {
  return fmt::format("/pressure/step_{:07}", step);
}

std::string snapshot_xdmf(const SnapshotOptions& o, std::size_t written, const std::string& file) {
  const std::array<double, 3> from = snapshot_origin(o);
  const std::array<double, 3> step_size = snapshot_spacing(o);
  const std::string shape = fmt::format("{} {} {}", o.z.count, o.y.count, o.x.count);
  const auto attribute = [&](const char* name, const std::string& dataset) {
    return fmt::format(
        "        <Attribute Name=\"{}\" AttributeType=\"Scalar\" Center=\"Node\">\n"
        "          <DataItem Dimensions=\"{}\" NumberType=\"Float\" Precision=\"4\" "
        "Format=\"HDF\">{}:{}</DataItem>\n"
        "        </Attribute>\n",
        name, shape, file, dataset);
  };
  const auto grid = [&](std::int64_t step, double time, const std::string& attributes) {
    return fmt::format(
        "      <Grid Name=\"step {}\" GridType=\"Uniform\">\n"
        "        <Time Value=\"{}\"/>\n"
        "        <Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"{}\"/>\n"
        "        <Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n"
        "          <DataItem Dimensions=\"3\" Format=\"XML\">{} {} {}</DataItem>\n"
        "          <DataItem Dimensions=\"3\" Format=\"XML\">{} {} {}</DataItem>\n"
        "        </Geometry>\n{}"
        "      </Grid>\n",
        step, time, shape, from[0], from[1], from[2], step_size[0], step_size[1], step_size[2],
        attributes);
  };
  std::string text =
      "<?xml version=\"1.0\"?>\n<Xdmf Version=\"2.0\">\n  <Domain>\n"
      "    <Grid Name=\"shot\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
  const std::string velocity = attribute("velocity", "/velocity");
  if (written == 0) text += grid(0, 0.0, velocity);
  for (std::size_t i = 0; i < written; ++i) {
    const std::int64_t step = o.planned[i];
    text += grid(step, static_cast<double>(step) * o.time_step,
                 attribute("pressure", snapshot_dataset(step)) + velocity);
  }
  return text + "    </Grid>\n  </Domain>\n</Xdmf>\n";
}

}  // namespace tessera::io
