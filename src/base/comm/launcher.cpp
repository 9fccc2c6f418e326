// SPDX-License-Identifier: Apache-2.0
#include "base/comm/launcher.hpp"

#include <cstdlib>

namespace tessera::comm {
namespace {

constexpr const char* kSizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"};
constexpr const char* kPlaces[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK"};
constexpr const char* kRanks[] = {"PMI_RANK", "PMIX_RANK", "PMI_FD"};

}  // namespace

bool launched() {
  for (const char* name : kSizes) {
    if (std::getenv(name) != nullptr) return true;
  }
  for (const char* name : kRanks) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

int launched_processes() {
  for (const char* name : kSizes) {
    if (const char* size = std::getenv(name)) return std::atoi(size);
  }
  return 1;
}

int launched_rank() {
  for (const char* name : kPlaces) {
    if (const char* rank = std::getenv(name)) return std::atoi(rank);
  }
  return 0;
}

}  // namespace tessera::comm
