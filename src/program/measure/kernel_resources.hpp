// SPDX-License-Identifier: Apache-2.0
// The compiler's table of what each kernel takes (tools/compiler_resources.py, resources.csv), read
// back: a launch through Kokkos hides the kernel from the runtime's own query.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::measure {

/// One kernel of one variant.
struct KernelResources {
  std::string variant;    ///< "acoustic/gmem"
  std::string tile;       ///< "8x8x8", "256x4,v=4"; empty where the kernel has none
  std::string precision;  ///< "float", "double"
  std::string stencil;    ///< "directional/y-r4"; empty where the kernel is of all
  std::string update;     ///< "inner", "pml", "branched", "shell"; empty where there is one only
  int registers = 0;      ///< of 32 bits, a thread
  int spilled_bytes = 0;  ///< kept in memory that should be in registers, a thread
};

/// Reads the table of a CUDA or a HIP compiler; other columns are passed over. Throws Error where
/// the file is missing, is not such a table, or holds a value that is not a number.
[[nodiscard]] std::vector<KernelResources> read_kernel_resources(const std::filesystem::path& path);

/// The kernel of a configuration with the most registers, since a configuration may launch several.
/// A configuration begins with the kernel's tile: "8x8x8"; "32x16,chunk=128" of 32x16. A row
/// without a tile, a stencil or an update applies to all of them; rows that differ in nothing
/// except their registers apply to none.
[[nodiscard]] std::optional<KernelResources> find_kernel(const std::vector<KernelResources>& table,
                                                         std::string_view variant,
                                                         std::string_view configuration,
                                                         std::string_view precision,
                                                         std::string_view update,
                                                         std::string_view stencil = "");

}  // namespace tessera::measure
