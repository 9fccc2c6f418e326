// SPDX-License-Identifier: Apache-2.0
#include "comm/session.hpp"

#include "comm/launcher.hpp"
#include "support/error.hpp"

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
