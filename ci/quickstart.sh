#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The first study on a fresh Debian 12 (root or sudo), in minutes on two cores and 4 GB: installs
# what is missing, builds the acoustic family in float with few tiles and no tests (the preset
# quick), compares variants on a small grid, runs a shot, and draws it. Run it again: it skips what
# is there.
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
no_arguments "$@"
source "$ROOT/ci/lib/packages.sh"
source "$ROOT/ci/lib/kokkos.sh"
source "$ROOT/ci/lib/build.sh"

ensure_packages "${BUILD_PACKAGES[@]}" "${TOOLS_PACKAGES[@]}"
ensure_kokkos
configure quick
build quick --target tessera

say "the study: build/quick/tessera run inputs/quick.toml"
build/quick/tessera run inputs/quick.toml
say "the shot: build/quick/tessera shot inputs/shot.toml -o out/shot"
build/quick/tessera shot inputs/shot.toml -o out/shot --restart
say "the pictures"
/usr/bin/python3 tools/plot_shot.py out/shot
say "done: look at out/shot/gather.png (what the receivers heard) and out/shot/snapshots.png"
say "what the columns mean: docs/studies.md, \"Reading the table\"; what to try next: docs/course.md, or"
say "  $ROOT/build/quick/tessera list gmem"
say "  $ROOT/build/quick/tessera run $ROOT/inputs/quick.toml --set case.nx=300 -v 'acoustic/st_*' -v naive_simd"
say "where the docs say tessera, it is this one after"
say "  export PATH=$ROOT/build/quick:\$PATH"
say "this build has one family of five, in float, in few tiles; ci/study.sh builds all families in few, ci/test.sh"
say "their tests too; every tile:"
say "  cmake --preset openmp ${KOKKOS_OPTIONS[*]} && cmake --build --preset openmp"
