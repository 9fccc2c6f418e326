#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and tests Tessera on a fresh Debian 12 (root or sudo). Run it again: it skips what is
# there. PRESETS="openmp debug asan" tests bounds checking and the sanitizers too; the default is
# what two cores do in half an hour. ci/tidy.sh checks style and names.
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
source "$ROOT/ci/lib/packages.sh"
source "$ROOT/ci/lib/kokkos.sh"
source "$ROOT/ci/lib/build.sh"

PRESETS=${PRESETS:-openmp}

ensure_packages "${BUILD_PACKAGES[@]}" "${TOOLS_PACKAGES[@]}"
for preset in $PRESETS; do
  if [ "$preset" = debug ]; then
    ensure_debug_kokkos
  else
    ensure_kokkos
  fi
  configure "$preset"
  build "$preset"
  run_tests "$preset"
done
say "all tests passed: $PRESETS"
