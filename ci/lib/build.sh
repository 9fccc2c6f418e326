# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Sourced: configure, build and test a preset.

# An existing build tree keeps its own generator.
export CMAKE_GENERATOR=${CMAKE_GENERATOR:-Ninja}

# configure <preset> [option]...
configure() {
  local preset=$1
  shift
  say "$preset: configuring"
  quietly "$preset-configure" cmake --preset "$preset" -DTESSERA_UNITY_BUILD=ON \
    -DPython3_EXECUTABLE=/usr/bin/python3 "${KOKKOS_OPTIONS[@]}" "$@"
  sed -n '/^-- Tessera /,/^-- *$/s/^-- //p' "$DEPS/logs/$preset-configure.log"
}

# build <preset> [--target name]
build() {
  local preset=$1
  shift
  say "$preset: building, for some minutes; its log is $DEPS/logs/$preset-build.log"
  quietly "$preset-build" cmake --build --preset "$preset" -j "$JOBS" "$@"
}

# run_tests <test preset> [ctest option]...
run_tests() {
  local preset=$1
  shift
  say "$preset: testing"
  ctest --preset "$preset" -j "$JOBS" --progress "$@"
}
