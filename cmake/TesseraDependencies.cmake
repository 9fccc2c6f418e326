# SPDX-License-Identifier: Apache-2.0
# The libraries besides Kokkos. Leaves TESSERA_HAVE_HDF5, TESSERA_HAVE_SEGY, TESSERA_HAVE_HWLOC,
# TESSERA_HAVE_MPI and TESSERA_HAVE_NCCL (0/1).

tessera_declare(fmt
  https://github.com/fmtlib/fmt/archive/refs/tags/10.2.1.tar.gz
  1250e4cc58bf06ee631567523f48848dc4596133e163f02615c97f78bab6c811)
tessera_declare(cli11
  https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.5.0.tar.gz
  17e02b4cddc2fa348e5dbdbb582c59a3486fa2b2433e70a0c3bacb871334fd55)
tessera_declare(tomlplusplus
  https://github.com/marzer/tomlplusplus/archive/refs/tags/v3.4.0.tar.gz
  8517f65938a4faae9ccf8ebb36631a38c1cadfb5efa85d9a72e15b9e97d25155)
tessera_declare(nlohmann_json
  https://github.com/nlohmann/json/releases/download/v3.12.0/json.tar.xz
  42f6e95cad6ec532fd372391373363b62a14af6d771056dbfc86160e6dfff7aa)
tessera_declare(googletest
  https://github.com/google/googletest/archive/refs/tags/v1.17.0.tar.gz
  65fab701d9829d38cb77c14acdc431d2108bfdbf8979e40eb8ae567edf10b27c)

# tessera_find_or_fetch(<package> <declared name>): the installed package, else the release. Leaves
# <package>_FOUND, false where there is neither.
macro(tessera_find_or_fetch package name)
  tessera_source_is_named(source_is_named ${name})
  if(NOT source_is_named)
    find_package(${package} QUIET)
  endif()
  if(source_is_named OR (TESSERA_FETCH AND NOT ${package}_FOUND))
    tessera_fetch(${name})
    set(${package}_FOUND TRUE)
  endif()
endmacro()

# The same for what cannot be done without; `debian_package` is for the message.
macro(tessera_require package name debian_package)
  tessera_find_or_fetch(${package} ${name})
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${package} was not found and TESSERA_FETCH is OFF; on Debian and Ubuntu: "
      "apt install ${debian_package} (elsewhere set ${package}_ROOT)")
  endif()
endmacro()

tessera_require(fmt fmt libfmt-dev)
tessera_require(CLI11 cli11 libcli11-dev)
tessera_require(tomlplusplus tomlplusplus libtomlplusplus-dev)
tessera_require(nlohmann_json nlohmann_json nlohmann-json3-dev)
find_package(Threads REQUIRED)
if(TESSERA_ENABLE_TESTS)
  tessera_find_or_fetch(GTest googletest)
  if(NOT GTest_FOUND)
    message(STATUS "no tests: GoogleTest was not found and TESSERA_FETCH is OFF "
      "(Debian and Ubuntu: apt install libgtest-dev)")
    set(TESSERA_ENABLE_TESTS OFF)
  endif()
endif()

set(TESSERA_HAVE_HDF5 0)
if(TESSERA_ENABLE_HDF5 OR TESSERA_REQUIRE_HDF5)
  find_package(HDF5 QUIET COMPONENTS C HL)
  if(HDF5_FOUND)
    set(TESSERA_HAVE_HDF5 1)
    add_library(tessera_hdf5 INTERFACE)
    target_include_directories(tessera_hdf5 SYSTEM INTERFACE ${HDF5_INCLUDE_DIRS})
    target_link_libraries(tessera_hdf5 INTERFACE ${HDF5_HL_LIBRARIES} ${HDF5_LIBRARIES})
    target_compile_definitions(tessera_hdf5 INTERFACE ${HDF5_DEFINITIONS})
  elseif(TESSERA_REQUIRE_HDF5)
    message(FATAL_ERROR "HDF5 (C library, with its high-level part) was not found; on Debian and Ubuntu: "
      "apt install libhdf5-dev (elsewhere set HDF5_ROOT)")
  endif()
endif()

