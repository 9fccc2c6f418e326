// SPDX-License-Identifier: Apache-2.0
// Replaces HDF5 files in a build without them.
#include "base/support/error.hpp"
#include "program/seismic/checkpoint.hpp"
#include "program/seismic/model_files.hpp"
#include "program/seismic/snapshot_file.hpp"

namespace tessera::io {
namespace {

[[noreturn]] void no_hdf5(const std::filesystem::path& path) {
  fail("cannot read or write {}: this build has no HDF5 support", path.string());
}

}  // namespace

ModelShape hdf5_model_shape(const std::filesystem::path& path, const std::string&,
                            const HeaderChecks&) {
  no_hdf5(path);
}
ModelFile read_hdf5_model(const std::filesystem::path& path, const std::string&, const CellBox&,
                          const HeaderChecks&) {
  no_hdf5(path);
}
void write_checkpoint(const std::filesystem::path& path, const CheckpointHead&,
                      const std::vector<CheckpointField>&, const std::vector<float>&,
                      const Writers&) {
  no_hdf5(path);
}
CheckpointHead read_checkpoint_head(const std::filesystem::path& path) { no_hdf5(path); }
std::vector<float> read_checkpoint_samples(const std::filesystem::path& path) { no_hdf5(path); }
void require_undamaged(const std::filesystem::path& path, const std::vector<CheckpointArray>&,
                       const Writers&) {
  no_hdf5(path);
}
void read_checkpoint_field(const std::filesystem::path& path, const CheckpointArray&,
                           const TakePlanes&) {
  no_hdf5(path);
}
std::vector<std::uint64_t> create_snapshot_file(const std::filesystem::path& path,
                                                const SnapshotOptions&, const std::string&) {
  no_hdf5(path);
}
void count_snapshot(const std::filesystem::path&, std::size_t, const std::string&) {}
void drop_snapshots(const std::filesystem::path&, const SnapshotOptions&, std::size_t,
                    const std::string&) {}
std::size_t snapshots_in(const std::filesystem::path&) { return 0; }
void read_snapshot(const std::filesystem::path& path, const std::string&, const SnapshotOptions&,
                   const CellBox&, int, void*) {
  no_hdf5(path);
}

}  // namespace tessera::io
