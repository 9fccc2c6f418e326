#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# GCC's vectorisation report for the variants that walk tiles: each x loop over cells must be
# vectorised.
# Usage: ci/vectorisation.sh [build directory, default build/openmp]
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
cd "$OLDPWD"  # the directory is the caller's
BUILD=${1:-$ROOT/build/openmp}
[ -f "$BUILD/compile_commands.json" ] || fail "no compile_commands.json in $BUILD"

status=0
for source in "$ROOT"/variants/*/*.cpp; do
  grep -q for_each_cell "$source" || continue
  name=${source#"$ROOT"/variants/}
  # The build's own command, with few configurations, reporting instead of writing an object.
  command=$(python3 - "$BUILD/compile_commands.json" "$source" <<'PY'
import json, shlex, sys
entry = next((e for e in json.load(open(sys.argv[1])) if e["file"] == sys.argv[2]), None)
if entry:
    words = entry.get("arguments") or shlex.split(entry["command"])
    cut = words.index("-o")
    print(shlex.join(words[:cut] + words[cut + 2:] + ["-DTESSERA_FEW_CONFIGURATIONS", "-o", "/dev/null"]))
PY
  )
  [ -n "$command" ] || { echo "$name: not in this build"; continue; }
  report=$({ cd "$BUILD" && eval "$command -fopt-info-vec-all"; } 2>&1 || true)
  # The x loop stands at the `omp simd` line of for_each_cell_in; what is inlined may move it.
  line=$(grep -n 'omp simd' "$ROOT/src/tile/for_each_cell.hpp" | cut -d: -f1)
  done=$(grep -c "optimized: loop vectorized" <<<"$report" || true)
  missed=$(grep -c "for_each_cell.hpp:$((line + 1)):.*missed: couldn't vectorize loop" <<<"$report" || true)
  missed_point=$(grep -c "stencils/[a-z_/]*.hpp:.*missed: couldn't vectorize loop" <<<"$report" || true)
  echo "$name: $done loops vectorised, $((missed + missed_point)) x loops missed"
  [ "$done" -gt 0 ] && [ $((missed + missed_point)) -eq 0 ] || status=1
done
exit $status
