// SPDX-License-Identifier: Apache-2.0
#include "base/support/files.hpp"

#include "base/support/error.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestTable = std::uintmax_t{256} << 20;

std::vector<fs::path>& inputs() {
  static std::vector<fs::path> paths;
  return paths;
}

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
  require(bytes <= kLargestTable, "{}: larger than 256 MiB: no table", name);
  std::string text(static_cast<std::size_t>(bytes), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  require(!file.bad(), "{}: cannot be read", name);
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

void note_input(const fs::path& path) {
  std::vector<fs::path>& noted = inputs();
  if (std::find(noted.begin(), noted.end(), path) == noted.end()) noted.push_back(path);
}

void forget_inputs() { inputs().clear(); }

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (fs::equivalent(a, b, error)) return true;
  // Of what is not there a bare name stays one, and "./name" does not, unless both are whole.
  const auto whole = [&](const fs::path& path) {
    return fs::weakly_canonical(fs::absolute(path, error), error);
  };
  const fs::path left = whole(a);
  if (error) return false;
  const fs::path right = whole(b);
  return !error && left == right;
}

void require_not_read(const fs::path& output) {
  for (const fs::path& input : inputs()) {
    require(!is_same_file(output, input),
            "{} is read and would be written over: name another output", output.string());
  }
}

}  // namespace tessera
