// SPDX-License-Identifier: Apache-2.0
// What this program was built from and with: a result without it cannot be compared later.
#pragma once

#include <map>
#include <string>

namespace tessera {

/// Facts that CMake knows; the source is generated from cmake/build_info.cpp.in.
struct BuildInfo {
  std::string version;         ///< of Tessera, from the project() line
  std::string git_revision;    ///< full hash at the last build, or "unknown" outside a checkout
  bool git_dirty = false;      ///< the checkout had changes that were not committed
  std::string compiler;        ///< name and version, with nvcc's where it compiles the kernels
  std::string flags;           ///< of our targets; Kokkos adds those of its backend
  std::string build_type;      ///< Release, Debug, ...
  std::string kokkos_version;  ///< e.g. "3.4.01"
  std::string kokkos_devices;  ///< backends, separated by spaces: "OPENMP SERIAL"
  std::string kokkos_arch;     ///< architectures that Kokkos was built for; may be empty
  std::string kokkos_options;  ///< e.g. "CUDA_LAMBDA COMPLEX_ALIGN"
  std::string source_tree;     ///< the checkout that it was built from
  std::string installed_data;  ///< share/tessera, from the folder of the installed program
  /// Of each family, a digest of its sources and of what all kernels stand on.
  std::map<std::string, std::string> family_code;
};

/// The facts of this build. Never throws.
const BuildInfo& build_info();

}  // namespace tessera
