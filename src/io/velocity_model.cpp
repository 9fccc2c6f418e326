// SPDX-License-Identifier: Apache-2.0
#include "io/velocity_model.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

#include "io/model_files.hpp"
#include "io/model_generators.hpp"

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

// Fills the inner region from v(z, y, x), cells counted from its first one, and continues its
// border outward through the PML layers: rows first, then planes.
template <class Velocity>
VelocityModel fill(const ModelGrid& grid, const Velocity& velocity) {
  VelocityModel model{grid.nx, grid.ny, grid.nz, grid.dx, grid.dy, grid.dz, {}, {}};
  model.v.resize(static_cast<std::size_t>(model.cells()));
  const std::int64_t n = grid.pml_cells;
  const std::int64_t top = grid.top_cells();
  for_each_plane(top, grid.nz - n, [&](std::int64_t z) {
    for (std::int64_t y = 0; y < grid.ny; ++y) {
      const std::int64_t from_y = std::clamp(y, n, grid.ny - n - 1) - n;
      float* row = &model.at(z, y, 0);
      for (std::int64_t x = n; x < grid.nx - n; ++x) row[x] = velocity(z - top, from_y, x - n);
      std::fill(row, row + n, row[n]);
      std::fill(row + grid.nx - n, row + grid.nx, row[grid.nx - n - 1]);
    }
  });
  const std::int64_t plane = grid.nx * grid.ny;
  for (std::int64_t i = 0; i < top; ++i) {
    std::copy_n(&model.at(top, 0, 0), plane, &model.at(i, 0, 0));
  }
  for (std::int64_t i = 0; i < n; ++i) {
    std::copy_n(&model.at(grid.nz - n - 1, 0, 0), plane, &model.at(grid.nz - 1 - i, 0, 0));
  }
  return model;
}

// One axis of a file: where the cells of the inner region fall between its samples.
struct Axis {
  std::vector<std::int64_t> lower;  // Index of the sample at or before the cell.
  std::vector<float> weight;        // Of the sample after it.
};

struct AxisInput {
  char name;
  std::int64_t samples;  // in the file
  std::int64_t cells;    // in the inner region
  double spacing;        // of the grid, m
  bool repeated;         // 2D file extruded along this axis
};

Axis make_axis(const Deck& deck, const AxisInput& in, bool nearest) {
  const std::string spacing_key = fmt::format("model.d{}", in.name);
  const double step = deck.get_in(spacing_key, in.spacing, 1e-6, 1e9);
  const double origin = deck.get_in(fmt::format("model.{}0", in.name), 0.0, -1e12, 1e12);
  Axis axis;
  const auto cells = static_cast<std::size_t>(in.cells);
  axis.lower.assign(cells, 0);
  axis.weight.assign(cells, 0.0F);
  if (in.repeated) return axis;
  const auto last = static_cast<double>(in.samples - 1);
  const double slack = 0.5 + 1e-9;  // Half a sample: a cell's value holds across the cell.
  const double end = (origin + static_cast<double>(in.cells - 1) * in.spacing) / step;
  require(
      origin / step >= -slack && end <= last + slack,
      "{}: the file covers 0 to {} m along {} ({} samples, {} m apart), the grid's inner region "
      "{} to {} m ({} cells, {} m apart)",
      deck.where("model.file"), last * step, in.name, in.samples, step, origin, end * step,
      in.cells, in.spacing);
  for (std::size_t i = 0; i < cells; ++i) {
    double position = (origin + static_cast<double>(i) * in.spacing) / step;
    if (nearest) position = std::round(position);
    position = std::clamp(position, 0.0, last);
    axis.lower[i] =
        std::min(static_cast<std::int64_t>(position), std::max<std::int64_t>(in.samples - 2, 0));
    axis.weight[i] = static_cast<float>(position - static_cast<double>(axis.lower[i]));
  }
  return axis;
}

// The file's values as velocities in m/s; throws with the place of the first bad one.
void to_velocity(ModelFile& file, const std::string& quantity, const std::string& name) {
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
         cell / (file.shape.nx * file.shape.ny), cell / file.shape.nx % file.shape.ny,
         cell % file.shape.nx, value, quantity);
  }
}

// A file of one of the kinds, described by its keys and not yet read.
struct FileKeys {
  std::string kind;
  std::filesystem::path path;
  std::int64_t nx = 0, ny = 0, nz = 0;  // raw, segy
  std::string dataset;                  // hdf5
  SegyChecks checks;
};

FileKeys read_keys(const std::string& kind, const Deck& deck) {
  constexpr std::int64_t kMost = std::int64_t{1} << 20;  // cells an axis: products stay in 64 bits
  const std::int64_t one = 1;
  FileKeys keys{kind, deck.get_path("model.file"), 0, 0, 0, "", {}};
  if (kind == "raw") {
    keys.nx = deck.get_in("model.nx", one, kMost);
    keys.ny = deck.get_in("model.ny", one, one, kMost);
    keys.nz = deck.get_in("model.nz", one, kMost);
  } else if (kind == "hdf5") {
    keys.dataset = deck.get("model.dataset", "m");
  } else {
    keys.nx = deck.get_in("model.nx", std::int64_t{0}, std::int64_t{0}, kMost);
    keys.ny = deck.get_in("model.ny", one, one, kMost);
    keys.checks.headers = deck.get("model.check_headers", true);
    if (deck.contains("model.dz")) keys.checks.dz = deck.get<double>("model.dz");
  }
  return keys;
}

ModelShape shape_of(const FileKeys& keys) {
  if (keys.kind == "raw") return {keys.nx, keys.ny, keys.nz};
  if (keys.kind == "hdf5") return hdf5_model_shape(keys.path, keys.dataset);
  return segy_model_shape(keys.path, keys.nx, keys.ny, keys.checks);
}

