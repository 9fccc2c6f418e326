# SPDX-License-Identifier: Apache-2.0
# Kokkos and Kokkos Kernels: an installed one first, else the pinned release, built with the
# backend and architecture that the preset names (Kokkos_ENABLE_..., Kokkos_ARCH_...).
#
# Leaves TESSERA_KOKKOS_{VERSION,DEVICES,ARCH,OPTIONS,ORIGIN}, TESSERA_DEVICE_BACKEND,
# TESSERA_HAVE_KOKKOSKERNELS (0/1) and the targets Kokkos::kokkos and, if enabled, Kokkos::kokkoskernels.

set(TESSERA_KOKKOS_MINIMUM 3.4)
set(TESSERA_KOKKOS_RELEASE 4.7.01)
tessera_declare(kokkos
  https://github.com/kokkos/kokkos/releases/download/${TESSERA_KOKKOS_RELEASE}/kokkos-${TESSERA_KOKKOS_RELEASE}.tar.gz
  404cf33e76159e83b8b4ad5d86f6899d442b5da4624820ab457412116cdcd201)
tessera_declare(kokkoskernels
  https://github.com/kokkos/kokkos-kernels/releases/download/${TESSERA_KOKKOS_RELEASE}/kokkos-kernels-${TESSERA_KOKKOS_RELEASE}.tar.gz
  f3e1452db0e182c8e32c61632465e3a829159b9ae0645d9e4cd97b4fa09c36e1)

# Sets `output` to what `name` is in the scope of a fetched project's top directory.
function(tessera_fetched_variable output source_dir name)
  get_directory_property(value DIRECTORY "${source_dir}" DEFINITION ${name})
  set(${output} "${value}" PARENT_SCOPE)
endfunction()

tessera_source_is_named(kokkos_is_named kokkos)
tessera_source_is_named(kokkoskernels_is_named kokkoskernels)
if(NOT kokkos_is_named)
  find_package(Kokkos ${TESSERA_KOKKOS_MINIMUM} QUIET)
  # Before 4.0 Kokkos' version file accepts the same major version only: search again without one.
  if(NOT Kokkos_FOUND)
    find_package(Kokkos QUIET)
    if(Kokkos_FOUND AND Kokkos_VERSION VERSION_LESS TESSERA_KOKKOS_MINIMUM)
      message(FATAL_ERROR "Kokkos ${Kokkos_VERSION} in ${Kokkos_DIR} is too old; "
        "Tessera needs ${TESSERA_KOKKOS_MINIMUM} or newer")
    endif()
  endif()
endif()

if(Kokkos_FOUND)
  set(TESSERA_KOKKOS_ORIGIN "${Kokkos_DIR}")
  set(TESSERA_KOKKOS_VERSION "${Kokkos_VERSION}")
  set(TESSERA_KOKKOS_DEVICES "${Kokkos_DEVICES}")
  set(TESSERA_KOKKOS_ARCH "${Kokkos_ARCH}")
  set(TESSERA_KOKKOS_OPTIONS "${Kokkos_OPTIONS}")
  # The preset's cache variables say what was requested; a different build would contradict them.
  foreach(backend IN ITEMS OPENMP CUDA HIP)
    if(DEFINED CACHE{Kokkos_ENABLE_${backend}})
      set(wanted "$CACHE{Kokkos_ENABLE_${backend}}")
      if((wanted AND NOT backend IN_LIST Kokkos_DEVICES)
          OR (NOT wanted AND backend IN_LIST Kokkos_DEVICES))
        message(FATAL_ERROR "Kokkos_ENABLE_${backend}=${wanted} is requested, but the Kokkos in "
          "${Kokkos_DIR} has the backends ${Kokkos_DEVICES}; set Kokkos_ROOT to another one, or "
          "CMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON to build release ${TESSERA_KOKKOS_RELEASE}")
      endif()
    endif()
  endforeach()
  # The rest of what a preset says serves the fetched Kokkos only: read it, so that CMake does not
  # call it unused.
  get_cmake_property(cache_names CACHE_VARIABLES)
  list(FILTER cache_names INCLUDE REGEX "^Kokkos_(ENABLE|ARCH)_")
  foreach(name IN LISTS cache_names)
    set(unused_here "${${name}}")
  endforeach()
  if("$CACHE{Kokkos_ENABLE_DEBUG_BOUNDS_CHECK}"
      AND NOT "DEBUG_BOUNDS_CHECK" IN_LIST Kokkos_OPTIONS)
    message(WARNING "the Kokkos in ${Kokkos_DIR} was built without "
      "Kokkos_ENABLE_DEBUG_BOUNDS_CHECK: Views will not be checked")
  endif()
  # An installed one may have the newer View, too.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13
      AND NOT Kokkos_VERSION VERSION_LESS 4.5 AND NOT CMAKE_CROSSCOMPILING
      AND NOT Kokkos_DEVICES MATCHES "CUDA|HIP")
    try_run(TESSERA_EMPTY_VIEW_STATUS TESSERA_EMPTY_VIEW_COMPILES
      "${PROJECT_BINARY_DIR}/empty_view" "${CMAKE_CURRENT_LIST_DIR}/empty_view.cpp"
      LINK_LIBRARIES Kokkos::kokkos CXX_STANDARD 20)
    if(TESSERA_EMPTY_VIEW_COMPILES AND NOT TESSERA_EMPTY_VIEW_STATUS EQUAL 0)
      message(FATAL_ERROR "GCC ${CMAKE_CXX_COMPILER_VERSION} breaks the Views of the Kokkos "
        "${Kokkos_VERSION} in ${Kokkos_DIR}: build that with Kokkos_ENABLE_IMPL_VIEW_LEGACY=ON, or "
        "Tessera with GCC 13 or newer")
    endif()
  endif()
