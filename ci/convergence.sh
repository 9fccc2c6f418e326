#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Counts the lines that an OpenMP, a CUDA and a HIP build share (tools/convergence.py), by P3HPC's
# code-base-investigator over their compile databases: configures, builds nothing. Needs codebasin on
# PATH (Python 3.11 will do), nvcc, and the packages of ci/nightly.sh's part hip; KOKKOS_SOURCE names
# Kokkos' sources. Ten minutes. Writes results/convergence/lines.csv.
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
no_arguments "$@"
source "$ROOT/ci/lib/packages.sh"
ensure_packages "${TOOLS_PACKAGES[@]}"
command -v cbi-cov >/dev/null || fail "no cbi-cov on PATH: install P3HPC's code-base-investigator"
[ -f "${KOKKOS_SOURCE:-}/CMakeLists.txt" ] || fail "KOKKOS_SOURCE: no sources of Kokkos in '${KOKKOS_SOURCE:-}'"
PATH=$PATH:/usr/local/cuda/bin

# A copy: codebasin reads its configuration from the folder that it runs in.
tree=$ROOT/build/convergence
rm -rf "$tree"
mkdir -p "$tree/.cbi"
cp -r CMakeLists.txt CMakePresets.json cmake src variants inputs schemas "$tree/"
cat >"$tree/.cbi/config" <<'END'
[compiler.nvcc_wrapper]
alias_of = "nvcc"

[compiler."clang++"]
options = ["-D__clang__", "-D__HIPCC__", "-D__HIP__"]

[[compiler."clang++".parser]]
flags = ["--offload-arch"]
action = "extend_match"
pattern = '(gfx\w+)'
format = "$value"
dest = "passes"

[[compiler."clang++".passes]]
name = "gfx90a"
defines = ["__HIP_DEVICE_COMPILE__=1", "__AMDGCN__=1", "__gfx90a__=1"]
END

# count PLATFORM PRESET [option]...
count() {
  local platform=$1
  quietly "convergence-$platform" cmake -S "$tree" --preset "$2" -B "$tree/build/$platform" -G Ninja \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON -DTESSERA_ENABLE_TESTS=OFF \
    -DTESSERA_ENABLE_KOKKOSKERNELS=OFF -DFETCHCONTENT_SOURCE_DIR_KOKKOS="$KOKKOS_SOURCE" "${@:3}"
  # Kokkos' own files are no lines of ours; units that CMake writes are.
  python3 - "$tree" "$platform" <<'END'
import json, sys
tree, platform = sys.argv[1:]
units = json.load(open(f"{tree}/build/{platform}/compile_commands.json"))
ours = [one for one in units if one["file"].startswith(f"{tree}/") and "/_deps/" not in one["file"]]
json.dump(ours, open(f"{tree}/{platform}-units.json", "w"))
END
  say "convergence: $platform"
  (cd "$tree" && quietly "convergence-cbi-$platform" cbi-cov compute -S "$tree" -x build/ \
    -o "$tree/$platform.json" "$tree/$platform-units.json")
}
count openmp openmp
count cuda cuda-hopper90 -DCMAKE_CXX_COMPILER="$KOKKOS_SOURCE/bin/nvcc_wrapper"
count hip hip-mi250x -DKokkos_ENABLE_ROCTHRUST=OFF -DCMAKE_CXX_COMPILER=/usr/lib/llvm-16/bin/clang++ \
  "-DCMAKE_CXX_FLAGS=--rocm-path=/usr --rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"
tools/convergence.py openmp="$tree/openmp.json" cuda="$tree/cuda.json" hip="$tree/hip.json" \
  -o results/convergence/lines.csv
