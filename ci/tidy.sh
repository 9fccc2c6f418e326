#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# All of the style: the checks of ci/style.sh, then clang-tidy, and that each header compiles alone.
# These two in a build folder of their own: clang cannot read the headers that GCC precompiles for a
# fast build. BUILD names another.
# Usage: ci/tidy.sh [file]...      (default: all; of a list, clang-tidy takes the .cpp files)
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
source "$ROOT/ci/lib/packages.sh"
source "$ROOT/ci/lib/kokkos.sh"
source "$ROOT/ci/lib/build.sh"

ci/style.sh "$@"
if [ $# = 0 ]; then
  mapfile -t files < <(find src variants tests -name '*.cpp' | sort)
else
  files=()
  for file in "$@"; do
    if [[ $file = *.cpp ]]; then files+=("$file"); fi
  done
fi

# libomp-dev: clang cannot read GCC's omp.h
ensure_packages "${BUILD_PACKAGES[@]}" clang-tidy libomp-dev
if [ -z "${BUILD:-}" ]; then
  BUILD=build/tidy
  ensure_kokkos
  configure openmp -B "$BUILD" -DTESSERA_UNITY_BUILD=OFF
fi
[ -e "$BUILD/compile_commands.json" ] || fail "no $BUILD/compile_commands.json: configure it first"

if [ ${#files[@]} != 0 ]; then
  say "clang-tidy: ${#files[@]} files"
  printf '%s\0' "${files[@]}" |
    xargs -0 -n 1 -P "$JOBS" clang-tidy -p "$BUILD" --quiet \
      --extra-arg=-Wno-unknown-warning-option 2>/dev/null
fi
say "headers: each compiles alone"
cmake --build "$BUILD" -j "$JOBS" --target tessera_header_check
say "clean"
