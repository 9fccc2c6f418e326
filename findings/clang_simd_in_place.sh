#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What Clang makes of a 25-point update along a row, an `omp simd` loop that calls an inline function, where u+ is
# written over u- and where it has an array of its own.
# Expected: the same vectors, as fast in both: the pragma says that iterations are independent.
# Seen: so it is by GCC 12, and by Clang 19 with a plain `inline`. With `always_inline` (Kokkos' force-inline macro) Clang
# 19 tests at run time whether the arrays overlap, and in place runs the loop's scalar copy, three to six times as slow.
set -euo pipefail
version=1:19.1.7-3~deb12u1
packages=("clang-19=$version" "libclang-cpp19=$version" "libllvm19=$version" "libclang-common-19-dev=$version"
  "libz3-4=4.8.12-3.1" "libedit2=3.1-20221030-2" "libbsd0=0.11.7-2" "libxml2=2.9.14+dfsg-1.3~deb12u6"
  "libicu72=72.1-3+deb12u1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq "${packages[@]}" > log 2>&1 || { cat log; exit 1; }
for package in *.deb; do dpkg-deb -x "$package" .; done
clang=$folder/usr/lib/llvm-19/bin/clang++
export LD_LIBRARY_PATH=$folder/usr/lib/llvm-19/lib:$folder/usr/lib/x86_64-linux-gnu
cat > star.cpp <<'C'
#include <chrono>
#include <cstdio>
#include <vector>
struct Star {
  const float *u, *vp, *before;
  float* next;
  long row, plane;
  float c0, cx[4], cy[4], cz[4];
};
template <class Along>
INLINE float axis(const float (&c)[4], const Along& along) {
  float sum = c[0] * (along(1) + along(-1));
  for (int m = 2; m <= 4; ++m) sum += c[m - 1] * (along(m) + along(-m));
  return sum;
}
INLINE void update(const Star& s, long i) {
  const float* u = s.u + i;
  const float sum = s.c0 * u[0] + axis(s.cx, [&](long m) { return u[m]; }) +
                    axis(s.cy, [&](long m) { return u[m * s.row]; }) +
                    axis(s.cz, [&](long m) { return u[m * s.plane]; });
  s.next[i] = s.vp[i] * sum + (2 * u[0] - s.before[i]);
}
__attribute__((noinline)) void line(const Star& s, long first, int n) {
#pragma omp simd
  for (int x = 0; x < n; ++x) update(s, first + x);
}
double time_of(bool in_place) {  // ns a cell, the best of 20
  const int n = 96, halo = 4;
  const long row = n + 2 * halo, plane = row * row;
  std::vector<float> u(plane * row, 1), vp(u.size(), 1e-3f), before(u.size(), 1), other(u.size());
  const Star s{u.data(), vp.data(), before.data(), in_place ? before.data() : other.data(), row, plane, -3,
               {.1f, .1f, .1f, .1f}, {.1f, .1f, .1f, .1f}, {.1f, .1f, .1f, .1f}};
  double best = 1;
  for (int turn = 0; turn < 20; ++turn) {
    const auto begin = std::chrono::steady_clock::now();
    for (int z = halo; z < n + halo; ++z)
      for (int y = halo; y < n + halo; ++y) line(s, z * plane + y * row + halo, n);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (took.count() < best) best = took.count();
  }
  return best * 1e9 / (1.0 * n * n * n);
}
int main() {
  const double apart = time_of(false), in_place = time_of(true);
  std::printf("%.2f %.2f %d\n", apart, in_place, in_place > 2 * apart);
}
C
slow() {  # slow COMPILER INLINE: 1 where the update in place is
  "$1" -std=c++20 -O3 -march=x86-64-v3 -ffp-contract=off -fopenmp-simd "-DINLINE=$2" -o star star.cpp
  read -r apart in_place is < <(./star)
  echo "$(basename "$1"), $2: $apart ns a cell apart, $in_place in place" >&2
  echo "$is"
}
forced='inline __attribute__((always_inline))'
echo "$("$clang" --version | head -1), GCC $(g++ -dumpfullversion)"
if [ "$(slow "$clang" inline) $(slow "$clang" "$forced") $(slow g++ "$forced")" != "0 1 0" ]; then
  echo changed
  exit 1
fi