ModelFile read_file(const FileKeys& keys) {
  if (keys.kind == "raw") return read_raw_model(keys.path, {keys.nx, keys.ny, keys.nz});
  if (keys.kind == "hdf5") return read_hdf5_model(keys.path, keys.dataset);
  return read_segy_model(keys.path, keys.nx, keys.ny, keys.checks);
}

// What of the file's extent the grid's inner region takes, where it is not all of it.
std::string describe_use(const Deck& deck, const ModelFile& file, const ModelGrid& grid,
                         bool extrude) {
  std::string parts;
  const auto add = [&](char name, std::int64_t samples, std::int64_t cells, double spacing) {
    const double step = deck.get(fmt::format("model.d{}", name), spacing);
    const double begin = deck.get(fmt::format("model.{}0", name), 0.0);
    const double end = begin + static_cast<double>(cells - 1) * spacing;
    const double last = static_cast<double>(samples - 1) * step;
    if (begin <= 0.5 * step && end >= last - 0.5 * step) return;
    parts += fmt::format("{}{} {:g} to {:g} of 0 to {:g} m", parts.empty() ? "" : ", ", name, begin,
                         end, last);
  };
  add('x', file.shape.nx, grid.inner_nx(), grid.dx);
  if (!extrude) add('y', file.shape.ny, grid.inner_ny(), grid.dy);
  add('z', file.shape.nz, grid.inner_nz(), grid.dz);
  return parts.empty() ? "" : "model: of the file only a part is used: " + parts;
}

VelocityModel from_file(const std::string& kind, const Deck& deck, const ModelGrid& grid) {
  const std::string quantity =
      deck.get_choice("model.quantity", "velocity_m_s",
                      {"velocity_m_s", "velocity_km_s", "squared_slowness_s2_km2"});
  const bool nearest =
      deck.get_choice("model.interpolation", "linear", {"linear", "nearest"}) == "nearest";
  const bool extrude = deck.get("model.extrude_y", false);
  const FileKeys keys = read_keys(kind, deck);
  ModelFile file = read_file(keys);
  to_velocity(file, quantity, keys.path.string());
  require(!extrude || file.shape.ny == 1, "{} is for 2D files, this one has ny = {}",
          deck.where("model.extrude_y"), file.shape.ny);
  require(file.shape.ny > 1 || extrude || grid.inner_ny() == 1,
          "{}: the file is 2D and the grid's inner region has {} cells along y: set "
          "model.extrude_y = true",
          deck.where("model.file"), grid.inner_ny());
  const Axis ax = make_axis(deck, {'x', file.shape.nx, grid.inner_nx(), grid.dx, false}, nearest);
  const Axis ay = make_axis(deck, {'y', file.shape.ny, grid.inner_ny(), grid.dy, extrude}, nearest);
  const Axis az = make_axis(deck, {'z', file.shape.nz, grid.inner_nz(), grid.dz, false}, nearest);
  const float* values = file.values.data();
  const std::int64_t to_x = file.shape.nx > 1 ? 1 : 0;
  const std::int64_t to_y = file.shape.ny > 1 ? file.shape.nx : 0;
  const std::int64_t to_z = file.shape.nz > 1 ? file.shape.nx * file.shape.ny : 0;
  VelocityModel model = fill(grid, [&](std::int64_t z, std::int64_t y, std::int64_t x) {
    const auto iz = static_cast<std::size_t>(z);
    const auto iy = static_cast<std::size_t>(y);
    const auto ix = static_cast<std::size_t>(x);
    const float* corner =
        values + (az.lower[iz] * file.shape.ny + ay.lower[iy]) * file.shape.nx + ax.lower[ix];
    const auto along_x = [&](const float* p) { return std::lerp(p[0], p[to_x], ax.weight[ix]); };
    const auto along_y = [&](const float* p) {
      return std::lerp(along_x(p), along_x(p + to_y), ay.weight[iy]);
    };
    return std::lerp(along_y(corner), along_y(corner + to_z), az.weight[iz]);
  });
  model.note = describe_use(deck, file, grid, extrude);
  return model;
}

// The deck's kind of model. Another kind than the file's has other keys: those of the file go.
std::string model_kind(const Deck& deck) {
  if (deck.is_overridden("model.kind")) deck.keep_overrides("model");
  return deck.get<std::string>("model.kind");
}

}  // namespace

VelocityRange velocity_range(const VelocityModel& model) {
  const auto [low, high] = std::minmax_element(model.v.begin(), model.v.end());
  return {*low, *high};
}

ModelSource model_source(const Deck& deck) {
  const std::string kind = model_kind(deck);
  if (kind != "raw" && kind != "hdf5" && kind != "segy") return {};
  const FileKeys keys = read_keys(kind, deck);
  const ModelShape shape = shape_of(keys);
  check_shape(shape, fmt::format("cannot read the velocity file {}", keys.path.string()));
  return {keys.path.string(), shape.bytes()};
}

VelocityModel load_model(const Deck& deck, const ModelGrid& grid) {
  require(grid.inner_nx() >= 1 && grid.inner_ny() >= 1 && grid.inner_nz() >= 1,
          "{}: {} x {} x {} cells leave no inner region between PML layers of {} cells",
          deck.name(), grid.nx, grid.ny, grid.nz, grid.pml_cells);
  const std::string kind = model_kind(deck);
  if (is_generator(kind)) return fill(grid, make_generator(kind, deck, grid));
  require(
      kind == "raw" || kind == "hdf5" || kind == "segy",
      "{} = \"{}\" is not one of uniform, layered, gradient, structure, random, raw, hdf5, segy",
      deck.where("model.kind"), kind);
  return from_file(kind, deck, grid);
}

}  // namespace tessera::io
