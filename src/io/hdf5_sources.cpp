// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5_sources.hpp"

#if TESSERA_HAVE_HDF5

#include <array>
#include <cstddef>
#include <filesystem>
#include <set>
#include <utility>

namespace tessera::io {

namespace fs = std::filesystem;

namespace {

/// A text of a virtual dataset's creation list, of any length.
template <class Get>
std::string source_name(const Get& get) {
  const ssize_t length = get(nullptr, 0);
  if (length <= 0) return {};
  std::string name(static_cast<std::size_t>(length) + 1, '\0');
  static_cast<void>(get(name.data(), name.size()));
  name.pop_back();
  return name;
}

/// A source's file and dataset.
using Source = std::pair<std::string, std::string>;

bool holds(hid_t file, const std::string& dataset) {
  const hid_t data = H5Dopen2(file, dataset.c_str(), H5P_DEFAULT);
  if (data >= 0) H5Dclose(data);
  return data >= 0;
}

/// Where HDF5 looks for a source: in the file that names it, or as it is called, else beside that.
bool is_there(hid_t file, const fs::path& beside, const Source& source) {
  const auto& [called, dataset] = source;
  if (called == ".") return holds(file, dataset);
  const fs::path name(called);
  for (const fs::path& path : {beside / name, name, beside / name.filename()}) {
    const hid_t other = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    if (other < 0) continue;
    const bool found = holds(other, dataset);
    H5Fclose(other);
    if (found) return true;
  }
  return false;
}

/// The name of a block: %b counts them from 0, %% is a %.
std::string name_of(const std::string& pattern, hsize_t block) {
  std::string name;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char next = pattern[i] == '%' && i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (next == 'b') name += fmt::format("{}", block);
    if (next == '%') name += '%';
    if (next == 'b' || next == '%') {
      ++i;
    } else {
      name += pattern[i];
    }
  }
  return name;
}

bool counts_blocks(const std::string& pattern) {
  return name_of(pattern, 0) != name_of(pattern, 1);
}

/// How many blocks of a pattern the dataset has room for along the axis without an end, one at
/// least.
hsize_t blocks_of(hid_t data, hid_t creation, std::size_t mapping, const std::string& text) {
  constexpr int kMostAxes = H5S_MAX_RANK;
  std::array<hsize_t, kMostAxes> extent{}, start{}, stride{}, count{}, block{};
  const Hdf5Handle space(H5Dget_space(data), H5Sclose, text);
  const Hdf5Handle taken(H5Pget_virtual_vspace(creation, mapping), H5Sclose, text);
  const int rank = H5Sget_simple_extent_dims(space, extent.data(), nullptr);
  check_hdf5(
      H5Sget_regular_hyperslab(taken, start.data(), stride.data(), count.data(), block.data()),
      text);
  for (std::size_t i = 0; i < static_cast<std::size_t>(rank); ++i) {
    if (count[i] != H5S_UNLIMITED || stride[i] == 0 || extent[i] <= start[i]) continue;
    return (extent[i] - start[i] - 1) / stride[i] + 1;
  }
  return 1;
}

void require_sources(hid_t file, hid_t data, const std::string& text) {
  const Hdf5Handle creation(H5Dget_create_plist(data), H5Pclose, text);
  if (H5Pget_layout(creation) != H5D_VIRTUAL) return;
  std::size_t count = 0;
  check_hdf5(H5Pget_virtual_count(creation, &count), text);
  const fs::path beside = fs::path(source_name([&](char* name, std::size_t size) {
                            return H5Fget_name(file, name, size);
                          })).parent_path();
  std::set<Source> known;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string called = source_name([&](char* name, std::size_t size) {
      return H5Pget_virtual_filename(creation, i, name, size);
    });
    const std::string dataset = source_name([&](char* name, std::size_t size) {
      return H5Pget_virtual_dsetname(creation, i, name, size);
    });
    const bool counted = counts_blocks(called) || counts_blocks(dataset);
    const hsize_t blocks = counted ? blocks_of(data, creation, i, text) : 1;
    for (hsize_t block = 0; block < blocks; ++block) {
      const Source source{name_of(called, block), name_of(dataset, block)};
      if (!known.insert(source).second) continue;
      require(is_there(file, beside, source),
              "{}: it is virtual, and its source {}, dataset \"{}\", cannot be opened: put it "
              "there",
              text, source.first, source.second);
    }
  }
}

}  // namespace

Hdf5Handle open_with_sources(hid_t file, const std::string& dataset, const std::string& text) {
  // So many blocks of a pattern may be missing one after another before those behind them are
  // looked for no more. HDF5's own 0 would end the dataset before the first of them, unsaid.
  constexpr hsize_t kMissing = 100;
  const Hdf5Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose, text);
  check_hdf5(H5Pset_virtual_printf_gap(access, kMissing), text);
  Hdf5Handle data(H5Dopen2(file, dataset.c_str(), access), H5Dclose, text);
  require_sources(file, data, text);
  return data;
}

void require_filters(hid_t data, const std::string& text) {
  const Hdf5Handle creation(H5Dget_create_plist(data), H5Pclose, text);
  const int count = H5Pget_nfilters(creation);
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0, config = 0;
    std::size_t values = 0;
    std::array<char, 64> name{};
    const H5Z_filter_t id = H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &values,
                                           nullptr, name.size() - 1, name.data(), &config);
    require(
        id < 0 || H5Zfilter_avail(id) > 0,
        "{}: its values went through filter {}{}, which this HDF5 has not: write them with gzip "
        "or without a filter",
        text, id, name[0] == '\0' ? "" : fmt::format(" ({})", name.data()));
  }
}

}  // namespace tessera::io

#endif
