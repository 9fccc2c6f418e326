#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The device compiler's resource report of all variants: registers, spills and occupancy of each
# kernel. Needs a configured CUDA or HIP build but no device, compiles the variants only (for the
# device only), and fails where a kernel spills or has a stack frame.
# Usage: ci/resources.sh [preset or build directory, default hip-mi250x] [CSV file] [published table]
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
cd "$OLDPWD"  # the paths are the caller's
BUILD=${1:-hip-mi250x}
if [ -d "$ROOT/build/$BUILD" ]; then BUILD=$ROOT/build/$BUILD; fi
[ -f "$BUILD/CMakeCache.txt" ] || fail "$BUILD is not configured"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Variants may have come since.
cmake "$BUILD" >"$log" 2>&1 || {
  cat "$log" >&2
  fail "$BUILD cannot be configured"
}
python3 "$ROOT/tools/compiler_resources.py" "$BUILD" ${2:+--output "$2"} ${3:+--published "$3"}
