// SPDX-License-Identifier: Apache-2.0
#include "base/comm/transport.hpp"

namespace tessera::comm {

std::shared_ptr<const Transport> make_mpi_transport(const Ranks& /*ranks*/, bool /*staged*/) {
  return nullptr;
}

bool mpi_is_gpu_aware() { return false; }

bool mpi_denies_devices() { return false; }

}  // namespace tessera::comm
