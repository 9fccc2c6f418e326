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

/// One to four changes of a SEG-Y file: fields of its headers, and how long it is.
class SegyStructure {
 public:
  explicit SegyStructure(Mutator& random) : random_(random) {}

  [[nodiscard]] std::string operator()(std::string text) {
    for (std::size_t i = 0, count = 1 + random_.below(4); i < count; ++i) change(text);
    return text;
  }

 private:
  static constexpr std::size_t kFirst = 3600, kHeader = 240;
  // Fields of the binary header, from byte 0 of the file, and of a trace's, from its own.
  static constexpr std::array<std::size_t, 12> kFields = {3212, 3216, 3220, 3224, 3254, 3268,
                                                          3272, 3500, 3504, 3506, 3520, 3528};
  static constexpr std::array<std::size_t, 18> kTraceFields = {
      20, 28, 36, 40, 48, 68, 70, 72, 80, 88, 108, 114, 116, 168, 180, 188, 202, 204};

  void change(std::string& text) {
    const std::size_t traces = text.size() > kFirst ? text.size() - kFirst : 0;
    switch (random_.below(6)) {
      case 0:
      case 1:
        put(text, kFields[random_.below(kFields.size())]);
        break;
      case 2:
      case 3:
        if (traces > kHeader) {
          put(text, kFirst + random_.below(traces / kHeader) * kHeader +
                        kTraceFields[random_.below(kTraceFields.size())]);
        }
        break;
      case 4:  // shorter or longer than its headers say
        text.resize(random_.below(text.size() + kHeader));
        break;
      default:  // extended headers, or what a writer left between
        if (traces > 0) text.insert(kFirst, std::string(3200 * (1 + random_.below(2)), ' '));
    }
  }

  // A number that means something, in 2 or 4 bytes, in either order.
  void put(std::string& text, std::size_t at) {
    static constexpr std::array<std::int64_t, 20> kValues = {
        0,          1,     2,    3,     4,     5,     6,     8,          16,
        0x0100,     -1,    1000, 10000, 32767, 32768, 65535, 0x7fffffff, -0x80000000L,
        0x01020304, 0x0200};
    const auto value = static_cast<std::uint64_t>(kValues[random_.below(kValues.size())]);
    const std::size_t bytes = random_.below(2) == 0 ? 2 : 4;
    const bool little = random_.below(4) == 0;
    for (std::size_t i = 0; i < bytes && at + i < text.size(); ++i) {
      text[at + i] = static_cast<char>(value >> 8 * (little ? i : bytes - 1 - i) & 0xffU);
    }
  }

  Mutator& random_;
};

#if TESSERA_HAVE_HDF5

/// Writes an HDF5 file whose `name` is a dataset of any rank from 0 to 4, of extents from 0 to 4,
/// of any type and order of bytes, in one piece or chunks; or a group, or a link that leads
/// nowhere.
inline void write_any_hdf5(const std::filesystem::path& path, const std::string& name,
                           Mutator& random) {
  const io::Hdf5Quiet quiet;
  const io::Hdf5Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                            H5Fclose, "create");
  if (random.below(12) == 0) {
    H5Lcreate_soft("/nowhere", file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    return;
  }
  if (random.below(12) == 0) {
    const io::Hdf5Handle group(
        H5Gcreate2(file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, "group");
    return;
  }
  const std::array<hid_t, 12> types = {H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_IEEE_F64LE,
                                       H5T_IEEE_F64BE, H5T_STD_I8LE,   H5T_STD_U16BE,
                                       H5T_STD_I32BE,  H5T_STD_U64LE,  H5T_C_S1,
                                       H5T_STD_B8LE,   H5T_UNIX_D32LE, H5T_STD_REF_OBJ};
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
  if (chunks && random.below(2) == 0) H5Pset_fletcher32(how);
  const hid_t type = types[random.below(types.size())];
  const hid_t data = H5Dcreate2(file, name.c_str(), type, space, H5P_DEFAULT, how, H5P_DEFAULT);
  if (data < 0) return;  // a filter that the type cannot have
  const std::vector<float> values(4 * 4 * 4 * 4, 2000.0F);
  if (random.below(3) != 0) {
    H5Dwrite(data, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  }
  H5Dclose(data);
}

#endif

}  // namespace tessera::test
