// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/snapshot_reader.hpp"

#include <algorithm>
#include <cstdint>

#include "base/io/atomic_file.hpp"
#include "base/support/error.hpp"
#include "program/seismic/hdf5_handle.hpp"
#include "program/seismic/model_files.hpp"

namespace tessera::io {

namespace fs = std::filesystem;

std::vector<float> read_snapshot(const fs::path& path, const std::string& name,
                                 const SnapshotOptions& o, const CellBox& box) {
  const HeaderChecks checks{.headers = false, .what = "snapshots"};
  const ModelShape found = hdf5_model_shape(path, name, checks);
  require(found.nx == o.x.count && found.ny == o.y.count && found.nz == o.z.count,
          "{}: {} is of another grid", path.string(), name);
  return read_hdf5_model(path, name, box, checks).values;
}

namespace {

/// How many snapshots a file holds; none where it is no such file.
std::size_t snapshots_in(const fs::path& path) {
#if TESSERA_HAVE_HDF5
  const Hdf5Quiet quiet;
  try {
    const std::string text = path.string();
    const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, text);
    const Hdf5Handle data(H5Dopen2(file, kSnapshotsWritten, H5P_DEFAULT), H5Dclose, text);
    std::int64_t count = 0;
    check_hdf5(H5Dread(data, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &count), text);
    return static_cast<std::size_t>(std::max<std::int64_t>(count, 0));
  } catch (const Error&) {
    return 0;
  }
#else
  static_cast<void>(path);
  return 0;
#endif
}

}  // namespace

fs::path earlier_snapshots(const SnapshotOptions& options, std::size_t written) {
  const fs::path part = part_path(options.path);
  for (const fs::path& path : {part, options.path}) {
    if (snapshots_in(path) >= written) return path;
  }
  fail(
      "the {} snapshots before the checkpoint are neither in {} nor in {}; remove the checkpoint, "
      "and the shot begins at step 0",
      written, part.string(), options.path.string());
}

}  // namespace tessera::io
