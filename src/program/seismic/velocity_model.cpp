// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/velocity_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <thread>

#include "base/support/console.hpp"
#include "program/seismic/model_files.hpp"
#include "program/seismic/model_generators.hpp"
#include "program/seismic/model_keys.hpp"

namespace tessera::io {
namespace {

// Calls f(z) for the planes [begin, end), spread over the processors: a 1000^3 model takes minutes
// otherwise. Plain threads, since this library doesn't know Kokkos. f must not throw.
template <class Function>
void for_each_plane(std::int64_t begin, std::int64_t end, const Function& f) {
  const std::int64_t workers = std::clamp<std::int64_t>(std::thread::hardware_concurrency(), 1, 64);
  std::vector<std::thread> threads;
  const auto work = [&](std::int64_t first) {
    for (std::int64_t z = begin + first; z < end; z += workers) f(z);
  };
  for (std::int64_t first = 1; first < std::min(workers, end - begin); ++first)
    threads.emplace_back(work, first);
  work(0);
  for (std::thread& thread : threads) thread.join();
}

// Which cell of the inner region each cell [begin, end) of an axis has its velocity from: itself,
// or in the layers the nearest. Counted from the first of the `cells` of the inner region.
std::vector<std::int64_t> inner_cells(std::int64_t begin, std::int64_t end, std::int64_t layer,
                                      std::int64_t cells) {
  std::vector<std::int64_t> from;
  for (std::int64_t i = begin; i < end; ++i) {
    from.push_back(std::clamp<std::int64_t>(i - layer, 0, cells - 1));
  }
  return from;
}

struct InnerCells {
  std::vector<std::int64_t> z, y, x;

