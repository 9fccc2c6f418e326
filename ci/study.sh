#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A study of all families on this machine and its report, on a fresh Debian 12 (root or sudo), within
# 20 minutes on two cores: installs what is missing, builds every variant in few tiles (the preset
# study), runs the suite inputs/first-study.toml, and writes out/report.html with the committed results
# of other machines beside.
# Usage: ci/study.sh [suite, default first-study.toml] [option of tessera study]...
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
source "$ROOT/ci/lib/packages.sh"
source "$ROOT/ci/lib/kokkos.sh"
source "$ROOT/ci/lib/build.sh"

suite=${1:-first-study.toml}
shift || true

ensure_packages "${BUILD_PACKAGES[@]}" "${TOOLS_PACKAGES[@]}"
ensure_kokkos
configure study
build study --target tessera

# A study of the same build is continued; another build's is kept beside it.
version=$(build/study/tessera --version)
if [ -d out/study ] && [ "$version" != "$(cat out/study.version 2>/dev/null)" ]; then
  kept=out/study-$(date +%Y%m%dT%H%M%S)
  mv out/study "$kept"
  say "out/study is another build's: kept as $kept"
fi
mkdir -p out
printf '%s\n' "$version" >out/study.version

say "the study: build/study/tessera study $suite"
OMP_PROC_BIND=${OMP_PROC_BIND:-spread} OMP_PLACES=${OMP_PLACES:-cores} \
  build/study/tessera study "$suite" -o out/study --resume "$@"
say "the report"
/usr/bin/python3 tools/report.py out/study results/nvidia-h100 results/nvidia-h200 \
  --tessera build/study/tessera -o out/report.html
say "done: open out/report.html in a browser"
