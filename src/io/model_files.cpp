// SPDX-License-Identifier: Apache-2.0
#include "io/model_files.hpp"

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <system_error>

#include "support/error.hpp"

#if TESSERA_HAVE_HDF5
#include "io/hdf5_handle.hpp"
#endif
#if TESSERA_HAVE_SEGY
#include <segyio/segy.h>
#endif

namespace tessera::io {
namespace {

namespace fs = std::filesystem;

// Size of a readable regular file.
std::uintmax_t file_bytes(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  require(fs::exists(status), "cannot read the velocity file {}: No such file or directory",
          path.string());
  require(fs::is_regular_file(status), "cannot read the velocity file {}: not a regular file",
          path.string());
  return fs::file_size(path);
}

std::size_t to_size(std::int64_t n) { return static_cast<std::size_t>(n); }

}  // namespace

ModelFile read_raw_model(const fs::path& path, std::int64_t nx, std::int64_t ny, std::int64_t nz) {
  const std::uintmax_t found = file_bytes(path);
  const std::uintmax_t wanted = 4ULL * to_size(nx) * to_size(ny) * to_size(nz);
  require(found == wanted,
          "the velocity file {} has {} bytes, {} float32 values of {} x {} x {} cells are {} bytes",
          path.string(), found, wanted / 4, nx, ny, nz, wanted);
  ModelFile model{nx, ny, nz, std::vector<float>(wanted / 4)};
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(model.values.data()), static_cast<std::streamsize>(wanted));
  require(file.good(), "cannot read the velocity file {}: {}", path.string(),
          std::generic_category().message(errno));
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

ModelFile read_hdf5_model(const fs::path& path, const std::string& dataset) {
  static_cast<void>(file_bytes(path));
  const Hdf5Quiet quiet;
  const std::string text = fmt::format("cannot read the velocity file {}", path.string());
  const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, text);
  require(H5Lexists(file, dataset.c_str(), H5P_DEFAULT) > 0, "{}: it has no dataset \"{}\"", text,
          dataset);
  const std::string data_text = fmt::format("{}, dataset \"{}\"", text, dataset);
  const Hdf5Handle data(H5Dopen2(file, dataset.c_str(), H5P_DEFAULT), H5Dclose, data_text);
  const Hdf5Handle type(H5Dget_type(data), H5Tclose, data_text);
  const H5T_class_t kind = H5Tget_class(type);
  require(kind == H5T_FLOAT || kind == H5T_INTEGER, "{}: its values are not numbers", data_text);
  const Hdf5Handle space(H5Dget_space(data), H5Sclose, data_text);
  const int rank = H5Sget_simple_extent_ndims(space);
  require(rank == 2 || rank == 3, "{}: it has {} dimensions, wanted are [z][x] or [z][y][x]",
          data_text, rank);
  std::array<hsize_t, 3> sizes{};
  H5Sget_simple_extent_dims(space, sizes.data(), nullptr);
  ModelFile model;
  model.nz = static_cast<std::int64_t>(sizes[0]);
  model.ny = rank == 3 ? static_cast<std::int64_t>(sizes[1]) : 1;
  model.nx = static_cast<std::int64_t>(sizes[to_size(rank - 1)]);
  model.values.resize(to_size(model.nx * model.ny * model.nz));
  check_hdf5(H5Dread(data, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, model.values.data()),
             data_text);
  return model;
}

#else

ModelFile read_hdf5_model(const fs::path& path, const std::string&) {
  fail("cannot read the velocity file {}: this build has no HDF5 support", path.string());
}

#endif

#if TESSERA_HAVE_SEGY

ModelFile read_segy_model(const fs::path& path, std::int64_t nx, std::int64_t ny) {
  const std::uintmax_t bytes = file_bytes(path);
  const std::string text = fmt::format("cannot read the velocity file {}", path.string());
  require(bytes > SEGY_TEXT_HEADER_SIZE + SEGY_BINARY_HEADER_SIZE,
          "{}: {} bytes are too few for a SEG-Y file", text, bytes);
  const std::unique_ptr<segy_file, int (*)(segy_file*)> file(segy_open(path.c_str(), "rb"),
                                                             segy_close);
  require(file != nullptr, "{}: {}", text, std::generic_category().message(errno));
  std::array<char, SEGY_BINARY_HEADER_SIZE> header{};
  require(segy_binheader(file.get(), header.data()) == SEGY_OK, "{}: its header cannot be read",
          text);
  const int format = segy_format(header.data());
  require(format == SEGY_IBM_FLOAT_4_BYTE || format == SEGY_IEEE_FLOAT_4_BYTE,
          "{}: sample format {} is neither 1 (IBM float) nor 5 (IEEE float)", text, format);
  const int samples = segy_samples(header.data());
  require(samples > 0, "{}: its header says {} samples a trace", text, samples);
  segy_set_format(file.get(), format);
  const long first = segy_trace0(header.data());
  const int trace_bytes = segy_trace_bsize(samples);
  int traces = 0;
  require(segy_traces(file.get(), &traces, first, trace_bytes) == SEGY_OK,
          "{}: its {} bytes are not whole traces of {} samples", text, bytes, samples);
  ModelFile model;
  model.nx = nx > 0 ? nx : traces / ny;
  model.ny = ny;
  model.nz = samples;
  require(model.nx * model.ny == traces, "{}: it has {} traces, nx = {} times ny = {} are {}", text,
          traces, model.nx, model.ny, model.nx * model.ny);
  model.values.resize(to_size(model.nx * model.ny * model.nz));
  std::vector<float> trace(to_size(samples));
  for (int t = 0; t < traces; ++t) {
    require(segy_readtrace(file.get(), t, trace.data(), first, trace_bytes) == SEGY_OK,
            "{}: trace {} of {} cannot be read", text, t + 1, traces);
    segy_to_native(format, samples, trace.data());
    // Traces run along z, the model along x: transposed here.
    for (int z = 0; z < samples; ++z)
      model.values[to_size(z) * to_size(traces) + to_size(t)] = trace[to_size(z)];
  }
  return model;
}

#else

ModelFile read_segy_model(const fs::path& path, std::int64_t, std::int64_t) {
  fail("cannot read the velocity file {}: this build has no SEG-Y support", path.string());
}

#endif

}  // namespace tessera::io
