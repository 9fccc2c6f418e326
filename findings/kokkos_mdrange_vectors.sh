#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What GCC makes of a 25-point stencil in a Kokkos MDRangePolicy on a host, beside a plain loop nest
# with `omp simd`.
# Expected: vector instructions in both: iterations of a parallel_for are independent by contract.
# Seen: only scalar additions in the MDRange's tile loops (its headers ask for no vectors, and a
# functor has no place to); vectors in the plain loop, which has none either without the pragma.
set -euo pipefail
package=libtrilinos-kokkos-dev=13.2.0-4  # Kokkos 3.4.01
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq "$package" > log 2>&1 || { cat log; exit 1; }
dpkg-deb -x libtrilinos-kokkos-dev_*.deb .
cat > common.hpp <<'C'
#include <Kokkos_Core.hpp>
struct Star {
  const float* u;
  float* out;
  long row, plane;
  KOKKOS_INLINE_FUNCTION void operator()(int z, int y, int x) const {
    const float* at = u + z * plane + y * row + x;
    float sum = at[0];
    for (int m = 1; m <= 4; ++m)
      sum += at[m] + at[-m] + at[m * row] + at[-m * row] + at[m * plane] + at[-m * plane];
    out[z * plane + y * row + x] = 0.5f * sum;
  }
};
C
cat > mdrange.cpp <<'C'
#include "common.hpp"
using Policy = Kokkos::MDRangePolicy<Kokkos::Serial, Kokkos::Rank<3, Kokkos::Iterate::Right, Kokkos::Iterate::Right>>;
void step(const Star& star, int n) { Kokkos::parallel_for(Policy({4, 4, 4}, {n, n, n}), star); }
C
cat > plain.cpp <<'C'
#include "common.hpp"
void step(const Star& star, int n) {
  for (int z = 4; z < n; ++z)
    for (int y = 4; y < n; ++y) {
#pragma omp simd
      for (int x = 4; x < n; ++x) star(z, y, x);
    }
}
C
include=$(dirname "$(find . -name Kokkos_Core.hpp)")
count() { grep -cE "v(add|sub|mul|fmadd[0-9]*)$2\s" "$1.s" || true; }
for unit in mdrange plain; do
  g++ -std=c++14 -O3 -march=x86-64-v3 -fopenmp-simd -I "$include" -S -o $unit.s $unit.cpp
  echo "$unit: $(count $unit ps) vector and $(count $unit ss) scalar additions and products"
done
echo "$package, Kokkos $(sed -n "s/.*KOKKOS_VERSION \([0-9][0-9]*\).*/\1/p" "$include/KokkosCore_config.h"), GCC $(g++ -dumpfullversion)"
if [ "$(count mdrange ps)" != 0 ] || [ "$(count mdrange ss)" -le 20 ] || [ "$(count plain ps)" -le 20 ]; then
  echo changed
  exit 1
fi
