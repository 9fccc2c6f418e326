// SPDX-License-Identifier: Apache-2.0
#include "base/support/files.hpp"

#include "base/support/error.hpp"

#include <cerrno>
#include <fstream>
#include <system_error>

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestTable = std::uintmax_t{256} << 20;

}  // namespace

bool path_exists(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_plain_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool is_special_file(const fs::path& path) {
  return path_exists(path) && !is_plain_file(path) && !is_folder(path);
}

std::uintmax_t bytes_of_file(const fs::path& path) {
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(path, error);
  return error ? 0 : bytes;
}

std::string read_table(const fs::path& path) {
  const std::string name = path.string();
  require(!path_exists(path) || is_plain_file(path), "{}: cannot be read: not a regular file",
          name);
  std::ifstream file(path, std::ios::binary);
  require(file.is_open(), "{}: cannot be read: {}", name, std::generic_category().message(errno));
  const std::uintmax_t bytes = bytes_of_file(path);
  require(bytes <= kLargestTable, "{}: larger than the 256 MiB that a table may have", name);
  std::string text(static_cast<std::size_t>(bytes), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  require(!file.bad(), "{}: cannot be read", name);
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

}  // namespace tessera
