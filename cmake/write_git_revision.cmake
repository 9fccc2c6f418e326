# SPDX-License-Identifier: Apache-2.0
# Run with -P at every build: writes OUTPUT, a header with the revision of SOURCE_DIR and a digest of
# each family's sources, and touches it only when something changed. Without git, or outside a checkout, the revision is "unknown".

set(revision "unknown")
set(dirty "false")
find_program(GIT_EXECUTABLE git)
if(GIT_EXECUTABLE AND EXISTS "${SOURCE_DIR}/.git")
  execute_process(COMMAND "${GIT_EXECUTABLE}" rev-parse HEAD
    WORKING_DIRECTORY "${SOURCE_DIR}" RESULT_VARIABLE failed OUTPUT_VARIABLE head
    ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT failed)
    set(revision "${head}")
  endif()
  execute_process(COMMAND "${GIT_EXECUTABLE}" status --porcelain
    WORKING_DIRECTORY "${SOURCE_DIR}" RESULT_VARIABLE failed OUTPUT_VARIABLE changes
    ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT failed AND NOT changes STREQUAL "")
    set(dirty "true")
  endif()
endif()

# A digest of what a family's rates depend on: its sources, and what all kernels stand on.
file(GLOB_RECURSE shared "${SOURCE_DIR}/src/base/tile/*" "${SOURCE_DIR}/src/base/device/*"
  "${SOURCE_DIR}/src/base/grid/*")
file(GLOB families RELATIVE "${SOURCE_DIR}/variants" "${SOURCE_DIR}/variants/*")
set(digests "")
foreach(family IN LISTS families)
  file(GLOB_RECURSE sources "${SOURCE_DIR}/variants/${family}/*.[ch]pp")
  set(all "")
  foreach(source IN LISTS sources shared)
    file(SHA256 "${source}" digest)
    string(APPEND all "${digest}")
  endforeach()
  string(SHA256 digest "${all}")
  string(SUBSTRING "${digest}" 0 12 digest)
  string(APPEND digests "{\"${family}\", \"${digest}\"}, ")
endforeach()

set(content "// SPDX-License-Identifier: Apache-2.0
// Generated at every build: the revision that the sources were at, and digests of families.
#pragma once
#include <map>
#include <string>
inline constexpr const char* kGitRevision = \"${revision}\";
inline constexpr bool kGitDirty = ${dirty};
inline const std::map<std::string, std::string> kFamilyCode = {${digests}};
")
set(old "")
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" old)
endif()
if(NOT old STREQUAL content)
  file(WRITE "${OUTPUT}" "${content}")
endif()
