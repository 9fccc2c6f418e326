#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# GCC's vectorisation report for every variant: each loop marked `omp simd`, wherever its source
# stands, must be vectorised. Configures build/vectorisation, compiles the variants for the report
# and builds nothing. Fails where a loop was missed; ci/lib/vectorised.py lists those that may be.
# Usage: ci/vectorisation.sh [preset, default study] [CMake option]...
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
source "$ROOT/ci/lib/packages.sh"
source "$ROOT/ci/lib/kokkos.sh"
source "$ROOT/ci/lib/build.sh"

preset=${1:-study}
shift || true

ensure_packages "${BUILD_PACKAGES[@]}"
ensure_kokkos
# Headers precompiled are of a build, and there is none.
configure "$preset" -B build/vectorisation -DTESSERA_UNITY_BUILD=OFF -DTESSERA_ENABLE_TESTS=OFF "$@"
say "$preset: reporting"
python3 ci/lib/vectorised.py build/vectorisation -j "$JOBS"
