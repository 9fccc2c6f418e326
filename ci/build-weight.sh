#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles everything once and weighs each translation unit: processor time and peak memory of the
# compiler, into build/weight/weights.csv. Prints the sum and the ten heaviest, and fails where one
# takes more than 90 s or 1500 MB.
# Usage: ci/build-weight.sh [preset, default openmp-avx512] [CMake option]...
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
source "$ROOT/ci/lib/packages.sh"
source "$ROOT/ci/lib/kokkos.sh"
source "$ROOT/ci/lib/build.sh"

preset=${1:-openmp-avx512}
shift || true
export MOST_SECONDS=${MOST_SECONDS:-90} MOST_MB=${MOST_MB:-1500}
export WEIGHTS=$ROOT/build/weight/weights.csv

ensure_packages "${BUILD_PACKAGES[@]}"
ensure_kokkos
rm -rf build/weight
configure "$preset" -B build/weight -DCMAKE_CXX_COMPILER_LAUNCHER="$ROOT/ci/lib/weigh.py" "$@"
echo "cpu_s,peak_mb,source" >"$WEIGHTS"
say "$preset: building all, weighed"
quietly weight-build cmake --build build/weight -j "$JOBS"
python3 - <<'PY'
import csv, os, sys
with open(os.environ["WEIGHTS"], encoding="utf-8") as file:
    rows = [(float(r["cpu_s"]), float(r["peak_mb"]), r["source"]) for r in csv.DictReader(file)]
if not rows:
    sys.exit("build-weight.sh: nothing was compiled")
root = os.getcwd() + "/"
print(f"{len(rows)} translation units, {sum(r[0] for r in rows):.0f} s of processor time, "
      f"at most {max(r[1] for r in rows):.0f} MB; the ten heaviest:")
print(f"{'cpu s':>7} {'MB':>6}  source")
for seconds, megabytes, source in sorted(rows, reverse=True)[:10]:
    print(f"{seconds:7.1f} {megabytes:6.0f}  {source.removeprefix(root)}")
over = [r for r in rows
        if r[0] > float(os.environ["MOST_SECONDS"]) or r[1] > float(os.environ["MOST_MB"])]
for seconds, megabytes, source in over:
    print(f"too heavy: {source.removeprefix(root)}: {seconds:.1f} s, {megabytes:.0f} MB", file=sys.stderr)
sys.exit(1 if over else 0)
PY
