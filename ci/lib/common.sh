# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by every script in ci/: where things are, how to speak, how to become root. Leaves the
# script in the repository's root, and answers --help with the comment at its head.
set -euo pipefail

case ${1:-} in
  -h | --help)
    sed -n '3,/^[^#]\|^$/s/^# \{0,1\}//p' "$0"
    exit
    ;;
esac

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
DEPS=$ROOT/.deps
JOBS=${JOBS:-$(nproc)}
cd "$ROOT"

SECONDS=0
say() { printf '== [%3ds] %s\n' "$SECONDS" "$*"; }
fail() {
  printf '%s: error: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# no_arguments "$@": refuses them.
no_arguments() { [ $# = 0 ] || fail "takes no arguments, and was given: $*"; }

# Runs a command quietly: its output goes to .deps/logs/<name>.log, and is shown if it fails.
quietly() {
  local log=$DEPS/logs/$1.log
  shift
  mkdir -p "$DEPS/logs"
  if ! "$@" >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    fail "failed: $* (whole output: $log)"
  fi
}

# Runs a command as root.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "needs root or sudo for: $*"
  fi
}
