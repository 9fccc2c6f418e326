// SPDX-License-Identifier: Apache-2.0
// The job that this process belongs to: MPI's beginning and end, and how several ranks end with one
// message.
#pragma once

#include "base/comm/ranks.hpp"

#include <string>

namespace tessera::comm {

/// Begins MPI where a launcher (mpirun, srun) started this process, and ends it. To be made once,
/// before anything else, and to outlive all that exchanges.
class Session {
 public:
  /// Throws Error where a launcher started several processes of a build without MPI, or with
  /// another: each would take itself for the only one.
  Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  /// Collective at the end, with this rank's exit status and, where that is not 0, its message.
  /// Returns the job's status: the largest. Where all ranks come here within seconds, the message
  /// of the first that failed is in `message` on that rank and empty on the others; a failed rank
  /// that others do not follow, for they wait for it in an exchange, writes its message and ends
  /// the job.
  [[nodiscard]] int end_together(int status, std::string& message) const;
};

/// All ranks of the job. This process alone before a Session, and in builds without MPI.
[[nodiscard]] const Ranks& world();

/// Place of this process among those of its machine, and how many these are. Collective when first
/// called.
struct LocalRank {
  int rank = 0, size = 1;
};
[[nodiscard]] LocalRank local_rank();

/// "Open MPI v4.1.4", as the library calls itself; empty in builds without.
[[nodiscard]] std::string mpi_version();

}  // namespace tessera::comm
