# SPDX-License-Identifier: Apache-2.0
# What build_info() returns: what is known at configure time goes into a generated source; the git
# revision and the dirty flag into a header that every build refreshes.
# Sets TESSERA_BUILD_INFO_SOURCE and makes the target tessera_git_revision.

set(generated_dir "${PROJECT_BINARY_DIR}/generated")

add_custom_target(tessera_git_revision
  COMMAND "${CMAKE_COMMAND}" "-DSOURCE_DIR=${PROJECT_SOURCE_DIR}"
    "-DOUTPUT=${generated_dir}/git_revision.hpp"
    -P "${PROJECT_SOURCE_DIR}/cmake/write_git_revision.cmake"
  BYPRODUCTS "${generated_dir}/git_revision.hpp"
  COMMENT "Checking the git revision")

# For CUDA, the compiler that CMake sees may be the host compiler behind Kokkos' launcher.
set(info_compiler "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
if("CUDA" IN_LIST TESSERA_KOKKOS_DEVICES AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  find_program(TESSERA_NVCC nvcc HINTS ENV CUDA_ROOT ENV CUDA_HOME PATH_SUFFIXES bin
    PATHS /usr/local/cuda)
  mark_as_advanced(TESSERA_NVCC)
  if(TESSERA_NVCC)
    execute_process(COMMAND "${TESSERA_NVCC}" --version OUTPUT_VARIABLE nvcc_version)
    if(nvcc_version MATCHES "V([0-9.]+)")
      string(APPEND info_compiler ", nvcc ${CMAKE_MATCH_1}")
    endif()
  endif()
endif()

string(TOUPPER "${CMAKE_BUILD_TYPE}" upper_build_type)
string(JOIN " " info_flags ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${upper_build_type}}
  ${TESSERA_COMPILE_OPTIONS} ${TESSERA_KOKKOS_COMPILE_OPTIONS})
string(REPLACE ";" " " info_kokkos_devices "${TESSERA_KOKKOS_DEVICES}")
string(REPLACE ";" " " info_kokkos_arch "${TESSERA_KOKKOS_ARCH}")
string(REPLACE ";" " " info_kokkos_options "${TESSERA_KOKKOS_OPTIONS}")

file(RELATIVE_PATH info_installed_data "${CMAKE_INSTALL_FULL_BINDIR}"
  "${CMAKE_INSTALL_FULL_DATADIR}/tessera")

set(TESSERA_BUILD_INFO_SOURCE "${generated_dir}/build_info.cpp")
configure_file("${PROJECT_SOURCE_DIR}/cmake/build_info.cpp.in" "${TESSERA_BUILD_INFO_SOURCE}" @ONLY)
