// SPDX-License-Identifier: Apache-2.0
#include "program/measure/kokkos_settings.hpp"

#include "base/support/build_info.hpp"
#include "base/support/error.hpp"
#include "base/support/text.hpp"

#if defined(_OPENMP)
#include <omp.h>
#endif

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

namespace tessera::measure {
namespace {

struct Setting {
  std::string_view option;  // without its value
  const char* variable;     // of the environment
  int least;
};

// Names of several Kokkos versions.
constexpr Setting kSettings[] = {
    {"--kokkos-num-threads", "KOKKOS_NUM_THREADS", 1},
    {"--kokkos-threads", "KOKKOS_NUM_THREADS", 1},
    {"--kokkos-device-id", "KOKKOS_DEVICE_ID", 0},
    {"--kokkos-device", "KOKKOS_DEVICE", 0},
    {"--kokkos-num-devices", "KOKKOS_NUM_DEVICES", 1},
    {"--kokkos-ndevices", "KOKKOS_NUM_DEVICES", 1},
    {"--kokkos-numa", "KOKKOS_NUMA", 1},
};

/// The number that a setting says; "2,0" of --kokkos-num-devices counts too (devices, one to skip).
int number_of(std::string_view value, std::string_view name, int least) {
  int number = 0;
  const char* end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, number);
  const bool whole = rest == end || (*rest == ',' && name.find("devices") != name.npos);
  require(error == std::errc() && whole && number >= least,
          "{}={}: a whole number of at least {} is required", name, value, least);
  return number;
}

#if defined(_OPENMP)
/// OpenMP takes a list, threads of each level of nesting; of what is no number it takes no notice.
void check_openmp_threads() {
  constexpr const char* kName = "OMP_NUM_THREADS";
  const char* value = std::getenv(kName);
  if (value == nullptr) return;
  std::string_view rest = value;
  for (std::size_t comma = 0; comma != rest.npos;) {
    comma = rest.find(',');
    number_of(trimmed(rest.substr(0, comma)), kName, 1);
    if (comma != rest.npos) rest.remove_prefix(comma + 1);
  }
}
#endif

/// `asked_by` is what set their number.
void require_threads(int threads, std::string_view asked_by) {
  require(threads <= kMostThreads,
          "{} threads are requested, but Kokkos {} supports at most {}: set {}={} or less", threads,
          build_info().kokkos_version, kMostThreads, asked_by, kMostThreads);
}

}  // namespace

void check_kokkos_settings(int argc, const char* const* argv) {
#if defined(_OPENMP)
  check_openmp_threads();
#endif
  int threads = 0;
  std::string_view asked_by = "OMP_NUM_THREADS";
  for (const Setting& setting : kSettings) {
    const bool of_threads = setting.option.find("threads") != std::string_view::npos;
    if (const char* value = std::getenv(setting.variable)) {
      const int number = number_of(value, setting.variable, setting.least);
      if (of_threads) {
        threads = number;
        asked_by = setting.variable;
      }
    }
    for (int i = 1; i < argc; ++i) {
      const std::string_view word = argv[i];
      const std::size_t equals = word.find('=');
      if (equals == word.npos || word.substr(0, equals) != setting.option) continue;
      const int number = number_of(word.substr(equals + 1), setting.option, setting.least);
      if (!of_threads) continue;
      threads = number;
      asked_by = setting.option;
    }
  }
#if defined(_OPENMP)
  if (threads == 0) threads = omp_get_max_threads();
#endif
  require_threads(threads, asked_by);
}

}  // namespace tessera::measure