  InnerCells(const ModelGrid& grid, const CellBox& part)
      : z(inner_cells(part.z0, part.z1, grid.top_cells(), grid.inner_nz())),
        y(inner_cells(part.y0, part.y1, grid.pml_cells, grid.inner_ny())),
        x(inner_cells(part.x0, part.x1, grid.pml_cells, grid.inner_nx())) {}
};

// Fills a part of the grid from v(z, y, x), cells counted from the first of the inner region, whose
// border continues outward through the PML layers. A plane there is copied from the first or last
// one of the part that is like it, and so are the ends of rows.
template <class Velocity>
VelocityModel fill(const ModelGrid& grid, const CellBox& part, const Velocity& velocity) {
  VelocityModel model{part.nx(), part.ny(), part.nz(), grid.dx, grid.dy, grid.dz,
                      {},        {},        part.z0,   part.y0, part.x0};
  model.v.resize(static_cast<std::size_t>(model.cells()));
  const InnerCells from(grid, part);
  const std::int64_t plane = model.nx * model.ny;
  // Planes [first, last) are computed.
  const auto alike = [&](auto begin, auto end, std::int64_t value) {
    return static_cast<std::int64_t>(
        std::find_if(begin, end, [&](std::int64_t z) { return z != value; }) - begin);
  };
  const std::int64_t first = alike(from.z.begin(), from.z.end(), from.z.front()) - 1;
  const std::int64_t last =
      std::max(first + 1, model.nz - alike(from.z.rbegin(), from.z.rend(), from.z.back()) + 1);
  for_each_plane(first, last, [&](std::int64_t z) {
    float* row = model.v.data() + z * plane;
    for (std::int64_t y = 0; y < model.ny; ++y, row += model.nx) {
      for (std::int64_t x = 0; x < model.nx; ++x) {
        const auto i = static_cast<std::size_t>(x);
        row[x] = x > 0 && from.x[i] == from.x[i - 1]
                     ? row[x - 1]
                     : velocity(from.z[static_cast<std::size_t>(z)],
                                from.y[static_cast<std::size_t>(y)], from.x[i]);
      }
    }
  });
  float* const v = model.v.data();
  for (std::int64_t z = 0; z < first; ++z) std::copy_n(v + first * plane, plane, v + z * plane);
  for (std::int64_t z = last; z < model.nz; ++z) {
    std::copy_n(v + (last - 1) * plane, plane, v + z * plane);
  }
  return model;
}

// One axis of a file: where cells of the inner region fall between its samples.
struct Axis {
  std::int64_t first = 0;           // The first of these cells.
  std::int64_t begin = 0, end = 1;  // Samples that they take.
  std::vector<std::int64_t> lower;  // Sample at or before a cell, from `begin` on.
  std::vector<float> weight;        // Of the sample after it.
};

struct AxisInput {
  char name;
  std::int64_t samples;  // in the file
  std::int64_t cells;    // in the inner region
  double spacing;        // of the grid, m
  double step, origin;   // of the file, m
  bool repeated;         // 2D file extruded along this axis
};

void require_covers(const Deck& deck, const AxisInput& in) {
  if (in.repeated) return;
  const auto last = static_cast<double>(in.samples - 1);
  const double slack = 0.5 + 1e-9;  // Half a sample: a cell's value holds across the cell.
  const double end = (in.origin + static_cast<double>(in.cells - 1) * in.spacing) / in.step;
  require(
      in.origin / in.step >= -slack && end <= last + slack,
      "{}: the file covers 0 to {} m along {} ({} samples, {} m apart), the grid's inner region "
      "{} to {} m ({} cells, {} m apart)",
      deck.where("model.file"), last * in.step, in.name, in.samples, in.step, in.origin,
      end * in.step, in.cells, in.spacing);
}

// For the cells `of` of the inner region, which rise.
Axis make_axis(const AxisInput& in, const std::vector<std::int64_t>& of, bool nearest) {
  Axis axis;
  axis.first = of.front();
  const auto cells = static_cast<std::size_t>(of.back() - of.front() + 1);
  axis.lower.assign(cells, 0);
  axis.weight.assign(cells, 0.0F);
  if (in.repeated) return axis;
  const auto last = static_cast<double>(in.samples - 1);
  for (std::size_t i = 0; i < cells; ++i) {
    const auto cell = static_cast<double>(axis.first + static_cast<std::int64_t>(i));
    double position = (in.origin + cell * in.spacing) / in.step;
    if (nearest) position = std::round(position);
    position = std::clamp(position, 0.0, last);
    axis.lower[i] =
        std::min(static_cast<std::int64_t>(position), std::max<std::int64_t>(in.samples - 2, 0));
    axis.weight[i] = static_cast<float>(position - static_cast<double>(axis.lower[i]));
  }
  axis.begin = axis.lower.front();
  axis.end = std::min(axis.lower.back() + 2, in.samples);
  for (std::int64_t& sample : axis.lower) sample -= axis.begin;
  return axis;
}

// Along x, y and z.
std::array<AxisInput, 3> axes_of(const ModelSource& source, const ModelGrid& grid) {
  const ModelShape& n = source.shape;
  const double spacing[3] = {grid.dx, grid.dy, grid.dz};
  const auto step = [&](std::size_t axis) {
    return source.spacing[axis] > 0 ? source.spacing[axis] : spacing[axis];
  };
  return {{{'x', n.nx, grid.inner_nx(), grid.dx, step(0), source.origin[0], false},
           {'y', n.ny, grid.inner_ny(), grid.dy, step(1), source.origin[1], false},
           {'z', n.nz, grid.inner_nz(), grid.dz, step(2), source.origin[2], false}}};
}

// The values of a part of the file as velocities in m/s; throws with
// the place of the first bad one.
void to_velocity(ModelFile& file, const CellBox& part, const std::string& quantity,
                 const std::string& name) {
  for (std::size_t i = 0; i < file.values.size(); ++i) {
    const float value = file.values[i];
    float velocity = value;
    if (quantity == "velocity_km_s") velocity = 1000.0F * value;
    if (quantity == "squared_slowness_s2_km2") velocity = 1000.0F / std::sqrt(value);
    if (std::isfinite(value) && value > 0.0F && velocity > 0.0F && std::isfinite(velocity)) {
      file.values[i] = velocity;
      continue;
    }
    const auto cell = static_cast<std::int64_t>(i);
    fail("{}: the value at z = {}, y = {}, x = {} is {}, not a positive {}", name,
         part.z0 + cell / (file.shape.nx * file.shape.ny),
         part.y0 + cell / file.shape.nx % file.shape.ny, part.x0 + cell % file.shape.nx, value,
         quantity);
  }
}

// Without `quantity` values below 20 are no velocities in m/s; up to 1 (rock of 1000 m/s and more)
// they are squared slowness.
void require_metres_a_second(const ModelFile& file, const std::string& name) {
  const auto [low, high] = std::minmax_element(file.values.begin(), file.values.end());
  require(*high >= 20,
          "{}: its values are {:g} to {:g}, no velocities in m/s: set model.quantity = \"{}\", or "
          "\"velocity_m_s\" if they are",
          name, *low, *high, *high <= 1 ? "squared_slowness_s2_km2" : "velocity_km_s");
}

// A file of one of the kinds, described by its keys and not yet read.
struct FileKeys {
  std::string kind;
  std::filesystem::path path;
  std::int64_t nx = 0, ny = 0, nz = 0;  // raw, segy
  std::string order, dataset;           // raw, hdf5
  HeaderChecks checks;
};

FileKeys read_keys(const ModelKeys& m, const Deck& deck) {
  FileKeys keys{m.kind, deck.get_path("model.file"), m.nx, m.ny, m.nz, m.order, m.dataset, {}};
  if (m.kind == "segy" && !deck.contains("model.ny")) keys.ny = 0;  // of the headers
  if (m.kind == "raw") keys.nx = deck.get<std::int64_t>("model.nx");
  if (m.kind == "raw") keys.nz = deck.get<std::int64_t>("model.nz");
  keys.checks.quantity = m.quantity;
  keys.checks.headers = m.check_headers;
  if (m.kind == "raw") return keys;
  keys.checks.dx = m.spacing[0];
  keys.checks.dy = m.spacing[1];
  keys.checks.dz = m.spacing[2];
  return keys;
}

ModelShape shape_of(const FileKeys& keys) {
  if (keys.kind == "raw") return {keys.nx, keys.ny, keys.nz};
  if (keys.kind == "hdf5") return hdf5_model_shape(keys.path, keys.dataset, keys.checks);
  return segy_model_shape(keys.path, keys.nx, keys.ny, keys.checks);
}

ModelFile read_file(const FileKeys& keys, const CellBox& part) {
  if (keys.kind == "raw") {
    return read_raw_model(keys.path, {keys.nx, keys.ny, keys.nz}, keys.order, part);
  }
  if (keys.kind == "hdf5") return read_hdf5_model(keys.path, keys.dataset, part, keys.checks);
  return read_segy_model(keys.path, keys.nx, keys.ny, keys.checks, part);
}

ModelSource source_of(const ModelKeys& m, const FileKeys& keys) {
  ModelSource source{keys.path.string(), shape_of(keys), {}, {}, keys.checks.quantity};
  check_shape(source.shape, fmt::format("cannot read the velocity file {}", source.file));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (m.spacing[axis]) source.spacing[axis] = *m.spacing[axis];
    source.origin[axis] = m.origin[axis];
  }
  return source;
}

// What of the file's extent the grid's inner region takes, where it is not all of it.
std::string describe_use(const std::array<AxisInput, 3>& axes) {
  std::string parts;
  for (const AxisInput& in : axes) {
    const double end = in.origin + static_cast<double>(in.cells - 1) * in.spacing;
    const double last = static_cast<double>(in.samples - 1) * in.step;
    if (in.repeated) continue;
    if (in.origin <= 0.5 * in.step && end >= last - 0.5 * in.step) continue;
    parts += fmt::format("{}{} {:g} to {:g} of 0 to {:g} m", parts.empty() ? "" : ", ", in.name,
                         in.origin, end, last);
  }
  return parts.empty() ? "" : "model: only a part of the file is used: " + parts;
}

VelocityModel from_file(const ModelKeys& m, const Deck& deck, const ModelGrid& grid,
                        const CellBox& part) {
  const bool nearest = m.nearest, extrude = m.extrude_y;
  FileKeys keys = read_keys(m, deck);
  // Where the deck has no spacing the file is taken to have the grid's: headers must agree.
  keys.checks.dx = keys.checks.dx.value_or(grid.dx);
  keys.checks.dy = keys.checks.dy.value_or(grid.dy);
  keys.checks.dz = keys.checks.dz.value_or(grid.dz);
  const ModelSource source = source_of(m, keys);
  const std::string& quantity = source.quantity;
  const std::int64_t ny = source.shape.ny;
  require(!extrude || ny == 1, "{} is for 2D files, this one has ny = {}",
          deck.where("model.extrude_y"), ny);
  require(ny > 1 || extrude || grid.inner_ny() == 1,
          "{}: the file is 2D and the grid's inner region has {} cells along y: set "
          "model.extrude_y = true",
          deck.where("model.file"), grid.inner_ny());
  std::array<AxisInput, 3> axes = axes_of(source, grid);
  axes[1].repeated = extrude;
  for (const char* key : {"model.y0", "model.dy"}) {
    if (!extrude || !deck.contains(key)) continue;
    warn(fmt::format("{} has no effect beside model.extrude_y: the model is the same along y",
                     deck.where(key)));
  }
  for (const AxisInput& axis : axes) require_covers(deck, axis);
  const InnerCells from(grid, part);
  const Axis ax = make_axis(axes[0], from.x, nearest);
  const Axis ay = make_axis(axes[1], from.y, nearest);
  const Axis az = make_axis(axes[2], from.z, nearest);
  const CellBox box{az.begin, az.end, ay.begin, ay.end, ax.begin, ax.end};
  ModelFile file = read_file(keys, box);
  to_velocity(file, box, quantity, keys.path.string());
  if (!deck.contains("model.quantity")) require_metres_a_second(file, keys.path.string());
  const float* values = file.values.data();
  const std::int64_t to_x = file.shape.nx > 1 ? 1 : 0;
  const std::int64_t to_y = file.shape.ny > 1 ? file.shape.nx : 0;
  const std::int64_t to_z = file.shape.nz > 1 ? file.shape.nx * file.shape.ny : 0;
  VelocityModel model = fill(grid, part, [&](std::int64_t z, std::int64_t y, std::int64_t x) {
    const auto iz = static_cast<std::size_t>(z - az.first);
    const auto iy = static_cast<std::size_t>(y - ay.first);
    const auto ix = static_cast<std::size_t>(x - ax.first);
    const float* corner =
        values + (az.lower[iz] * file.shape.ny + ay.lower[iy]) * file.shape.nx + ax.lower[ix];
    const auto along_x = [&](const float* p) { return std::lerp(p[0], p[to_x], ax.weight[ix]); };
    const auto along_y = [&](const float* p) {
      return std::lerp(along_x(p), along_x(p + to_y), ay.weight[iy]);
    };
    return std::lerp(along_y(corner), along_y(corner + to_z), az.weight[iz]);
  });
  model.note = describe_use(axes);
  return model;
}

}  // namespace

