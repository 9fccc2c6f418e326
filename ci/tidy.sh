#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-format and clang-tidy over the tree, or over the files given. Needs a configured preset
# openmp, clang-format and clang-tidy. Fails at the first kind of complaint.
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

BUILD=${BUILD:-build/openmp}
[ -e "$BUILD/compile_commands.json" ] || fail "no $BUILD/compile_commands.json: configure openmp first"
if [ $# = 0 ]; then
  mapfile -t files < <(find src variants tests -name '*.cpp' | sort)
else
  files=("$@")
fi

say "clang-format"
find src variants tests -name '*.[ch]pp' -print0 | xargs -0 clang-format --dry-run --Werror

# clang finds GCC's headers but not its omp.h, which Kokkos includes.
openmp_headers=$(dirname "$(g++ -print-file-name=include/omp.h)")
say "clang-tidy: ${#files[@]} files"
printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "$JOBS" clang-tidy -p "$BUILD" --quiet \
    --extra-arg=-idirafter"$openmp_headers" --extra-arg=-Wno-unknown-warning-option 2>/dev/null
say "clean"
