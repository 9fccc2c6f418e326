// SPDX-License-Identifier: Apache-2.0
#include "program/seismic/hdf5_sources.hpp"

#if TESSERA_HAVE_HDF5

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "base/support/files.hpp"

namespace tessera::io {

namespace fs = std::filesystem;

namespace {

/// A text that HDF5 gives, of any length.
template <class Get>
std::string name_from(const Get& get) {
  const ssize_t length = get(nullptr, 0);
  if (length <= 0) return {};
  std::string name(static_cast<std::size_t>(length) + 1, '\0');
  static_cast<void>(get(name.data(), name.size()));
  name.pop_back();
  return name;
}

/// The file that an open object lies in.
fs::path file_of(hid_t object) {
  return name_from([&](char* name, std::size_t size) { return H5Fget_name(object, name, size); });
}

bool holds(hid_t file, const std::string& dataset) {
  const hid_t data = H5Dopen2(file, dataset.c_str(), H5P_DEFAULT);
  if (data >= 0) H5Dclose(data);
  return data >= 0;
}

/// What an environment variable puts before names of files: folders, a colon between them, of which
/// ${ORIGIN} is that of the file that names others.
std::vector<fs::path> prefixes_of(const char* variable, const fs::path& origin) {
  constexpr std::string_view kOrigin = "${ORIGIN}";
  std::vector<fs::path> prefixes;
  const char* const value = std::getenv(variable);
  std::string_view rest = value == nullptr ? "" : value;
  while (!rest.empty()) {
    std::string_view part = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    if (part.empty()) continue;
    if (!part.starts_with(kOrigin)) {
      prefixes.emplace_back(part);
      continue;
    }
    part.remove_prefix(kOrigin.size());
    while (part.starts_with('/')) part.remove_prefix(1);
    prefixes.push_back(origin / part);
  }
  return prefixes;
}

/// Where HDF5 looks for a file that another one names, in its order: behind what the environment
/// says, beside that file, as it is called, and beside what links to that file lead to.
std::vector<fs::path> candidates_of(const fs::path& called, const fs::path& file,
                                    const char* variable) {
  const fs::path beside = file.parent_path();
  std::vector<fs::path> places;
  if (called.is_absolute()) places.push_back(called);
  const fs::path name = called.is_absolute() ? called.filename() : called;
  for (const fs::path& prefix : prefixes_of(variable, beside)) places.push_back(prefix / name);
  places.insert(places.end(), {beside / name, name});
  std::error_code error;
  const fs::path real = fs::canonical(file, error);
  if (!error) places.push_back(real.parent_path() / name);
  if (called.is_absolute()) places.push_back(beside / called.filename());
  return places;
}

/// A link out of a file, as it was followed.
struct Link {
  fs::path from;
  std::string file, object;
};

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

/// How datasets are opened.
Hdf5Handle access_list(const std::string& text) {
  // So many blocks of a pattern may be missing one after another before those behind them are
  // looked for no more. HDF5's own 0 would end the dataset before the first of them, unsaid.
  constexpr hsize_t kMissing = 100;
  Hdf5Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose, text);
  check_hdf5(H5Pset_virtual_printf_gap(access, kMissing), text);
  return access;
}

/// Notes the other files that datasets have their values in as read.
class Follower {
 public:
  explicit Follower(const std::string& text) : text_(text), access_(access_list(text)) {
    check_hdf5(H5Pset_elink_cb(access_, keep_link, &links_), text_);
  }
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;
  ~Follower() = default;

  /// The dataset is closed again: it would keep the list of links for as long as it is open.
  void look_at(hid_t file, const std::string& dataset) {
    links_.clear();
    const hid_t id = H5Dopen2(file, dataset.c_str(), access_);
    if (id < 0 && !links_.empty()) {
      const Link& last = links_.back();
      fail("{}: it is a link to {}, \"{}\", which cannot be opened: put it there", text_, last.file,
           last.object);
    }
    const Hdf5Handle data(id, H5Dclose, text_);
    for (const Link& link : links_) note_linked(link);
    if (const fs::path lies_in = file_of(data); lies_in != file_of(file)) note(lies_in);
    follow(data);
  }

 private:
  /// A file, and what it calls another one and a dataset there.
  using Source = std::tuple<fs::path, std::string, std::string>;
  static constexpr std::size_t kDeepest = 32;

