#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and tests Tessera on a fresh Debian 12 (root or sudo). Run it again: it skips what is
# there. By default the tier quick: all families and variants in few tiles. TIER=full builds and
# samples all tiles; ci/nightly.sh is the third tier, ci/tidy.sh checks style and names.
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
no_arguments "$@"
source "$ROOT/ci/lib/packages.sh"
source "$ROOT/ci/lib/kokkos.sh"
source "$ROOT/ci/lib/build.sh"

TIER=${TIER:-quick}
case $TIER in
  quick)
    preset=few
    BROWSER_PACKAGES=()
    ;;
  full) preset=openmp ;;
  *) fail "TIER=$TIER: there are quick and full" ;;
esac

ensure_packages "${BUILD_PACKAGES[@]}" "${TOOLS_PACKAGES[@]}" "${BROWSER_PACKAGES[@]}"
# Without it a test that reads by segyio says so and continues.
export TESSERA_REQUIRE_SEGYIO=1
ensure_kokkos
configure "$preset"
build "$preset"
run_tests "$TIER"
say "all tests passed: tier $TIER"
