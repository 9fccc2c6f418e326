# SPDX-License-Identifier: Apache-2.0
# Libraries that are not installed are built from pinned releases, as part of this build.
# Leaves the names of those in TESSERA_FETCHED.
# Offline: FETCHCONTENT_SOURCE_DIR_<NAME in capitals> names an unpacked source tree, which is taken
# whatever is installed.

set(TESSERA_FETCHED "")
include(FetchContent)
# Extracted files get the time of extraction, as CMake advises (3.24).
if(POLICY CMP0135)
  cmake_policy(SET CMP0135 NEW)
endif()

# tessera_declare(<name> <url> <SHA256>): the release that tessera_fetch() takes.
function(tessera_declare name url hash)
  set(options "")
  if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.28)
    set(options EXCLUDE_FROM_ALL SYSTEM)
  endif()
  FetchContent_Declare(${name} URL "${url}" URL_HASH "SHA256=${hash}" ${options})
endfunction()

# tessera_source_is_named(<output> <name>): whether the user points at a source tree.
function(tessera_source_is_named output name)
  string(TOUPPER "${name}" upper)
  set(${output} FALSE PARENT_SCOPE)
  if(FETCHCONTENT_SOURCE_DIR_${upper})
    set(${output} TRUE PARENT_SCOPE)
  endif()
endfunction()

# tessera_fetch(<name>): adds the declared library to this build. What Tessera does not use of it is
# not built, and `cmake --install` leaves it out. A macro, so that the caller sees <name>_SOURCE_DIR.
macro(tessera_fetch name)
  list(APPEND TESSERA_FETCHED ${name})
  if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.28)
    FetchContent_MakeAvailable(${name})
  else()
    FetchContent_GetProperties(${name})
    if(NOT ${name}_POPULATED)
      FetchContent_Populate(${name})
      # SYSTEM, as headers of installed libraries are, where CMake knows it.
      if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.25)
        add_subdirectory("${${name}_SOURCE_DIR}" "${${name}_BINARY_DIR}" EXCLUDE_FROM_ALL SYSTEM)
      else()
        add_subdirectory("${${name}_SOURCE_DIR}" "${${name}_BINARY_DIR}" EXCLUDE_FROM_ALL)
      endif()
    endif()
  endif()
endmacro()
