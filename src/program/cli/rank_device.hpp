// SPDX-License-Identifier: Apache-2.0
// Which device a rank runs on.
#pragma once

namespace tessera {

/// Before Kokkos begins: of several ranks on a machine each takes the device of its local number.
/// Throws Error where there are more ranks than devices, unless --oversubscribe is among the
/// arguments: they then share. Nothing to choose on hosts and for one rank.
void choose_device(int argc, const char* const* argv);

}  // namespace tessera
