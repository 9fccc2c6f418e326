#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# As many cores of this machine in one process as in several ranks: one rank of N threads and N ranks
# of one thread, in turn, so that both meet the machine alike; then the ratio of their rates, round by
# round.
#
#   ci/equal_cores.sh [-b BINARY] [-o FOLDER] [-n CORES] [-r ROUNDS] [-v VARIANT]... [-s KEY=VALUE]...
#
#   ci/equal_cores.sh -b build/openmp/tessera -r 7
#   ci/equal_cores.sh -n 8 -v 'acoustic/jam:*' -s case.nx=400 -s case.ny=400 -s case.nz=400
#
# The deck is inputs/quick.toml, 256 cells an axis; -v and -s are passed on as -v and --set. MPIRUN
# names the launcher and its options; the default suits Open MPI.
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

binary=build/openmp/tessera
folder=out/equal-cores
cores=2
rounds=5
variants=()
more=(--set case.nx=256 --set case.ny=256 --set case.nz=256
  --set 'acoustic.decomposition=["single"]')
while getopts b:o:n:r:v:s: option; do
  case $option in
    b) binary=$OPTARG ;;
    o) folder=$OPTARG ;;
    n) cores=$OPTARG ;;
    r) rounds=$OPTARG ;;
    v) variants+=(-v "$OPTARG") ;;
    s) more+=(--set "$OPTARG") ;;
    *) exit 1 ;;
  esac
done
shift $((OPTIND - 1))
[ $# -eq 0 ] || { sed -n '3,14s/^# \{0,1\}//p' "$0"; exit 1; }
[ ${#variants[@]} -gt 0 ] || variants=(-v acoustic/st_reg_fixed:256x16 -v 'acoustic/jam:fullx32xfull,nz=4')
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
read -ra launcher <<<"${MPIRUN:-mpirun --bind-to core}"
mkdir -p "$folder"

# measure FOLDER COMMAND...: a run, quiet but where it fails
measure() {
  local out=$1
  shift
  rm -rf "$out"
  "$@" "$binary" run inputs/quick.toml "${more[@]}" "${variants[@]}" -o "$out" >"$folder/log.txt" 2>&1 ||
    { cat "$folder/log.txt"; exit 1; }
}

results=()
for round in $(seq "$rounds"); do
  echo "== round $round of $rounds: 1 rank of $cores threads, $cores ranks of 1 thread"
  one=$folder/threads-$round
  several=$folder/ranks-$round
  OMP_NUM_THREADS=$cores OMP_PLACES=cores OMP_PROC_BIND=spread measure "$one" env
  OMP_NUM_THREADS=1 OMP_PROC_BIND=false measure "$several" "${launcher[@]}" -n "$cores"
  results+=("$one/result.json" "$several/result.json")
done
python3 tools/scaling.py --pairs "${results[@]}" | tee "$folder/equal-cores.txt"
