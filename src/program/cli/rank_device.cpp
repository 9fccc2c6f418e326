// SPDX-License-Identifier: Apache-2.0
#include "program/cli/rank_device.hpp"

#include "base/comm/session.hpp"
#include "base/device/device_count.hpp"
#include "base/support/error.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

namespace tessera {

void choose_device(int argc, const char* const* argv) {
  const comm::LocalRank local = comm::local_rank();
  const int devices = device_count();
  if (local.size == 1 || devices == 0) return;
  const bool may_share = std::any_of(
      argv, argv + argc, [](std::string_view word) { return word == "--oversubscribe"; });
  require(local.size <= devices || may_share,
          "{} ranks on a machine with {} devices: start fewer, or let them share with "
          "--oversubscribe",
          local.size, devices);
  setenv("KOKKOS_DEVICE_ID", std::to_string(local.rank % devices).c_str(), 1);
}

}  // namespace tessera
