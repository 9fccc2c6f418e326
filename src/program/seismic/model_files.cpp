// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/model_files.hpp"

#include <array>
#include <bit>
#include <system_error>

#include "base/support/bytes.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"
#include "program/seismic/part_file.hpp"

#if TESSERA_HAVE_HDF5
#include "program/seismic/hdf5_axes.hpp"
#include "program/seismic/hdf5_fill.hpp"
#include "program/seismic/hdf5_handle.hpp"
#include "program/seismic/hdf5_meaning.hpp"
#include "program/seismic/hdf5_sources.hpp"
#endif

namespace tessera::io {
namespace fs = std::filesystem;

std::uint64_t regular_file_bytes(const fs::path& path, const std::string& text) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  require(fs::exists(status), "{}: No such file or directory", text);
  require(fs::is_regular_file(status), "{}: not a regular file", text);
  return bytes_of_file(path);
}

std::uint64_t model_file_bytes(const fs::path& path, const std::string& what) {
  return regular_file_bytes(path, fmt::format("cannot read the {} {}", what, path.string()));
}

void check_shape(const ModelShape& shape, const std::string& text) {
  constexpr std::int64_t kMostAlong = std::int64_t{1} << 31;
  constexpr double kMost = 1099511627776.0;  // 2^40
  const double cells =
      static_cast<double>(shape.nx) * static_cast<double>(shape.ny) * static_cast<double>(shape.nz);
  for (const std::int64_t samples : {shape.nx, shape.ny, shape.nz}) {
    require(samples >= 1 && samples <= kMostAlong && cells <= kMost,
            "{}: {} x {} x {} samples are no model", text, shape.nx, shape.ny, shape.nz);
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
  const std::uint64_t found = model_file_bytes(path);
  const std::string text = fmt::format("cannot read the velocity file {}", path.string());
  check_shape(shape, text);
  const auto wanted = static_cast<std::uint64_t>(shape.bytes());
  require(found == wanted,
          "the velocity file {} has {} bytes, {} float32 values of {} x {} x {} cells are {} bytes",
          path.string(), found, wanted / 4, shape.nx, shape.ny, shape.nz, wanted);
  ModelFile model = allocate_model({part.nx(), part.ny(), part.nz()}, text);
  const PartReader file(path, text);
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

#if TESSERA_HAVE_HDF5

namespace {

/// A dataset that is open, and what was learnt of it.
struct Dataset {
  Hdf5Handle file, data;
  ModelShape shape;
  std::string text;  // how messages about it begin
};

Dataset open_dataset(const fs::path& path, const std::string& dataset, const std::string& what) {
  static_cast<void>(model_file_bytes(path, what));
  const std::string text = fmt::format("cannot read the {} {}", what, path.string());
  Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, text);
  require(H5Lexists(file, dataset.c_str(), H5P_DEFAULT) > 0, "{}: it has no dataset \"{}\"", text,
          dataset);
  const std::string data_text = fmt::format("{}, dataset \"{}\"", text, dataset);
  Hdf5Handle data = open_with_sources(file, dataset, data_text);
  const Hdf5Handle type(H5Dget_type(data), H5Tclose, data_text);
  const H5T_class_t kind = H5Tget_class(type);
  require(kind == H5T_FLOAT || kind == H5T_INTEGER, "{}: its values are not numbers", data_text);
  const Hdf5Handle space(H5Dget_space(data), H5Sclose, data_text);
  const int rank = H5Sget_simple_extent_ndims(space);
  require(rank == 2 || rank == 3, "{}: it has {} dimensions, expected [z][x] or [z][y][x]",
          data_text, rank);
  std::array<hsize_t, 3> sizes{};
  H5Sget_simple_extent_dims(space, sizes.data(), nullptr);
  for (int i = 0; i < rank; ++i) {
    // An extent of nonsense must not wrap around on its way into signed numbers.
    require(sizes[static_cast<std::size_t>(i)] <= hsize_t{1} << 31,
            "{}: an axis of {} samples is that of no model", data_text,
            sizes[static_cast<std::size_t>(i)]);
  }
  const auto size = [&](int i) {
    return static_cast<std::int64_t>(sizes[static_cast<std::size_t>(i)]);
  };
  const ModelShape shape{size(rank - 1), rank == 3 ? size(1) : 1, size(0)};
  return {std::move(file), std::move(data), shape, data_text};
}

}  // namespace

ModelShape hdf5_model_shape(const fs::path& path, const std::string& dataset,
                            const HeaderChecks& checks) {
  const Hdf5Quiet quiet;
  const Dataset from = open_dataset(path, dataset, checks.what);
  require_plain_values(from.data, checks, from.text);
  return from.shape;
}

ModelFile read_hdf5_model(const fs::path& path, const std::string& dataset, const CellBox& part,
                          const HeaderChecks& checks) {
  const Hdf5Quiet quiet;
  const Dataset from = open_dataset(path, dataset, checks.what);
  require_plain_values(from.data, checks, from.text);
  ModelFile model = allocate_model({part.nx(), part.ny(), part.nz()}, from.text);
  try {
    read_box(from.data, part, H5T_NATIVE_FLOAT, model.values.data(), from.text);
  } catch (const Error&) {
    require_filters(from.data, from.text);  // says it better than HDF5, which names a folder
    throw;
  }
  if (checks.headers) {
    require_filled(from.data, model, part, from.text);
    warn_of_top(from.data, fmt::format("{}, dataset \"{}\"", path.string(), dataset));
  }
  return model;
}

#else

ModelShape hdf5_model_shape(const fs::path& path, const std::string&, const HeaderChecks&) {
  fail("cannot read the velocity file {}: this build has no HDF5 support", path.string());
}
ModelFile read_hdf5_model(const fs::path& path, const std::string&, const CellBox&,
                          const HeaderChecks&) {
  fail("cannot read the velocity file {}: this build has no HDF5 support", path.string());
}

#endif

}  // namespace tessera::io