# segyio installs no CMake package.
set(TESSERA_HAVE_SEGY 0)
if(TESSERA_ENABLE_SEGY OR TESSERA_REQUIRE_SEGY)
  find_path(SEGYIO_INCLUDE_DIR segyio/segy.h)
  find_library(SEGYIO_LIBRARY segyio)
  mark_as_advanced(SEGYIO_INCLUDE_DIR SEGYIO_LIBRARY)
  if(SEGYIO_INCLUDE_DIR AND SEGYIO_LIBRARY)
    set(TESSERA_HAVE_SEGY 1)
    add_library(tessera_segy INTERFACE)
    target_include_directories(tessera_segy SYSTEM INTERFACE "${SEGYIO_INCLUDE_DIR}")
    target_link_libraries(tessera_segy INTERFACE "${SEGYIO_LIBRARY}")
  elseif(TESSERA_REQUIRE_SEGY)
    message(FATAL_ERROR "segyio (segyio/segy.h, libsegyio) was not found; on Debian and Ubuntu: "
      "apt install libsegyio-dev (elsewhere set SEGYIO_INCLUDE_DIR and SEGYIO_LIBRARY)")
  endif()
endif()

# hwloc installs no CMake package either; the calls used are those of its second version.
set(TESSERA_HAVE_HWLOC 0)
if(TESSERA_ENABLE_HWLOC OR TESSERA_REQUIRE_HWLOC)
  find_path(HWLOC_INCLUDE_DIR hwloc.h)
  find_library(HWLOC_LIBRARY hwloc)
  mark_as_advanced(HWLOC_INCLUDE_DIR HWLOC_LIBRARY)
  if(EXISTS "${HWLOC_INCLUDE_DIR}/hwloc.h" AND HWLOC_LIBRARY)
    file(STRINGS "${HWLOC_INCLUDE_DIR}/hwloc.h" hwloc_2
      REGEX "define HWLOC_API_VERSION 0x000[2-9]")
    if(hwloc_2)
      set(TESSERA_HAVE_HWLOC 1)
      add_library(tessera_hwloc INTERFACE)
      target_include_directories(tessera_hwloc SYSTEM INTERFACE "${HWLOC_INCLUDE_DIR}")
      target_link_libraries(tessera_hwloc INTERFACE "${HWLOC_LIBRARY}")
    endif()
  endif()
  if(TESSERA_REQUIRE_HWLOC AND NOT TESSERA_HAVE_HWLOC)
    message(FATAL_ERROR "hwloc 2 (hwloc.h, libhwloc) was not found; on Debian and Ubuntu: "
      "apt install libhwloc-dev (elsewhere set HWLOC_INCLUDE_DIR and HWLOC_LIBRARY)")
  endif()
endif()

# MPI's C interface is all that is used.
set(TESSERA_HAVE_MPI 0)
if(TESSERA_ENABLE_MPI OR TESSERA_REQUIRE_MPI)
  find_package(MPI QUIET COMPONENTS C)
  if(MPI_C_FOUND)
    set(TESSERA_HAVE_MPI 1)
  elseif(TESSERA_REQUIRE_MPI)
    message(FATAL_ERROR "MPI was not found; on Debian and Ubuntu: apt install libopenmpi-dev "
      "openmpi-bin (elsewhere set MPI_HOME)")
  endif()
endif()

# NCCL for CUDA, RCCL for HIP: the same calls. Neither installs a CMake package that all sites have.
set(TESSERA_HAVE_NCCL 0)
if(TESSERA_ENABLE_NCCL AND TESSERA_HAVE_MPI AND TESSERA_DEVICE_BACKEND)
  if("HIP" IN_LIST TESSERA_KOKKOS_DEVICES)
    find_path(NCCL_INCLUDE_DIR rccl.h PATH_SUFFIXES rccl HINTS ENV ROCM_PATH PATHS /opt/rocm/include)
    find_library(NCCL_LIBRARY rccl HINTS ENV ROCM_PATH PATHS /opt/rocm/lib)
  else()
    find_path(NCCL_INCLUDE_DIR nccl.h HINTS ENV NCCL_HOME ENV CUDA_HOME PATH_SUFFIXES include
      PATHS /usr/local/cuda)
    find_library(NCCL_LIBRARY nccl HINTS ENV NCCL_HOME ENV CUDA_HOME PATH_SUFFIXES lib lib64
      PATHS /usr/local/cuda)
  endif()
  mark_as_advanced(NCCL_INCLUDE_DIR NCCL_LIBRARY)
  if(NCCL_INCLUDE_DIR AND NCCL_LIBRARY)
    set(TESSERA_HAVE_NCCL 1)
    add_library(tessera_nccl INTERFACE)
    target_include_directories(tessera_nccl SYSTEM INTERFACE "${NCCL_INCLUDE_DIR}")
    target_link_libraries(tessera_nccl INTERFACE "${NCCL_LIBRARY}")
  endif()
endif()
