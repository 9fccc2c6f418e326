// SPDX-License-Identifier: Apache-2.0
#include "base/io/output_claims.hpp"

#include "base/io/atomic_file.hpp"
#include "base/support/error.hpp"
#include "base/support/files.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <cstddef>
#include <optional>
#include <string>

namespace tessera::io {
namespace {

namespace fs = std::filesystem;

/// Names that files have while they grow are no names of outputs: the run whose file grows there
/// removes it.
void require_no_growing_name(const fs::path& output) {
  require(output.stem().extension() != ".part",
          "{}: names with .part are those of files that grow: name another output",
          output.string());
}

/// The first of outputs[0 ... i) that is one file with outputs[i], links followed, also those to
/// what is not there yet.
std::optional<std::size_t> same_before(const std::vector<fs::path>& outputs, std::size_t i) {
  const fs::path target = resolve_link(outputs[i]);
  for (std::size_t j = 0; j < i; ++j) {
    if (!outputs[j].empty() && is_same_file(target, resolve_link(outputs[j]))) return j;
  }
  return std::nullopt;
}

/// Whether standard output or error goes there.
bool is_own_stream(const fs::path& path) {
  struct stat there {};
  if (::stat(path.c_str(), &there) != 0) return false;
  const auto goes_there = [&](int descriptor) {
    struct stat own {};
    return ::fstat(descriptor, &own) == 0 && own.st_dev == there.st_dev &&
           own.st_ino == there.st_ino;
  };
  return goes_there(STDOUT_FILENO) || goes_there(STDERR_FILENO);
}

void note_inputs(const std::vector<fs::path>& inputs) {
  for (const fs::path& input : inputs) {
    if (!input.empty()) note_input(input);
  }
}

/// Throws Error where outputs[i] is one of those before it, what the command has read, or what the
/// command's own words go to. Whether it is a file that is written at once: a terminal or /dev/null
/// takes what comes, from whomever.
bool require_own_name(const std::vector<fs::path>& outputs, std::size_t i) {
  const fs::path& output = outputs[i];
  require(!is_plain_file(output) || !is_own_stream(output),
          "{} is where this command's own words go: name another output", output.string());
  if (is_special_file(output)) return false;
  require_unread(output);
  require_no_growing_name(output);
  require(!same_before(outputs, i), "{} is named for two outputs", output.string());
  return true;
}

}  // namespace

void require_unread(const fs::path& output) {
  require_not_read(output);
  require_not_read(part_path(output));
}

void require_plain_files(const std::vector<fs::path>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string name = outputs[i].string();
    const fs::path target = resolve_output(outputs[i]);
    require(!is_special_file(target), "cannot write {}: it is no plain file", name);
    if (const auto j = same_before(outputs, i)) {
      fail("{} and {} are one file, {}", outputs[*j].string(), name, target.string());
    }
  }
}

std::vector<OutputLock> claim_outputs(const std::vector<fs::path>& outputs,
                                      const std::vector<fs::path>& inputs) {
  note_inputs(inputs);
  std::vector<OutputLock> locks;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const fs::path& output = outputs[i];
    if (output.empty() || !require_own_name(outputs, i)) continue;
    require_free_folder(output);
    require_writable_file(output);
    locks.emplace_back(output);
  }
  return locks;
}

void require_claimable(const std::vector<fs::path>& outputs, const std::vector<fs::path>& inputs) {
  note_inputs(inputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].empty() || !require_own_name(outputs, i)) continue;
    require_possible_file(outputs[i]);
    require_free_file(outputs[i]);
  }
}

}  // namespace tessera::io
