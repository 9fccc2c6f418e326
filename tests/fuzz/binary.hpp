// SPDX-License-Identifier: Apache-2.0
// Binary files that are sound and say something else than is wanted: SEG-Y with other header fields
// and lengths, HDF5 with datasets of other ranks, types and orders of bytes.
#pragma once

#include "fuzz/mutation.hpp"

#include "program/seismic/hdf5_handle.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tessera::test {

/// A SEG-Y file with one to four of its header fields changed, to numbers that mean something, or
/// of another length.
inline std::string changed_segy(std::string text, Mutator& random) {
  constexpr std::size_t kFirst = 3600, kHeader = 240;
  // Of the binary header, from byte 0 of the file, and of a trace's, from its own.
  constexpr std::array<std::size_t, 12> kFields = {3212, 3216, 3220, 3224, 3254, 3268,
                                                   3272, 3500, 3504, 3506, 3520, 3528};
  constexpr std::array<std::size_t, 10> kTraceFields = {20, 28, 36, 68, 70, 72, 88, 114, 180, 188};
  constexpr std::array<int, 14> kValues = {0,  1,    2,     3,     5,     8,          16,
                                           -1, 1000, 32767, 32768, 65535, 0x7fffffff, 0x01020304};
  for (std::size_t i = 0, count = 1 + random.below(4); i < count; ++i) {
    const std::size_t traces = text.size() > kFirst ? (text.size() - kFirst) / kHeader : 0;
    if (random.below(5) == 0) {
      text.resize(random.below(text.size() + kHeader));
      continue;
    }
    const std::size_t at = traces > 0 && random.below(2) == 0
                               ? kFirst + random.below(traces) * kHeader + random.of(kTraceFields)
                               : random.of(kFields);
    const std::size_t bytes = random.below(2) == 0 ? 2 : 4;
    const auto value = static_cast<std::uint32_t>(random.of(kValues));
    for (std::size_t b = 0; b < bytes && at + b < text.size(); ++b) {
      text[at + b] = static_cast<char>(value >> 8 * (bytes - 1 - b) & 0xffU);
    }
  }
  return text;
}

#if TESSERA_HAVE_HDF5

/// Writes an HDF5 file whose `name` is a dataset of any rank from 0 to 4, of extents from 0 to 4,
/// of any type and order of bytes, in one piece or chunks; or a link that leads nowhere.
inline void write_any_hdf5(const std::filesystem::path& path, const std::string& name,
                           Mutator& random) {
  const io::Hdf5Quiet quiet;
  const io::Hdf5Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                            H5Fclose, "create");
  if (random.below(12) == 0) {
    H5Lcreate_soft("/nowhere", file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    return;
  }
  const std::array<hid_t, 8> types = {H5T_IEEE_F32LE, H5T_IEEE_F64BE, H5T_STD_I8LE,
                                      H5T_STD_U16BE,  H5T_STD_U64LE,  H5T_C_S1,
                                      H5T_STD_B8LE,   H5T_STD_REF_OBJ};
  const auto rank = static_cast<int>(random.below(5));
  std::array<hsize_t, 4> sizes{}, most{}, chunk{};
  for (std::size_t i = 0; i < 4; ++i) {
    sizes[i] = random.below(8) == 0 ? 0 : 1 + random.below(4);
    most[i] = H5S_UNLIMITED;
    chunk[i] = 1 + random.below(3);
  }
  const bool chunks = rank > 0 && random.below(2) == 0;
  const io::Hdf5Handle space(
      rank == 0 ? H5Screate(random.below(2) == 0 ? H5S_SCALAR : H5S_NULL)
                : H5Screate_simple(rank, sizes.data(), chunks ? most.data() : nullptr),
      H5Sclose, "space");
  const io::Hdf5Handle how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "how");
  if (chunks) H5Pset_chunk(how, rank, chunk.data());
  const hid_t data =
      H5Dcreate2(file, name.c_str(), random.of(types), space, H5P_DEFAULT, how, H5P_DEFAULT);
  if (data < 0) return;  // a filter that the type cannot have
  const std::vector<float> values(4 * 4 * 4 * 4, 2000.0F);
  if (random.below(3) != 0) {
    H5Dwrite(data, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  }
  H5Dclose(data);
}

#endif

}  // namespace tessera::test
