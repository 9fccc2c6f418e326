#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The main job on a fresh Debian 12 (root or sudo): installs what is missing, builds, compares the
# variants on a small grid, runs a shot, and draws it. Run it again: it skips what is there.
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
source "$ROOT/ci/lib/packages.sh"
source "$ROOT/ci/lib/kokkos.sh"
source "$ROOT/ci/lib/build.sh"

ensure_packages "${BUILD_PACKAGES[@]}" "${TOOLS_PACKAGES[@]}"
ensure_kokkos
configure openmp
build openmp --target tessera

say "the study: build/openmp/tessera run inputs/quick.toml"
build/openmp/tessera run inputs/quick.toml
say "the shot: build/openmp/tessera shot inputs/shot.toml"
build/openmp/tessera shot inputs/shot.toml
say "the pictures"
/usr/bin/python3 tools/plot_shot.py out/shot
say "done: look at out/shot/gather.png (what the receivers heard) and out/shot/snapshots.png"
