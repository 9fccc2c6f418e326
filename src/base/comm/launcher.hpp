// SPDX-License-Identifier: Apache-2.0
// Whether a launcher of MPI jobs started this process, by the variables that each sets. A process
// that was started without one does not initialise MPI, which takes longer than many commands.
#pragma once

namespace tessera::comm {

/// True below mpirun of Open MPI, MPICH, MVAPICH or Intel MPI, and below srun with PMI or PMIx.
[[nodiscard]] bool launched();

/// Processes of the job, as far as the launcher's variables say; else 1.
[[nodiscard]] int launched_processes();
/// Which of them this one is; 0 where the launcher does not say.
[[nodiscard]] int launched_rank();

}  // namespace tessera::comm