  static herr_t keep_link(const char* from, const char*, const char* file, const char* object,
                          unsigned*, hid_t, void* links) {
    static_cast<std::vector<Link>*>(links)->push_back({from, file, object});
    return 0;
  }

  void note(const fs::path& path) {
    if (noted_.insert(path).second) note_input(path);
  }

  void note_linked(const Link& link) {
    for (const fs::path& path : candidates_of(link.file, link.from, "HDF5_EXT_PREFIX")) {
      const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
      if (file < 0) continue;
      H5Fclose(file);
      return note(path);
    }
  }

  void follow(hid_t data) {
    const Hdf5Handle creation(H5Dget_create_plist(data), H5Pclose, text_);
    note_raw_files(creation, file_of(data));
    if (H5Pget_layout(creation) == H5D_VIRTUAL) follow_sources(data, creation);
  }

  /// Files of plain numbers that a dataset has its values in.
  void note_raw_files(hid_t creation, const fs::path& file) {
    constexpr std::size_t kLongest = 4096;
    const int count = H5Pget_external_count(creation);
    for (int i = 0; i < count; ++i) {
      std::array<char, kLongest> name{};
      off_t offset = 0;
      hsize_t size = 0;
      check_hdf5(H5Pget_external(creation, static_cast<unsigned>(i), name.size() - 1, name.data(),
                                 &offset, &size),
                 text_);
      fs::path path = name.data();
      const auto prefixes = prefixes_of("HDF5_EXTFILE_PREFIX", file.parent_path());
      if (!prefixes.empty() && path.is_relative()) path = prefixes.front() / path;
      require(path_exists(path), "{}: its values lie in {}, which is not there: put it there",
              text_, path.string());
      note(path);
    }
  }

  void follow_sources(hid_t data, hid_t creation) {
    std::size_t count = 0;
    check_hdf5(H5Pget_virtual_count(creation, &count), text_);
    const Hdf5Handle file(H5Iget_file_id(data), H5Fclose, text_);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string called = name_from([&](char* name, std::size_t size) {
        return H5Pget_virtual_filename(creation, i, name, size);
      });
      const std::string dataset = name_from([&](char* name, std::size_t size) {
        return H5Pget_virtual_dsetname(creation, i, name, size);
      });
      const bool counted = counts_blocks(called) || counts_blocks(dataset);
      const hsize_t blocks = counted ? blocks_of(data, creation, i, text_) : 1;
      for (hsize_t block = 0; block < blocks; ++block) {
        follow_source(file, name_of(called, block), name_of(dataset, block));
      }
    }
  }

  /// A source may be virtual itself.
  void follow_source(hid_t file, const std::string& called, const std::string& dataset) {
    const fs::path from = file_of(file);
    const Source source(from, called, dataset);
    // HDF5 itself would follow it until the stack ends.
    require(
        !active_.contains(source) && active_.size() < kDeepest,
        "{}: it is virtual, and its source {}, dataset \"{}\", leads back to itself, or is more "
        "than {} virtual ones deep",
        text_, called, dataset, kDeepest);
    if (!known_.insert(source).second) return;
    active_.insert(source);
    open_source(file, from, called, dataset);
    active_.erase(source);
  }

  void open_source(hid_t file, const fs::path& from, const std::string& called,
                   const std::string& dataset) {
    if (called == "." && holds(file, dataset)) {
      look_at(file, dataset);
      return;
    }
    for (const fs::path& path : candidates_of(called, from, "HDF5_VDS_PREFIX")) {
      if (called == ".") break;
      const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
      if (id < 0) continue;
      const Hdf5Handle other(id, H5Fclose, text_);
      if (!holds(other, dataset)) continue;
      note(path);
      look_at(other, dataset);
      return;
    }
    fail("{}: it is virtual, and its source {}, dataset \"{}\", cannot be opened: put it there",
         text_, called, dataset);
  }

  std::string text_;
  std::vector<Link> links_;  // of the dataset that was opened last
  Hdf5Handle access_;
  std::set<fs::path> noted_;
  std::set<Source> known_, active_;  // active: those that lead to the one looked at
};

}  // namespace

Hdf5Handle open_with_sources(hid_t file, const std::string& dataset, const std::string& text) {
  Follower(text).look_at(file, dataset);
  return {H5Dopen2(file, dataset.c_str(), access_list(text)), H5Dclose, text};
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
