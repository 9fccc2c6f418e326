// SPDX-License-Identifier: Apache-2.0
// Whether an unallocated View says so: 0 if it does (cmake/TesseraKokkos.cmake).
#include <Kokkos_Core.hpp>

int main() {
  const Kokkos::View<float*, Kokkos::HostSpace> empty;
  return empty.impl_track().has_record() ? 1 : 0;
}