VelocityRange velocity_range(const VelocityModel& model) {
  const auto [low, high] = std::minmax_element(model.v.begin(), model.v.end());
  return {*low, *high};
}

std::int64_t ModelSource::bytes_of(const ModelGrid& grid, const CellBox& part) const {
  if (file.empty() || part.empty()) return 0;
  if (grid.inner_nx() < 1 || grid.inner_ny() < 1 || grid.inner_nz() < 1) return shape.bytes();
  const std::array<AxisInput, 3> axes = axes_of(*this, grid);
  const InnerCells from(grid, part);
  std::int64_t bytes = 4;
  const std::vector<std::int64_t>* of[3] = {&from.x, &from.y, &from.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Axis samples = make_axis(axes[axis], *of[axis], false);
    bytes *= samples.end - samples.begin;
  }
  return bytes;
}

ModelSource model_source(const Deck& deck) {
  const ModelKeys m = read_model_keys(deck);
  return is_generator(m.kind) ? ModelSource{} : source_of(m, read_keys(m, deck));
}

VelocityModel load_model(const Deck& deck, const ModelGrid& grid) {
  return load_model(deck, grid, grid.whole());
}

VelocityModel load_model(const Deck& deck, const ModelGrid& grid, const CellBox& part) {
  require(grid.inner_nx() >= 1 && grid.inner_ny() >= 1 && grid.inner_nz() >= 1,
          "{}: {} x {} x {} cells leave no inner region between PML layers of {} cells",
          deck.name(), grid.nx, grid.ny, grid.nz, grid.pml_cells);
  const ModelKeys m = read_model_keys(deck);
  if (is_generator(m.kind)) return fill(grid, part, make_generator(m, deck, grid));
  return from_file(m, deck, grid, part);
}

}  // namespace tessera::io
