// SPDX-License-Identifier: Apache-2.0
#include "base/device/this_machine.hpp"

#include "base/device/bulk_copy.hpp"
#include "base/device/native_launch.hpp"

namespace tessera {

MachineLimits this_machine() {
  MachineLimits limits;
  limits.kind = kThisKind;
  limits.here = true;
  limits.scratch_bytes = max_scratch_bytes();
  limits.native_scratch_bytes = max_native_scratch_bytes();
  limits.units = multiprocessors();
  limits.bulk_copies = kHasBulkCopy;
  return limits;
}

}  // namespace tessera
