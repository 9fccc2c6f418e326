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

ModelFile read_raw_model(const fs::path& path, const ModelShape& shape, const CellBox& part) {
  const std::string text = fmt::format("cannot read the velocity file {}", path.string());
  const std::uint64_t found = regular_file_bytes(path, text);
  check_shape(shape, text);
  const auto wanted = static_cast<std::uint64_t>(shape.bytes());
  require(found == wanted,
          "the velocity file {} has {} bytes, {} float32 values of {} x {} x {} cells are {} bytes",
          path.string(), found, wanted / 4, shape.nx, shape.ny, shape.nz, wanted);
  ModelFile model = allocate_model({part.nx(), part.ny(), part.nz()}, text);
  const PartFile file(path, PartFile::read_only, text);
  file.read({0, shape.nx, shape.ny, shape.nz, 4}, part, model.values.data());
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
