# SPDX-License-Identifier: Apache-2.0
# The libraries besides Kokkos. Leaves TESSERA_HAVE_HDF5 and TESSERA_HAVE_SEGY (0/1).

# find_package that names the distribution's package when the library is missing.
macro(tessera_find_package name debian_package)
  find_package(${name} ${ARGN} QUIET)
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR "${name} was not found; on Debian and Ubuntu: apt install ${debian_package}"
      " (elsewhere set ${name}_ROOT)")
  endif()
endmacro()

tessera_find_package(fmt libfmt-dev)
tessera_find_package(CLI11 libcli11-dev)
tessera_find_package(tomlplusplus libtomlplusplus-dev)
tessera_find_package(nlohmann_json nlohmann-json3-dev)
tessera_find_package(Threads libc6-dev)
if(TESSERA_ENABLE_TESTS)
  find_package(GTest QUIET)
  if(NOT GTest_FOUND)
    message(STATUS "no tests: GoogleTest was not found (Debian and Ubuntu: apt install libgtest-dev)")
    set(TESSERA_ENABLE_TESTS OFF)
  endif()
endif()

set(TESSERA_HAVE_HDF5 0)
if(TESSERA_ENABLE_HDF5 OR TESSERA_REQUIRE_HDF5)
  find_package(HDF5 QUIET COMPONENTS C)
  if(HDF5_FOUND)
    set(TESSERA_HAVE_HDF5 1)
    add_library(tessera_hdf5 INTERFACE)
    target_include_directories(tessera_hdf5 SYSTEM INTERFACE ${HDF5_INCLUDE_DIRS})
    target_link_libraries(tessera_hdf5 INTERFACE ${HDF5_LIBRARIES})
    target_compile_definitions(tessera_hdf5 INTERFACE ${HDF5_DEFINITIONS})
  elseif(TESSERA_REQUIRE_HDF5)
    message(FATAL_ERROR "HDF5 (C library) was not found; on Debian and Ubuntu: "
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
