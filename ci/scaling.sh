#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Weak and strong scaling on this machine's devices or cores: every deck on so many ranks, then
# tables and a picture.
#
#   ci/scaling.sh [-b BINARY] [-o FOLDER] [-t TRANSPORT]... [-d DECK]... [-v VARIANT]... [-s KEY=VALUE]... RANKS...
#
#   ci/scaling.sh -b build/cuda-hopper90/tessera -t nccl -t staged 1 2 4
#   ci/scaling.sh -d jacobi-3d -v 'jacobi/warps:64x32,t=4' -s measure.repetitions=21 1 2 4
#   ci/scaling.sh -b build/openmp/tessera -d acoustic-strong 1 2
#
# DECK is acoustic-weak, acoustic-strong, jacobi-3d, jacobi-2d, directional or 2g; without -d all but
# the last, which requires 63 GB of memory. -v and -s are passed on as -v and --set. MPIRUN names the
# launcher and its options; the default suits Open MPI on one machine. Cores that are as many in one
# process as in several: ci/equal_cores.sh.
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

binary=build/openmp/tessera
folder=out/scaling
transports=()
decks=()
more=()
while getopts b:o:t:d:v:s: option; do
  case $option in
    b) binary=$OPTARG ;;
    o) folder=$OPTARG ;;
    t) transports+=("$OPTARG") ;;
    d) decks+=("$OPTARG") ;;
    v) more+=(-v "$OPTARG") ;;
    s) more+=(--set "$OPTARG") ;;
    *) exit 1 ;;
  esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || { sed -n '3,15s/^# \{0,1\}//p' "$0"; exit 1; }
[ ${#transports[@]} -gt 0 ] || transports=(auto)
[ ${#decks[@]} -gt 0 ] || decks=(acoustic-weak acoustic-strong jacobi-3d jacobi-2d directional)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
read -ra launcher <<<"${MPIRUN:-mpirun --bind-to none}"
mkdir -p "$folder"

# The axis that grows with the ranks, and its cells on one; nothing for strong scaling.
growing() {
  case $1 in
    acoustic-weak) echo case.nz 1000 ;;
    jacobi-3d) echo case.nz 1000 ;;
    jacobi-2d) echo case.ny 16384 ;;
    directional) echo case.nz 768 ;;
  esac
}

results=()
for deck in "${decks[@]}"; do
  for ranks in "$@"; do
    read -r key cells <<<"$(growing "$deck")" || true
    size=()
    [ -z "${key:-}" ] || size=(--set "$key=$((cells * ranks))")
    for transport in "${transports[@]}"; do
      [ "$ranks" != 1 ] || [ "$transport" = "${transports[0]}" ] || continue
      result=$folder/$deck-$ranks-$transport
      rm -rf "$result"
      echo "== $deck on $ranks ranks, transport $transport"
      "${launcher[@]}" -n "$ranks" "$binary" run "inputs/scaling-$deck.toml" "${size[@]}" \
        "${more[@]}" --transport "$transport" -o "$result"
      results+=("$result/result.json")
    done
  done
done
python3 tools/scaling.py "${results[@]}" --plot "$folder/scaling.png" | tee "$folder/scaling.txt"