else()
  if(NOT kokkos_is_named AND NOT TESSERA_FETCH)
    message(FATAL_ERROR "Kokkos was not found and TESSERA_FETCH is OFF: set Kokkos_ROOT")
  endif()
  message(STATUS "Kokkos is not installed (set Kokkos_ROOT if it is): building it from source")
  # Releases 4.6 and 4.7 have it: with their newer View GCC 12's empty Views believe they own memory.
  set(Kokkos_ENABLE_IMPL_VIEW_LEGACY ON CACHE BOOL "")
  tessera_fetch(kokkos)
  set(TESSERA_KOKKOS_ORIGIN "source ${kokkos_SOURCE_DIR}")
  tessera_fetched_variable(TESSERA_KOKKOS_VERSION "${kokkos_SOURCE_DIR}" Kokkos_VERSION)
  tessera_fetched_variable(TESSERA_KOKKOS_DEVICES "${kokkos_SOURCE_DIR}" KOKKOS_ENABLED_DEVICES)
  tessera_fetched_variable(TESSERA_KOKKOS_ARCH "${kokkos_SOURCE_DIR}" KOKKOS_ENABLED_ARCH_LIST)
  tessera_fetched_variable(TESSERA_KOKKOS_OPTIONS "${kokkos_SOURCE_DIR}" KOKKOS_ENABLED_OPTIONS)
endif()

foreach(backend IN ITEMS SYCL OPENMPTARGET OPENACC HPX THREADS)
  if("${backend}" IN_LIST TESSERA_KOKKOS_DEVICES)
    message(FATAL_ERROR "the Kokkos of ${TESSERA_KOKKOS_ORIGIN} has the backend ${backend}, which "
      "Tessera has no kernels for: it knows CUDA, HIP, OPENMP and SERIAL")
  endif()
endforeach()

# True where kernels run on a device.
set(TESSERA_DEVICE_BACKEND FALSE)
if("CUDA" IN_LIST TESSERA_KOKKOS_DEVICES OR "HIP" IN_LIST TESSERA_KOKKOS_DEVICES)
  set(TESSERA_DEVICE_BACKEND TRUE)
endif()

set(TESSERA_HAVE_KOKKOSKERNELS 0)
if(TESSERA_ENABLE_KOKKOSKERNELS)
  if(Kokkos_FOUND AND NOT kokkoskernels_is_named)
    # The two are usually installed together, in a prefix that only Kokkos_ROOT may name.
    find_package(KokkosKernels QUIET HINTS "${Kokkos_DIR}/../KokkosKernels")
  endif()
  if(NOT KokkosKernels_FOUND)
    # The two must be of one version; only the pinned one is known to be there.
    set(can_fetch ${TESSERA_FETCH})
    if(Kokkos_FOUND AND NOT TESSERA_KOKKOS_VERSION VERSION_EQUAL TESSERA_KOKKOS_RELEASE)
      set(can_fetch FALSE)
    endif()
    if(NOT kokkoskernels_is_named AND NOT can_fetch)
      message(FATAL_ERROR "no Kokkos Kernels was found for Kokkos ${TESSERA_KOKKOS_VERSION}: set "
        "KokkosKernels_ROOT, or FETCHCONTENT_SOURCE_DIR_KOKKOSKERNELS to its source, or "
        "TESSERA_ENABLE_KOKKOSKERNELS=OFF to do without")
    endif()
    # Tessera calls templates only: no instantiations, no BLAS, no LAPACK, to build in seconds.
    set(KokkosKernels_ADD_DEFAULT_ETI OFF CACHE BOOL "")
    set(KokkosKernels_INST_DOUBLE OFF CACHE BOOL "")
    set(KokkosKernels_ENABLE_TPL_BLAS OFF CACHE BOOL "")
    set(KokkosKernels_ENABLE_TPL_LAPACK OFF CACHE BOOL "")
    tessera_fetch(kokkoskernels)
  endif()
  set(TESSERA_HAVE_KOKKOSKERNELS 1)
endif()
