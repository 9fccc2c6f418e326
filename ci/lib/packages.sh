# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Sourced: the distribution's packages that Tessera needs.
# shellcheck disable=SC2034  # the scripts that source this use the lists

BUILD_PACKAGES=(g++ make cmake ninja-build libfmt-dev libcli11-dev libtomlplusplus-dev
  nlohmann-json3-dev libhdf5-dev libgtest-dev)
# Not in every release: without libsegyio-dev SEG-Y is off, without libhwloc-dev bindings are not
# known, without libopenmpi-dev there are no ranks, and configure says so.
OPTIONAL_PACKAGES=(libsegyio-dev libhwloc-dev libopenmpi-dev openmpi-bin)
# python3-scipy and python3-segyio are convert_model.py's.
TOOLS_PACKAGES=(python3-matplotlib python3-h5py python3-plotly python3-pandas python3-xarray python3-h5netcdf
  python3-jsonschema python3-scipy python3-segyio)
# A browser that opens the report in a test; without one that test is skipped. It takes longer to
# install than the tier quick has for it.
BROWSER_PACKAGES=(chromium)

package_installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# ensure_packages <package>...: installs those that are missing, and the optional ones that exist.
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
  # One of several third-party sources being unreachable need not stop us: the installation will fail if it matters.
  if [ ${#missing[@]} != 0 ]; then
    as_root apt-get -qq update || say "apt-get update had errors, going on"
  fi
  for package in "${OPTIONAL_PACKAGES[@]}"; do
    if ! package_installed "$package" && [ -n "$(apt-cache madison "$package" 2>/dev/null)" ]; then
      missing+=("$package")
    fi
  done
  if [ ${#missing[@]} = 0 ]; then
    say "packages: all there"
    return
  fi
  say "packages: installing ${missing[*]}"
  quietly apt-install as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "${missing[@]}"
}
