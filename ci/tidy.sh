#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-format over the tree, then clang-tidy over it or over the files given, in a build folder of
# its own: clang cannot read the headers that GCC precompiles for a fast build. BUILD names another.
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
source "$ROOT/ci/lib/packages.sh"
source "$ROOT/ci/lib/kokkos.sh"
source "$ROOT/ci/lib/build.sh"
# libomp-dev: clang cannot read GCC's omp.h
ensure_packages "${BUILD_PACKAGES[@]}" clang-format clang-tidy libomp-dev

if [ -z "${BUILD:-}" ]; then
  BUILD=build/tidy
  ensure_kokkos
  configure openmp -B "$BUILD" -DTESSERA_UNITY_BUILD=OFF
fi
[ -e "$BUILD/compile_commands.json" ] || fail "no $BUILD/compile_commands.json: configure it first"
if [ $# = 0 ]; then
  mapfile -t files < <(find src variants tests -name '*.cpp' | sort)
else
  files=("$@")
fi

say "clang-format"
find src variants tests -name '*.[ch]pp' -print0 | xargs -0 clang-format --dry-run --Werror

say "clang-tidy: ${#files[@]} files"
printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "$JOBS" clang-tidy -p "$BUILD" --quiet \
    --extra-arg=-Wno-unknown-warning-option 2>/dev/null
say "headers: each compiles alone"
cmake --build "$BUILD" -j "$JOBS" --target tessera_header_check
say "clean"
