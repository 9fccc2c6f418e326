// SPDX-License-Identifier: Apache-2.0
#include "base/comm/session.hpp"

#include "base/comm/launcher.hpp"
#include "base/support/error.hpp"

namespace tessera::comm {

Session::Session() {
  require(launched_processes() <= 1,
          "this build has no MPI, and a launcher started {} processes of it: configure with "
          "TESSERA_REQUIRE_MPI=ON, or start one",
          launched_processes());
}
Session::~Session() = default;

int Session::end_together(int status, std::string& /*message*/) const { return status; }

const Ranks& world() {
  static const Ranks alone;
  return alone;
}

LocalRank local_rank() { return {}; }
std::string mpi_version() { return {}; }

}  // namespace tessera::comm
