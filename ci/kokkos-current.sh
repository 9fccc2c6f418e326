#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and tests Tessera against the newest packaged Kokkos and compiler: Debian unstable, in a
# throw-away root (root or sudo) made with debootstrap. Leaves nothing behind, unless CURRENT_ROOT
# names a folder: then the root is made there and used again the next time.
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
no_arguments "$@"
source "$ROOT/ci/lib/packages.sh"

if [ "$(id -u)" != 0 ]; then exec sudo --preserve-env=JOBS,CURRENT_ROOT "$ROOT/ci/kokkos-current.sh"; fi
ensure_packages debootstrap

# The machine's own Debian mirror serves unstable too.
sources=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null || true)
mirror=$(sed -n -e 's/^URIs: *\([^ ]*\).*/\1/p' -e 's/^deb \(\[[^]]*\] \)\?\([^ ]*\) .*/\2/p' \
  <<<"$sources" | grep -m 1 '/debian/*$') || fail "no Debian mirror in this machine's apt sources"

root=${CURRENT_ROOT:-$(mktemp -d)}
mkdir -p "$root"
cleanup() {
  umount "$root/dev/pts" "$root/proc" "$root/sys" 2>/dev/null || true
  if [ -z "${CURRENT_ROOT:-}" ]; then rm -rf --one-file-system "$root"; fi
}
trap cleanup EXIT
chmod 755 "$root"  # apt's own user must get in

if [ ! -e "$root/etc/debian_version" ]; then
  say "unstable: making a root in $root from $mirror"
  quietly current-debootstrap debootstrap --variant=minbase --include=ca-certificates \
    unstable "$root" "$mirror"
  cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
  # A machine behind a proxy has it in its apt configuration.
  cp /etc/apt/apt.conf.d/*proxy* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
  # A mirror may lag behind: what it serves is signed all the same.
  echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/90lagging-mirror"
fi
# The tests of the progress bar open a terminal.
mount -t proc proc "$root/proc" 2>/dev/null || say "no /proc in the root, going on"
mount --bind /sys "$root/sys" 2>/dev/null || say "no /sys in the root, going on"
mount --bind /dev/pts "$root/dev/pts" 2>/dev/null || say "no /dev/pts in the root, going on"

say "unstable: installing packages"
quietly current-install chroot "$root" env DEBIAN_FRONTEND=noninteractive sh -c \
  "apt-get -q update && apt-get install -y -q --no-install-recommends libkokkos-dev \
   ${BUILD_PACKAGES[*]} &&
   for package in ${TOOLS_PACKAGES[*]} ${OPTIONAL_PACKAGES[*]}; do
     apt-get install -y -q --no-install-recommends \$package || echo \"without \$package\"; done"
chroot "$root" dpkg-query -W -f "   \${Package} \${Version}\n" libkokkos-dev g++ cmake
# Kokkos' CMake package names archives of its header-only parts that the Debian package lacks
# (5.2.2-2): empty ones serve.
# shellcheck disable=SC2016  # the root's own shell expands these
chroot "$root" sh -ec '
  for cmake in $(dpkg -L libkokkos-dev | grep "/KokkosTargets-.*\.cmake$"); do
    for name in $(grep -o "libkokkos[a-z]*\.a" "$cmake" | sort -u); do
      archive=${cmake%/cmake/*}/$name
      if [ ! -e "$archive" ]; then echo "   $name is missing: making an empty one"; ar cr "$archive"; fi
    done
  done'

rm -rf "$root/tessera"
mkdir "$root/tessera"
tar -C "$ROOT" --exclude=./.git --exclude=./build --exclude=./.deps --exclude=./out -cf - . |
  tar -C "$root/tessera" -xf -
# Not the pages, which no compiler changes and whose examples need all libraries; no writes that
# fail: there HDF5 is built with assertions that then end the process.
say "unstable: configuring, building, testing"
# shellcheck disable=SC2016  # and these
chroot "$root" env -u CMAKE_CXX_COMPILER_LAUNCHER LC_ALL=C.UTF-8 JOBS="$JOBS" CMAKE_GENERATOR=Ninja \
  sh -ec '
  cd /tessera
  cmake --preset few -DTESSERA_ENABLE_KOKKOSKERNELS=OFF -DTESSERA_UNITY_BUILD=ON
  cmake --build --preset few -j "$JOBS"
  export TESSERA_HDF5_ASSERTS=1
  ctest --test-dir build/few --output-on-failure -j "$JOBS" --progress -LE "headers|docs" \
    -E "^cli.faults$"'
say "unstable: all tests passed"
