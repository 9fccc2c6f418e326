# SPDX-License-Identifier: Apache-2.0
# What a user may choose. ENABLE_ uses a part where it is found; REQUIRE_ makes its absence
# an error.

set(TESSERA_KNOWN_FAMILIES acoustic directional low_order jacobi ete)

set(TESSERA_FAMILIES "${TESSERA_KNOWN_FAMILIES}" CACHE STRING
  "Stencil families to build (semicolon-separated)")
set(TESSERA_PRECISIONS "float;double" CACHE STRING
  "Precisions to instantiate: float, double or both (semicolon-separated)")
set(TESSERA_CONFIGURATIONS "all" CACHE STRING
  "Tile configurations to instantiate: all, or few for quick builds")
set_property(CACHE TESSERA_CONFIGURATIONS PROPERTY STRINGS all few)

option(TESSERA_ENABLE_KOKKOSKERNELS "Use Kokkos Kernels (what needs it is unsupported without)" ON)
option(TESSERA_ENABLE_HDF5 "Read models from and write snapshots to HDF5, if it is found" ON)
option(TESSERA_REQUIRE_HDF5 "Stop if HDF5 is not found" OFF)
option(TESSERA_ENABLE_SEGY "Read models from and write gathers to SEG-Y, if segyio is found" ON)
option(TESSERA_REQUIRE_SEGY "Stop if segyio is not found" OFF)
option(TESSERA_ENABLE_HWLOC "Ask hwloc for cores, caches, NUMA nodes and bindings, if it is found" ON)
option(TESSERA_REQUIRE_HWLOC "Stop if hwloc is not found" OFF)
option(TESSERA_ENABLE_MPI "Run on several ranks, if MPI is found" ON)
option(TESSERA_REQUIRE_MPI "Stop if MPI is not found" OFF)
option(TESSERA_ENABLE_NCCL "Exchange halos of devices by NCCL or RCCL, if MPI and it are found" ON)
option(TESSERA_FETCH "Download and build libraries that are not installed" ON)
option(TESSERA_ENABLE_TESTS "Build the tests (needs GoogleTest)" ON)
option(TESSERA_DEBUG_CHECKS "Compile device assertions in (slow)" OFF)
option(TESSERA_UNITY_BUILD "Compile related host files together: faster first, slower later builds"
  OFF)
option(TESSERA_WARNINGS_AS_ERRORS "Stop at the first compiler warning" OFF)

# Stops unless every element of the list `variable` is one of the remaining arguments.
function(tessera_check_choice variable)
  if(NOT ${variable})
    message(FATAL_ERROR "${variable} is empty; choose from: ${ARGN}")
  endif()
  foreach(value IN LISTS ${variable})
    if(NOT value IN_LIST ARGN)
      string(REPLACE ";" ", " choices "${ARGN}")
      message(FATAL_ERROR "${variable}: unknown value \"${value}\"; choose from: ${choices}")
    endif()
  endforeach()
endfunction()

tessera_check_choice(TESSERA_FAMILIES ${TESSERA_KNOWN_FAMILIES})
tessera_check_choice(TESSERA_PRECISIONS float double)
tessera_check_choice(TESSERA_CONFIGURATIONS all few)

# A build type must be set before a fetched Kokkos sees its absence and picks another.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
