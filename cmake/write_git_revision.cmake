# SPDX-License-Identifier: Apache-2.0
# Run with -P at every build: writes OUTPUT, a header with the revision of SOURCE_DIR, and touches
# it only when something changed. Without git, or outside a checkout, the revision is "unknown".

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

set(content "// SPDX-License-Identifier: Apache-2.0
// Generated at every build: the revision that the sources were at.
#pragma once
inline constexpr const char* kGitRevision = \"${revision}\";
inline constexpr bool kGitDirty = ${dirty};
")
set(old "")
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" old)
endif()
if(NOT old STREQUAL content)
  file(WRITE "${OUTPUT}" "${content}")
endif()
