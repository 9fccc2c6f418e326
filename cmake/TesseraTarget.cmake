# SPDX-License-Identifier: Apache-2.0
# The settings that every target of ours shares. -O and -march are the preset's business.

# Definitions and include root: an interface that all targets, and only ours, see.
add_library(tessera_settings INTERFACE)
# Includes name the path from src/ ("base/tile/vec.hpp"), of a family's headers from the top
# ("variants/jacobi/formula.hpp").
target_include_directories(tessera_settings INTERFACE
  "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}")
target_compile_features(tessera_settings INTERFACE cxx_std_20)
foreach(precision IN ITEMS float double)
  string(TOUPPER "${precision}" upper)
  if(precision IN_LIST TESSERA_PRECISIONS)
    target_compile_definitions(tessera_settings INTERFACE TESSERA_ENABLE_${upper}=1)
  else()
    target_compile_definitions(tessera_settings INTERFACE TESSERA_ENABLE_${upper}=0)
  endif()
endforeach()
target_compile_definitions(tessera_settings INTERFACE
  TESSERA_HAVE_HDF5=${TESSERA_HAVE_HDF5}
  TESSERA_HAVE_SEGY=${TESSERA_HAVE_SEGY}
  TESSERA_HAVE_KOKKOSKERNELS=${TESSERA_HAVE_KOKKOSKERNELS}
  $<$<STREQUAL:${TESSERA_CONFIGURATIONS},few>:TESSERA_FEW_CONFIGURATIONS>
  $<$<BOOL:${TESSERA_DEBUG_CHECKS}>:TESSERA_DEBUG_CHECKS>)

# Contraction is pinned, so that a point's sum is the same bits in every variant: an fma is one where
# the source says so.
set(TESSERA_COMPILE_OPTIONS -Wall -Wextra -ffp-contract=off)
if(TESSERA_WARNINGS_AS_ERRORS)
  list(APPEND TESSERA_COMPILE_OPTIONS -Werror)
endif()
# What depends on Kokkos: -fopenmp-simd makes `omp simd` count without OpenMP threads.
set(TESSERA_KOKKOS_COMPILE_OPTIONS -fopenmp-simd)
set(TESSERA_KOKKOS_DEFINITIONS "")
set(TESSERA_HOST_ONLY_OPTIONS "")
if("CUDA" IN_LIST TESSERA_KOKKOS_DEVICES AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # CUDA without clang: nvcc compiles what depends on Kokkos, the host compiler the rest. nvcc has a
  # contraction switch of its own for device code. Relaxed constexpr lets kernels call the standard
  # library's constexpr functions, as clang does for HIP without being asked.
  list(APPEND TESSERA_KOKKOS_COMPILE_OPTIONS --fmad=false --expt-relaxed-constexpr)
  # fmt 9 takes nvcc for a compiler without constexpr, and then fails to compile: it has it.
  set(TESSERA_KOKKOS_DEFINITIONS FMT_USE_CONSTEXPR=1)
  if(CMAKE_CXX_COMPILER MATCHES "nvcc_wrapper")
    set(TESSERA_HOST_ONLY_OPTIONS --host-only)
  endif()
elseif("HIP" IN_LIST TESSERA_KOKKOS_DEVICES)
  # For host code only: asked for it, clang makes device code call an OpenMP runtime that HIP has
  # not, even where there is no pragma.
  set(TESSERA_KOKKOS_COMPILE_OPTIONS "SHELL:-Xarch_host -fopenmp-simd")
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 18)
    list(APPEND TESSERA_KOKKOS_COMPILE_OPTIONS
      "SHELL:-include ${PROJECT_SOURCE_DIR}/cmake/hip_operator_delete.hpp")
  endif()
endif()

# Precompiles headers that most units of a target parse, where builds are to be fast from nothing
# (TESSERA_UNITY_BUILD) and one compiler reads them once: not nvcc nor clang for HIP.
function(tessera_precompile target)
  if(TESSERA_UNITY_BUILD AND NOT "CUDA" IN_LIST TESSERA_KOKKOS_DEVICES
      AND NOT "HIP" IN_LIST TESSERA_KOKKOS_DEVICES)
    target_precompile_headers(${target} ${ARGN})
  endif()
endfunction()

# Compiles sources of a target together, in units of at most `most` of them, where builds are to be
# fast from nothing: what they include is then parsed, and what they instantiate compiled, once a
# unit. Names in anonymous namespaces must differ within a group. Called in the target's folder.
function(tessera_unite target group most)
  if(NOT TESSERA_UNITY_BUILD)
    return()
  endif()
  set(count 0)
  foreach(source IN LISTS ARGN)
    math(EXPR unit "${count} / ${most}")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${group}_${unit}")
    math(EXPR count "${count} + 1")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # GCC takes the sources for headers, in which such names would be a mistake.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# Gives a target the settings, and Kokkos unless NO_KOKKOS follows.
function(tessera_target target)
  target_link_libraries(${target} PUBLIC tessera_settings fmt::fmt)
  target_compile_options(${target} PRIVATE ${TESSERA_COMPILE_OPTIONS})
  if("NO_KOKKOS" IN_LIST ARGN)
    target_compile_options(${target} PRIVATE ${TESSERA_HOST_ONLY_OPTIONS})
  else()
    target_link_libraries(${target} PUBLIC Kokkos::kokkos)
    target_compile_options(${target} PRIVATE ${TESSERA_KOKKOS_COMPILE_OPTIONS})
    target_compile_definitions(${target} PRIVATE ${TESSERA_KOKKOS_DEFINITIONS})
    if(TESSERA_HAVE_KOKKOSKERNELS)
      target_link_libraries(${target} PUBLIC Kokkos::kokkoskernels)
    endif()
  endif()
endfunction()
