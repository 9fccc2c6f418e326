# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Sourced: a Kokkos with OpenMP, in this order: the one that CMake finds (Kokkos_ROOT counts), the
# distribution's package, one built from the distribution's own Trilinos source package.
# ensure_kokkos and ensure_debug_kokkos leave the configure options in the array KOKKOS_OPTIONS.

# kokkos_probe [options]: true if CMake finds a Kokkos with OpenMP.
kokkos_probe() {
  local build
  build=$(mktemp -d)
  probe_output=$(cmake -S "$ROOT/ci/lib/probe" -B "$build" "$@" 2>&1) && local found=yes
  rm -rf "$build"
  [ "${found:-no}" = yes ]
}

# Sets KOKKOS_OPTIONS from the options that a successful probe ran with.
use_probed_kokkos() {
  KOKKOS_OPTIONS=("$@")
  if ! grep -q 'probe: Kokkos Kernels' <<<"$probe_output"; then
    KOKKOS_OPTIONS+=(-DTESSERA_ENABLE_KOKKOSKERNELS=OFF)
  fi
  say "Kokkos: using$(sed -n 's/^-- probe: Kokkos \([0-9].*\)/ \1/p' <<<"$probe_output")"
}

# Unpacks Kokkos and Kokkos Kernels of the distribution's Trilinos source into .deps/src.
# Source packages need deb-src lines, which most machines lack: a private copy of the machine's
# apt sources has them, and the machine's own lists stay as they are.
unpack_kokkos_source() {
  local source=$DEPS/src
  if [ -d "$source/kokkos" ] && [ -d "$source/kokkos-kernels" ]; then return; fi
  mkdir -p "$source/apt/parts" "$source/apt/lists/partial"
  local file
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
    [ -f "$file" ] || continue
    case $file in
      *.sources) sed 's/^Types:.*/Types: deb-src/' "$file" ;;
      *.list) sed -n 's/^deb\(-src\)\?\s/deb-src /p' "$file" ;;
      *) continue ;;
    esac >"$source/apt/parts/$(basename "$file")"
  done
  local options=(-o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$source/apt/parts"
    -o "Dir::State::lists=$source/apt/lists" -o "APT::Sandbox::User=$(id -un)")
  say "Kokkos: fetching the distribution's Trilinos source package"
  # Third-party sources may have no source packages: what counts is whether Trilinos arrives.
  apt-get -q "${options[@]}" update >"$source/apt/update.log" 2>&1 || true
  (cd "$source" && quietly trilinos-source apt-get -q "${options[@]}" source --download-only trilinos)
  tar -xf "$source"/trilinos_*.orig.tar.* -C "$source" --wildcards --strip-components=2 \
    '*/packages/kokkos/*' '*/packages/kokkos-kernels/*'
}

# build_kokkos <prefix> [option]...: builds and installs both packages from .deps/src.
build_kokkos() {
  local prefix=$1 name
  shift
  name=$(basename "$prefix")
  unpack_kokkos_source
  say "Kokkos: building .deps/$name (about a minute on two cores)"
  # A half-installed one must not be found next time: install elsewhere, then rename.
  local stage=$DEPS/stage-$name
  rm -rf "$stage" "$DEPS/build-$name"
  quietly "$name-configure" cmake -S "$DEPS/src/kokkos" -B "$DEPS/build-$name/kokkos" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_STANDARD=17 -DCMAKE_INSTALL_PREFIX="$prefix" \
    -DKokkos_ENABLE_SERIAL=ON -DKokkos_ENABLE_OPENMP=ON -DKokkos_ARCH_NATIVE=ON "$@"
  quietly "$name-build" cmake --build "$DEPS/build-$name/kokkos" -j "$JOBS"
  rm -rf "$prefix"
  quietly "$name-install" cmake --install "$DEPS/build-$name/kokkos" --prefix "$stage"
  quietly "$name-kernels-configure" cmake -S "$DEPS/src/kokkos-kernels" \
    -B "$DEPS/build-$name/kernels" -DKokkos_ROOT="$stage" -DCMAKE_INSTALL_PREFIX="$prefix" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_STANDARD=17 -DKokkosKernels_ADD_DEFAULT_ETI=OFF \
    -DKokkosKernels_INST_DOUBLE=OFF -DKokkosKernels_ENABLE_TPL_BLAS=OFF \
    -DKokkosKernels_ENABLE_TPL_LAPACK=OFF
  quietly "$name-kernels-build" cmake --build "$DEPS/build-$name/kernels" -j "$JOBS"
  quietly "$name-kernels-install" cmake --install "$DEPS/build-$name/kernels" --prefix "$stage"
  mv "$stage" "$prefix"
  rm -rf "$DEPS/build-$name"
}

# A Kokkos with OpenMP, for speed.
ensure_kokkos() {
  if kokkos_probe; then
    use_probed_kokkos
    return
  fi
  say "Kokkos: $(grep -o -m 1 "probe: .*" <<<"$probe_output" | cut -c8-)"
  if [ -z "$(apt-cache madison libkokkos-dev 2>/dev/null)" ]; then
    local here=(-DKokkos_ROOT="$DEPS/kokkos" -DKokkosKernels_ROOT="$DEPS/kokkos")
    kokkos_probe "${here[@]}" || build_kokkos "$DEPS/kokkos"
    kokkos_probe "${here[@]}" || fail "the Kokkos in $DEPS/kokkos is not usable: $probe_output"
    use_probed_kokkos "${here[@]}"
  else
    ensure_packages libkokkos-dev
    kokkos_probe || fail "libkokkos-dev has no OpenMP: $probe_output"
    use_probed_kokkos
  fi
}

# One that also checks every View access, for the preset debug.
ensure_debug_kokkos() {
  local here=(-DKokkos_ROOT="$DEPS/kokkos-debug" -DKokkosKernels_ROOT="$DEPS/kokkos-debug")
  if ! kokkos_probe -DWITH_BOUNDS_CHECK=ON "${here[@]}"; then
    build_kokkos "$DEPS/kokkos-debug" -DKokkos_ENABLE_DEBUG=ON -DKokkos_ENABLE_DEBUG_BOUNDS_CHECK=ON
    kokkos_probe -DWITH_BOUNDS_CHECK=ON "${here[@]}" ||
      fail "the Kokkos in $DEPS/kokkos-debug is not usable: $probe_output"
  fi
  use_probed_kokkos "${here[@]}"
}
