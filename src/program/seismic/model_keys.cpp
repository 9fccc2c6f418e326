// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/model_keys.hpp"

namespace tessera::io {
namespace {

const keys::KeyTable<ModelKeys>& all_model_keys() {
  using keys::above, keys::any, keys::between, keys::fetched, keys::key, keys::one_of;
  using Model = ModelKeys;
  const keys::Values velocity = between(kLowestVelocity, kHighestVelocity);
  const keys::Values cells = between(1, 1 << 20);  // products stay in 64 bits
  const keys::Values metres = between(-1e12, 1e12);
  const char* of_files = "raw hdf5 segy";
  static const keys::KeyTable<Model> table(
      {.name = "model",
       .meaning = "The velocity model",
       .is_required = true,
       .selector = "model.kind"},
      {key("kind", &Model::kind,
           one_of({"uniform", "layered", "gradient", "structure", "random", "raw", "hdf5", "segy"}),
           "", "Made here, or read from a file")
           .required(),
       fetched<std::vector<double>, Model>("v", velocity, "m/s",
                                           "Velocity; of layered a list, one a layer")
           .required()
           .only("uniform layered"),
       fetched<std::vector<double>, Model>("tops", any(), "m", "Tops of the layers; the first is 0")
           .required()
           .only("layered"),
       key("v0", &Model::v0, velocity, "m/s", "Velocity at the top").required().only("gradient"),
       key("k", &Model::k, between(-1e6, 1e6), "1/s", "v = v0 + k z").required().only("gradient"),
       key("v_min", &Model::v_min, velocity, "m/s", "Smallest velocity").required().only("random"),
       key("v_max", &Model::v_max, velocity, "m/s", "Largest velocity").required().only("random"),
       key("seed", &Model::seed, any(), "", "Seed of random numbers").only("random structure"),
       key("v_top", &Model::v_top, velocity, "m/s", "Velocity of the first layer")
           .only("structure"),
       key("v_bottom", &Model::v_bottom, velocity, "m/s", "Velocity of the last layer")
           .only("structure"),
       key("layers", &Model::layers, between(1, 10000), "", "Number of layers").only("structure"),
       key("dip_x", &Model::dip_x, between(-10, 10), "", "Slope of the layers along x")
           .only("structure"),
       key("dip_y", &Model::dip_y, between(-10, 10), "", "Slope of the layers along y")
           .only("structure"),
       key("fault_x", &Model::fault_x, between(-10, 10), "",
           "Where the fault meets the top, as a fraction of the length along x")
           .only("structure"),
       key("fault_slope", &Model::fault_slope, between(-100, 100), "",
           "Slope of the fault, x over z")
           .only("structure"),
       key("fault_throw", &Model::fault_throw, between(-1e9, 1e9), "m",
           "How much deeper the layers lie beyond the fault")
           .usually("a tenth of the depth")
           .only("structure"),
       key("v_salt", &Model::v_salt, between(0, kHighestVelocity), "m/s",
           "Velocity of the salt body; 0: none")
           .only("structure"),
       key("salt", &Model::salt, any(), "",
           "Centre of the salt body x, y, z, as fractions of the model's lengths")
           .list_of(3)
           .only("structure"),
       key("salt_size", &Model::salt_size, above(0), "", "Half axes of the salt body, likewise")
           .list_of(3)
           .only("structure"),
       key("v_water", &Model::v_water, velocity, "m/s", "Velocity of the water above the layers")
           .only("structure"),
       key("water_depth", &Model::water_depth, between(0, 1e9), "m", "Depth of the water; 0: none")
           .only("structure"),
       fetched<std::string, Model>("file", any(), "", "Path, relative to the deck")
           .required()
           .only(of_files),
       key("dataset", &Model::dataset, any(), "", "Dataset in the file").only("hdf5"),
       key("nx", &Model::nx, between(0, 1 << 20), "",
           "Samples along x; 0: all traces of a SEG-Y file")
           .only("raw segy"),
       key("ny", &Model::ny, cells, "", "Samples along y")
           .usually("1; segy without nx: by in-line and cross-line numbers")
           .only("raw segy"),
       key("nz", &Model::nz, cells, "", "Samples along z").only("raw"),
       key("order", &Model::order, one_of({"zyx", "yxz", "xyz", "zx", "xz"}), "",
           "Axes of the file, slowest first: Seismic Unix writes z fastest, \"yxz\" or \"xz\"")
           .only("raw"),
       key("quantity", &Model::quantity,
           one_of({"velocity_m_s", "velocity_km_s", "squared_slowness_s2_km2"}), "",
           "What the file holds")
           .only(of_files),
       key("check_headers", &Model::check_headers, any(), "",
           "Refuse what attributes and headers say against the deck")
           .only("hdf5 segy"),
       fetched<double, Model>("dx", between(1e-6, 1e9), "m", "Spacing of the samples")
           .usually("the grid's")
           .only(of_files),
       fetched<double, Model>("dy", between(1e-6, 1e9), "m", "Spacing of the samples")
           .usually("the grid's")
           .only(of_files),
       fetched<double, Model>("dz", between(1e-6, 1e9), "m", "Spacing of the samples")
           .usually("the grid's")
           .only(of_files),
       fetched<double, Model>("x0", metres, "m",
                              "First inner cell of the grid, from the first sample", "0")
           .only(of_files),
       fetched<double, Model>("y0", metres, "m", "Likewise along y", "0").only(of_files),
       fetched<double, Model>("z0", metres, "m", "Likewise along z", "0").only(of_files),
       keys::choice("interpolation", &Model::nearest, {{"linear", false}, {"nearest", true}},
                    "Between the samples")
           .only(of_files),
       key("extrude_y", &Model::extrude_y, any(), "", "The plane of a 2D file is repeated along y")
           .only(of_files)});
  return table;
}

}  // namespace

const keys::Table& model_table() { return all_model_keys().table(); }

ModelKeys read_model_keys(const Deck& deck) {
  ModelKeys read;
  all_model_keys().read(deck, read);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string spacing = fmt::format("model.d{}", "xyz"[axis]);
    if (deck.contains(spacing)) read.spacing[axis] = deck.get<double>(spacing);
    read.origin[axis] = deck.get(fmt::format("model.{}0", "xyz"[axis]), 0.0);
  }
  return read;
}

}  // namespace tessera::io
