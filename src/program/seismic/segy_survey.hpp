// SPDX-License-Identifier: Apache-2.0
// SEG-Y files of many shots: the geometry that headers tell, and gathers put together.
#pragma once

#include <filesystem>
#include <vector>

#include "program/seismic/segy_writer.hpp"

namespace tessera::io {

/// A shot as the trace headers of a file have it.
struct SegyShot {
  int number = 1;  ///< field record, or counted from 1
  Position source;
  std::vector<Position> receivers;  ///< in the order of their traces
};

/// The shots of a file, in the order of their first traces: traces of one field record and one
/// source place belong together. Places in m by the headers' scalars; depths from source depth and
/// receiver elevation. Dead and auxiliary traces are left out; where a field record is below 1 the
/// shots are numbered anew; a warning tells either. Throws Error for a file in feet, one of no
/// other traces, and without SEG-Y support.
[[nodiscard]] std::vector<SegyShot> read_segy_geometry(const std::filesystem::path& path);

/// Writes the traces of several gathers of SegyWriter into one file, one after the other, numbered
/// through. The file appears whole or not at all. Throws Error where they differ in interval or
/// length, one cannot be read, or the disk refuses.
void merge_segy(const std::filesystem::path& path,
                const std::vector<std::filesystem::path>& gathers);

}  // namespace tessera::io
