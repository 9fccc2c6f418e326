// SPDX-License-Identifier: Apache-2.0
#include "base/comm/transport.hpp"

#include "base/comm/session.hpp"
#include "base/device/device_count.hpp"
#include "base/support/error.hpp"

namespace tessera::comm {

const std::vector<std::string>& transport_names() {
  static const std::vector<std::string> names = {"auto", "mpi", "nccl", "staged"};
  return names;
}

std::shared_ptr<const Transport> make_transport(const std::string& name, const Ranks& ranks) {
  if (ranks.alone()) return nullptr;
  // Two ranks on one device are more than NCCL takes.
  const bool own_device = ranks.all(local_rank().size <= device_count());
  std::shared_ptr<const Transport> made;
  require(name != "mpi" || !kOnDevice || !mpi_denies_devices(),
          "transport mpi: this MPI cannot read device memory: use nccl or staged");
  if (name == "mpi" || (name == "auto" && (!kOnDevice || mpi_is_gpu_aware()))) {
    made = make_mpi_transport(ranks, false);
  } else if (name == "nccl" || (name == "auto" && own_device)) {
    require(name == "auto" || own_device, "transport nccl: each rank needs a device of its own");
    made = make_nccl_transport(ranks);
    require(name == "auto" || made, "transport nccl: this build has neither NCCL nor RCCL");
  }
  return made ? made : make_mpi_transport(ranks, true);
}

}  // namespace tessera::comm
