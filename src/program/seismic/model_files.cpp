// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/model_files.hpp"

#include <bit>
#include <system_error>

#include "base/support/bytes.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"
#include "program/seismic/part_file.hpp"

namespace tessera::io {
namespace fs = std::filesystem;

std::uint64_t regular_file_bytes(const fs::path& path, const std::string& text) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  require(fs::exists(status), "{}: No such file or directory", text);
  require(fs::is_regular_file(status), "{}: not a regular file", text);
  return bytes_of_file(path);
}

void check_shape(const ModelShape& shape, const std::string& text) {
  constexpr std::int64_t kMostAlong = std::int64_t{1} << 31;
  constexpr double kMost = 1099511627776.0;  // 2^40
  const double cells =
      static_cast<double>(shape.nx) * static_cast<double>(shape.ny) * static_cast<double>(shape.nz);
  for (const std::int64_t samples : {shape.nx, shape.ny, shape.nz}) {
    require(samples >= 1 && samples <= kMostAlong && cells <= kMost,
            "{}: {} x {} x {} samples are not a model", text, shape.nx, shape.ny, shape.nz);
  }
}

ModelFile allocate_model(const ModelShape& shape, const std::string& text) {
  check_shape(shape, text);
  const auto bytes = static_cast<double>(shape.bytes());
  ModelFile model{shape, {}};
  try {
    model.values.resize(static_cast<std::size_t>(shape.cells()));
  } catch (const std::exception&) {  // bad_alloc, length_error
    fail("{}: not enough memory: its {} x {} x {} samples take {:.2f} GiB", text, shape.nx,
         shape.ny, shape.nz, bytes / kBytesPerGiB);
  }
  return model;
}

namespace {

/// Reads a box in planes of the file's slowest axis, and turns them to [z][y][x].
void read_ordered(const PartFile& file, const ModelShape& n, std::string order, const CellBox& part,
                  float* values) {
  if (order.size() == 2) order.insert(1, "y");
  struct Axis {
    std::int64_t samples, first, count, stride;  // in the file, of the part, in `values`
  };
  const auto axis = [&](std::size_t number) -> Axis {
    const char name = order[number];
    if (name == 'x') return {n.nx, part.x0, part.nx(), 1};
    if (name == 'y') return {n.ny, part.y0, part.ny(), part.nx()};
    return {n.nz, part.z0, part.nz(), part.nx() * part.ny()};
  };
  const Axis slow = axis(0), middle = axis(1), fast = axis(2);
  std::vector<float> plane(static_cast<std::size_t>(middle.count * fast.count));
  for (std::int64_t i = 0; i < slow.count; ++i) {
    const std::int64_t at = slow.first + i;
    file.read({0, fast.samples, middle.samples, slow.samples, 4},
              {at, at + 1, middle.first, middle.first + middle.count, fast.first,
               fast.first + fast.count},
              plane.data());
    const float* value = plane.data();
    for (std::int64_t j = 0; j < middle.count; ++j) {
      float* const row = values + i * slow.stride + j * middle.stride;
      for (std::int64_t k = 0; k < fast.count; ++k) row[k * fast.stride] = *value++;
    }
  }
}

}  // namespace

ModelFile read_raw_model(const fs::path& path, const ModelShape& shape, const std::string& order,
                         const CellBox& part) {
  const std::string text = fmt::format("cannot read the velocity file {}", path.string());
  const std::uint64_t found = regular_file_bytes(path, text);
  check_shape(shape, text);
  require(order.size() == 3 || shape.ny == 1,
          "model.order = \"{}\" is of a plane, and model.ny = {}: name y too", order, shape.ny);
  const auto wanted = static_cast<std::uint64_t>(shape.bytes());
  require(found == wanted,
          "the velocity file {} has {} bytes, {} float32 values of {} x {} x {} cells are {} bytes",
          path.string(), found, wanted / 4, shape.nx, shape.ny, shape.nz, wanted);
  ModelFile model = allocate_model({part.nx(), part.ny(), part.nz()}, text);
  const PartFile file(path, PartFile::read_only, text);
  read_ordered(file, shape, order, part, model.values.data());
  if constexpr (std::endian::native == std::endian::big) {
    for (float& value : model.values) {
      auto bits = std::bit_cast<std::uint32_t>(value);
      bits = (bits >> 24) | ((bits >> 8) & 0xff00U) | ((bits << 8) & 0xff0000U) | (bits << 24);
      value = std::bit_cast<float>(bits);
    }
  }
  return model;
}

bool have_hdf5() { return TESSERA_HAVE_HDF5 != 0; }
bool have_segy() { return TESSERA_HAVE_SEGY != 0; }

}  // namespace tessera::io
