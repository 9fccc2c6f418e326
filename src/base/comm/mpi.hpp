// SPDX-License-Identifier: Apache-2.0
// MPI's header, for the files that call it. Its former C++ bindings are excluded.
#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include "base/comm/ranks.hpp"

namespace tessera::comm {

struct Ranks::Communicator {
  MPI_Comm comm = MPI_COMM_NULL;

  explicit Communicator(MPI_Comm of) : comm(of) {}
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator() {
    int over = 0;
    MPI_Finalized(&over);
    if (over == 0 && comm != MPI_COMM_WORLD && comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  }
};

/// MPI's handle of a group of several ranks.
[[nodiscard]] inline MPI_Comm handle(const Ranks& ranks) { return ranks.communicator()->comm; }

}  // namespace tessera::comm
