// SPDX-License-Identifier: Apache-2.0
// Replaces SEG-Y files in a build without them.
#include "base/support/error.hpp"
#include "program/seismic/model_files.hpp"
#include "program/seismic/segy.hpp"

namespace tessera::io {
namespace {

[[noreturn]] void no_segy(const std::filesystem::path& path) {
  fail("cannot read or write {}: this build has no SEG-Y support", path.string());
}

}  // namespace

SegyWriter::SegyWriter(std::filesystem::path path, const SegyHeader&) { no_segy(path); }
SegyWriter::~SegyWriter() = default;
void SegyWriter::append(float*, int, int) {}
void SegyWriter::commit() {}
ModelShape segy_model_shape(const std::filesystem::path& path, std::int64_t, std::int64_t,
                            const HeaderChecks&) {
  no_segy(path);
}
ModelFile read_segy_model(const std::filesystem::path& path, std::int64_t, std::int64_t,
                          const HeaderChecks&, const CellBox&) {
  no_segy(path);
}
std::vector<SegyShot> read_segy_geometry(const std::filesystem::path& path) { no_segy(path); }
void merge_segy(const std::filesystem::path& path, const std::vector<std::filesystem::path>&) {
  no_segy(path);
}

}  // namespace tessera::io
