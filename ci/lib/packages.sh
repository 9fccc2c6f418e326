# SPDX-License-Identifier: Apache-2.0
# Sourced: the distribution's packages that Tessera needs.

BUILD_PACKAGES=(g++ make cmake ninja-build libfmt-dev libcli11-dev libtomlplusplus-dev
  nlohmann-json3-dev libhdf5-dev libsegyio-dev libgtest-dev)
TOOLS_PACKAGES=(python3-matplotlib python3-h5py)

package_installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# ensure_packages <package>...: installs those that are missing.
ensure_packages() {
  if ! command -v apt-get >/dev/null; then
    say "no apt-get here: expecting $* to be installed under whatever names"
    return
  fi
  local missing=()
  local package
  for package in "$@"; do
    package_installed "$package" || missing+=("$package")
  done
  if [ ${#missing[@]} = 0 ]; then
    say "packages: all there"
    return
  fi
  say "packages: installing ${missing[*]}"
  # One of several third-party sources being unreachable need not stop us: the install will tell.
  as_root apt-get -qq update || say "apt-get update had errors, going on"
  quietly apt-install as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "${missing[@]}"
}
