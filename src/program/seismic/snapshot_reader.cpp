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

/// What a snapshot file says of itself.
struct SnapshotHead {
  std::size_t written = 0;
  std::string identity;
};

/// A head without snapshots where the file is none of these.
SnapshotHead read_snapshot_head(const fs::path& path) {
#if TESSERA_HAVE_HDF5
  const Hdf5Quiet quiet;
  try {
    const std::string text = path.string();
    const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, text);
    const Hdf5Handle data(H5Dopen2(file, kSnapshotsWritten, H5P_DEFAULT), H5Dclose, text);
    std::int64_t count = 0;
    check_hdf5(H5Dread(data, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &count), text);
    return {static_cast<std::size_t>(std::max<std::int64_t>(count, 0)),
            text_attribute(file, kSnapshotsIdentity, text)};
  } catch (const Error&) {
    return {};
  }
#else
  static_cast<void>(path);
  return {};
#endif
}

/// Why the snapshots of a file are not those of a run with these options; empty where they are.
std::string other_identity(const fs::path& path, const SnapshotHead& head,
                           const SnapshotOptions& o) {
  if (head.identity == o.identity) return {};
  if (head.identity.empty()) {
    return fmt::format("{} does not say which shot it is of (an older version wrote it)",
                       path.string());
  }
  return fmt::format("{} has snapshots of another shot: {}", path.string(),
                     o.difference ? o.difference(head.identity) : "its identity differs");
}

}  // namespace

fs::path earlier_snapshots(const SnapshotOptions& options, std::size_t written) {
  const fs::path part = part_path(options.path);
  std::string why;
  for (const fs::path& path : {part, options.path}) {
    const SnapshotHead head = read_snapshot_head(path);
    if (head.written < written) continue;
    const std::string differing = other_identity(path, head, options);
    if (differing.empty()) return path;
    if (why.empty()) why = differing;
  }
  if (why.empty()) {
    why = fmt::format("the {} snapshots before the checkpoint are neither in {} nor in {}", written,
                      part.string(), options.path.string());
  }
  fail("{}; remove the checkpoint, and the shot begins at step 0", why);
}

bool has_identity(const fs::path& path, const std::string& identity) {
  return read_snapshot_head(path).identity == identity;
}

}  // namespace tessera::io
